import MeshCore

/// The body of the network's row, version 1: everything of a ``MeshNetwork`` except nodes, pending provisionings and
/// retired nodes, which have their own rows. Each key and group ends with an octet of flags: bit 0 managed, bit 1
/// protected.
enum NetworkCodec {
    static let version: UInt8 = 1

    static func encode(_ network: MeshNetwork) -> [UInt8] {
        var writer = ByteWriter(capacity: 1024)
        writer.write(version)
        writer.write(network.uuid)
        writer.writeString(network.name)
        writer.write(network.ivIndex.value)
        writer.write(network.ivIndex.isUpdateInProgress)
        writer.write(network.ivIndexChangedAt)
        writer.write(network.ivIndexRecoveredAt)
        writer.write(network.ownProvisioner.rawValue)
        writer.writeList(network.netKeys) { key, writer in
            writer.write(key.index.rawValue)
            writer.writeString(key.name)
            writer.write(key.key.octets)
            writer.write(key.oldKey)
            writer.write(key.phase.rawValue)
            writer.write(key.isMinimumSecuritySecure)
            writer.write(flags(key.isManaged, key.isProtected))
        }
        writer.writeList(network.appKeys) { key, writer in
            writer.write(key.index.rawValue)
            writer.writeString(key.name)
            writer.write(key.boundNetKey.rawValue)
            writer.write(key.key.octets)
            writer.write(key.oldKey)
            writer.write(flags(key.isManaged, key.isProtected))
        }
        writer.writeList(network.groups) { group, writer in
            writer.writeString(group.name)
            writer.write(group.address)
            writer.write(group.parent != nil)
            if let parent = group.parent { writer.write(parent) }
            writer.write(flags(group.isManaged, group.isProtected))
        }
        writer.writeList(network.provisioners) { provisioner, writer in
            writer.writeString(provisioner.name)
            writer.write(provisioner.uuid.rawValue)
            writer.writeList(provisioner.unicastRanges, writeRange)
            writer.writeList(provisioner.groupRanges, writeRange)
            writer.writeList(provisioner.sceneRanges, writeRange)
        }
        writer.writeList(network.scenes) { scene, writer in
            writer.write(scene.number)
            writer.writeString(scene.name)
            writer.writeList(scene.addresses) { $1.write($0.rawValue) }
        }
        writer.writeList(network.exclusions) { exclusion, writer in
            writer.write(exclusion.ivIndex)
            writer.writeList(exclusion.addresses) { $1.write($0.rawValue) }
        }
        writer.write(network.ivIndexStatedAt)
        writer.writeList(network.titles.sorted { $0.key < $1.key }) { entry, writer in
            write(entry.key, into: &writer)
            writer.writeString(entry.value)
        }
        return writer.bytes
    }

    /// The network without the parts that have their own rows.
    static func decode(_ bytes: [UInt8]) throws(DecodeError) -> MeshNetwork {
        var reader = ByteReader(bytes)
        try reader.expectVersion(version)
        let uuid = try reader.readOctets16()
        let name = try reader.readString()
        let ivIndex = IVIndex(value: try reader.readUInt32(), isUpdateInProgress: try reader.readFlag())
        let ivIndexChangedAt = try reader.readTimestamp()
        let ivIndexRecoveredAt = try reader.readTimestamp()
        var network = MeshNetwork(
            uuid: uuid,
            name: name,
            ivIndex: ivIndex,
            netKeys: [],
            provisioners: [],
            ownProvisioner: try reader.readDeviceUUID(),
            nodes: []
        )
        network.ivIndexChangedAt = ivIndexChangedAt
        network.ivIndexRecoveredAt = ivIndexRecoveredAt
        network.netKeys = try reader.readList(size: 22) { (reader: inout ByteReader) throws(DecodeError) in
            var key = try readNetKey(&reader)
            (key.isManaged, key.isProtected) = try readFlags(&reader)
            return key
        }
        network.appKeys = try reader.readList(size: 22) { (reader: inout ByteReader) throws(DecodeError) in
            var key = try readAppKey(&reader)
            (key.isManaged, key.isProtected) = try readFlags(&reader)
            return key
        }
        network.groups = try reader.readList(size: 4) { (reader: inout ByteReader) throws(DecodeError) in
            var group = Group(
                name: try reader.readString(),
                address: try reader.readSubscriptionAddress(),
                parent: try reader.readFlag() ? try reader.readSubscriptionAddress() : nil
            )
            (group.isManaged, group.isProtected) = try readFlags(&reader)
            return group
        }
        network.provisioners = try reader.readList(size: 20) { (reader: inout ByteReader) throws(DecodeError) in
            Provisioner(
                name: try reader.readString(),
                uuid: try reader.readDeviceUUID(),
                unicastRanges: try reader.readList(size: 4, readRange),
                groupRanges: try reader.readList(size: 4, readRange),
                sceneRanges: try reader.readList(size: 4, readRange)
            )
        }
        network.scenes = try reader.readList(size: 4) { (reader: inout ByteReader) throws(DecodeError) in
            Scene(
                number: try reader.readUInt16(),
                name: try reader.readString(),
                addresses: try reader.readList(size: 2, readUnicast)
            )
        }
        network.exclusions = try reader.readList(size: 5) { (reader: inout ByteReader) throws(DecodeError) in
            NetworkExclusion(ivIndex: try reader.readUInt32(), addresses: try reader.readList(size: 2, readUnicast))
        }
        network.ivIndexStatedAt = try reader.readTimestamp()
        let titles = try reader.readList(size: 2) { (reader: inout ByteReader) throws(DecodeError) in
            (try readTitledResource(&reader), try reader.readString())
        }
        network.titles = Dictionary(titles) { first, _ in first }
        try reader.expectEnd()
        return network
    }

    private static func write(_ resource: TitledResource, into writer: inout ByteWriter) {
        switch resource {
        case .network: writer.write(UInt8(0))
        case .netKey(let index):
            writer.write(UInt8(1))
            writer.write(index.rawValue)
        case .appKey(let index):
            writer.write(UInt8(2))
            writer.write(index.rawValue)
        case .group(let address):
            writer.write(UInt8(3))
            writer.write(address)
        case .node(let uuid):
            writer.write(UInt8(4))
            writer.write(uuid.rawValue)
        }
    }

    private static func readTitledResource(_ reader: inout ByteReader) throws(DecodeError) -> TitledResource {
        switch try reader.readUInt8() {
        case 0: .network
        case 1: .netKey(try reader.readKeyIndex(NetKeyIndex.self))
        case 2: .appKey(try reader.readKeyIndex(AppKeyIndex.self))
        case 3: .group(try reader.readSubscriptionAddress())
        case 4: .node(try reader.readDeviceUUID())
        case let other: throw .prohibited(field: "titled resource", value: UInt64(other))
        }
    }

    private static func flags(_ isManaged: Bool, _ isProtected: Bool) -> UInt8 {
        (isManaged ? 1 : 0) | (isProtected ? 2 : 0)
    }

    private static func readFlags(
        _ reader: inout ByteReader
    ) throws(DecodeError) -> (isManaged: Bool, isProtected: Bool) {
        let flags = try reader.readUInt8()
        guard flags < 4 else { throw .prohibited(field: "flags of a key or group", value: UInt64(flags)) }
        return (flags & 1 == 1, flags & 2 == 2)
    }

    private static func readNetKey(_ reader: inout ByteReader) throws(DecodeError) -> NetKey {
        let index = try reader.readKeyIndex(NetKeyIndex.self)
        let name = try reader.readString()
        let key = KeyMaterial(try reader.readOctets16())
        let oldKey = try reader.readKey()
        return NetKey(
            index: index,
            name: name,
            key: key,
            oldKey: oldKey,
            phase: try reader.readCase("key refresh phase"),
            isMinimumSecuritySecure: try reader.readFlag()
        )
    }

    private static func readAppKey(_ reader: inout ByteReader) throws(DecodeError) -> AppKey {
        AppKey(
            index: try reader.readKeyIndex(AppKeyIndex.self),
            name: try reader.readString(),
            boundNetKey: try reader.readKeyIndex(NetKeyIndex.self),
            key: KeyMaterial(try reader.readOctets16()),
            oldKey: try reader.readKey()
        )
    }

    private static func readUnicast(_ reader: inout ByteReader) throws(DecodeError) -> UnicastAddress {
        try reader.readUnicastAddress()
    }

    private static func readRange(_ reader: inout ByteReader) throws(DecodeError) -> ClosedRange<UInt16> {
        let low = try reader.readUInt16()
        let high = try reader.readUInt16()
        guard low <= high else { throw .prohibited(field: "range", value: UInt64(low) << 16 | UInt64(high)) }
        return low...high
    }

    private static func writeRange(_ range: ClosedRange<UInt16>, _ writer: inout ByteWriter) {
        writer.write(range.lowerBound)
        writer.write(range.upperBound)
    }
}
