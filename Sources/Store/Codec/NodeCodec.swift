import MeshCore

/// The body of a node's row, version 1. Integers are big-endian.
///
/// `version 1 | uuid 16 | name | unicast 2 | flags 4 | device key? | product? 8 | features 1 | NetKeys | AppKeys |
/// default TTL? 1 | network transmit? 1 | relay retransmit? 1 | states | bridging table? | composition pages? | models
/// metadata? | observed? 8 | seen unprovisioned? 8 | read back? 8 | elements | unread? | held? |
/// heartbeat to restore? | authentication? 4 | hops? 1`.
///
/// The flags say which optional parts follow. A key is its index in the low 12 bits and "updated" in bit 15. A page is
/// its number and its octets.
enum NodeCodec {
    static let version: UInt8 = 1

    private struct Flags: OptionSet {
        let rawValue: UInt32
        static let deviceKey = Flags(rawValue: 1 << 0)
        static let securelyProvisioned = Flags(rawValue: 1 << 1)
        static let configComplete = Flags(rawValue: 1 << 2)
        static let excluded = Flags(rawValue: 1 << 3)
        static let managed = Flags(rawValue: 1 << 4)
        static let protected = Flags(rawValue: 1 << 5)
        static let product = Flags(rawValue: 1 << 6)
        static let beaconKnown = Flags(rawValue: 1 << 7)
        static let beaconOn = Flags(rawValue: 1 << 8)
        static let defaultTTL = Flags(rawValue: 1 << 9)
        static let networkTransmit = Flags(rawValue: 1 << 10)
        static let relayRetransmit = Flags(rawValue: 1 << 11)
        static let observed = Flags(rawValue: 1 << 12)
        static let resetOnRemoval = Flags(rawValue: 1 << 13)
        static let seenUnprovisioned = Flags(rawValue: 1 << 14)
        static let bridgingTable = Flags(rawValue: 1 << 15)
        static let compositionPages = Flags(rawValue: 1 << 16)
        static let modelsMetadata = Flags(rawValue: 1 << 17)
        static let readBack = Flags(rawValue: 1 << 18)
        static let unread = Flags(rawValue: 1 << 19)
        static let held = Flags(rawValue: 1 << 20)
        static let lentHeartbeat = Flags(rawValue: 1 << 21)
        static let authentication = Flags(rawValue: 1 << 22)
        static let hops = Flags(rawValue: 1 << 23)
        static let known = Flags(rawValue: (1 << 24) - 1)

        init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        init(_ node: Node) {
            var flags: Flags = []
            func set(_ flag: Flags, if condition: Bool) { if condition { flags.insert(flag) } }
            set(.deviceKey, if: node.deviceKey != nil)
            set(.securelyProvisioned, if: node.isSecurelyProvisioned)
            set(.configComplete, if: node.isConfigComplete)
            set(.excluded, if: node.isExcluded)
            set(.managed, if: node.isManaged)
            set(.protected, if: node.isProtected)
            set(.product, if: node.product != nil)
            set(.beaconKnown, if: node.secureNetworkBeacon != nil)
            set(.beaconOn, if: node.secureNetworkBeacon == true)
            set(.defaultTTL, if: node.defaultTTL != nil)
            set(.networkTransmit, if: node.networkTransmit != nil)
            set(.relayRetransmit, if: node.relayRetransmit != nil)
            set(.observed, if: node.observedAt != nil)
            set(.resetOnRemoval, if: node.removalPolicy == .reset)
            set(.seenUnprovisioned, if: node.unprovisionedSeenAt != nil)
            set(.bridgingTable, if: node.bridgingTable != nil)
            set(.compositionPages, if: node.compositionPages != nil)
            set(.modelsMetadata, if: node.modelsMetadata != nil)
            set(.readBack, if: node.readBackAt != nil)
            set(.unread, if: !node.unread.isEmpty)
            set(.held, if: !node.held.isEmpty)
            set(.lentHeartbeat, if: node.heartbeatToRestore != nil)
            set(.authentication, if: node.authentication != nil)
            set(.hops, if: node.hops != nil)
            self = flags
        }
    }

    static func encode(_ node: Node) -> [UInt8] {
        var writer = ByteWriter(capacity: 256)
        writer.write(version)
        writer.write(node.uuid.rawValue)
        writer.writeString(node.name)
        writer.write(node.unicastAddress.rawValue)
        writer.write(Flags(node).rawValue)
        if let key = node.deviceKey { writer.write(key.octets) }
        if let product = node.product {
            writer.write(product)
        }
        writer.write(pack(node.features))
        writer.writeList(node.netKeys) { $1.write(packed($0)) }
        writer.writeList(node.appKeys) { $1.write(packed($0)) }
        if let ttl = node.defaultTTL { writer.write(ttl) }
        if let transmit = node.networkTransmit { writer.write(transmit.octet) }
        if let retransmit = node.relayRetransmit { writer.write(retransmit.octet) }
        NodeStatesCodec.encode(node, into: &writer)
        for time in [node.observedAt, node.unprovisionedSeenAt, node.readBackAt] {
            if let time { writer.writeTime(time) }
        }
        writer.writeList(node.elements) { ElementCodec.encode($0, into: &$1) }
        if !node.unread.isEmpty {
            writer.writeList(node.unread) { record, writer in
                writer.writeOctets(record.request)
                writer.write(UInt8(record.answer == nil ? 0 : 1))
                if let answer = record.answer { writer.writeOctets(answer) }
            }
        }
        if !node.held.isEmpty { ModelStateCodec.encode(node.held, into: &writer) }
        if let heartbeat = node.heartbeatToRestore {
            FoundationState.heartbeatPublication(heartbeat).write(to: &writer)
        }
        if let authentication = node.authentication { AuthenticationCodec.encode(authentication, into: &writer) }
        if let hops = node.hops { writer.write(hops) }
        return writer.bytes
    }

    static func decode(_ bytes: [UInt8]) throws(DecodeError) -> Node {
        var reader = ByteReader(bytes)
        try reader.expectVersion(version)
        let uuid = try reader.readDeviceUUID()
        let name = try reader.readString()
        let unicast = try reader.readUnicastAddress()
        let flags = Flags(rawValue: try reader.readUInt32())
        guard flags.isSubset(of: .known), flags.contains(.beaconKnown) || !flags.contains(.beaconOn) else {
            throw .prohibited(field: "node flags", value: UInt64(flags.rawValue))
        }
        let key = flags.contains(.deviceKey) ? KeyMaterial(try reader.readOctets16()) : nil
        var node = Node(uuid: uuid, name: name, unicastAddress: unicast, deviceKey: key)
        node.isSecurelyProvisioned = flags.contains(.securelyProvisioned)
        node.isConfigComplete = flags.contains(.configComplete)
        node.isExcluded = flags.contains(.excluded)
        node.isManaged = flags.contains(.managed)
        node.isProtected = flags.contains(.protected)
        if flags.contains(.beaconKnown) { node.secureNetworkBeacon = flags.contains(.beaconOn) }
        if flags.contains(.product) {
            node.product = try reader.readProduct()
        }
        node.features = try unpack(try reader.readUInt8())
        node.netKeys = try readKeys(&reader)
        node.appKeys = try readKeys(&reader)
        if flags.contains(.defaultTTL) { node.defaultTTL = try reader.readUInt8() }
        if flags.contains(.networkTransmit) { node.networkTransmit = TransmitParameters(octet: try reader.readUInt8()) }
        if flags.contains(.relayRetransmit) { node.relayRetransmit = TransmitParameters(octet: try reader.readUInt8()) }
        node.states = try NodeStatesCodec.readStates(&reader)
        if flags.contains(.bridgingTable) { node.bridgingTable = try NodeStatesCodec.readBridgingTable(&reader) }
        if flags.contains(.compositionPages) { node.compositionPages = try NodeStatesCodec.readPages(&reader) }
        if flags.contains(.modelsMetadata) { node.modelsMetadata = try NodeStatesCodec.readPages(&reader) }
        if flags.contains(.observed) {
            node.observedAt = try reader.readTime()
        }
        node.removalPolicy = flags.contains(.resetOnRemoval) ? .reset : .forget
        if flags.contains(.seenUnprovisioned) {
            node.unprovisionedSeenAt = try reader.readTime()
        }
        if flags.contains(.readBack) {
            node.readBackAt = try reader.readTime()
        }
        node.elements = try reader.readList(size: 4) { (reader: inout ByteReader) throws(DecodeError) in
            try ElementCodec.decode(&reader)
        }
        if flags.contains(.unread) {
            node.unread = try reader.readList(size: 3) { (reader: inout ByteReader) throws(DecodeError) in
                let request = try reader.readOctets()
                let isAnswered = try reader.readUInt8()
                guard isAnswered <= 1 else { throw .prohibited(field: "answer", value: UInt64(isAnswered)) }
                return Node.UnreadRecord(request: request, answer: isAnswered == 1 ? try reader.readOctets() : nil)
            }
            guard !node.unread.isEmpty else { throw .prohibited(field: "unread values", value: 0) }
        }
        if flags.contains(.held) { node.held = try ModelStateCodec.decodeHeld(&reader) }
        if flags.contains(.lentHeartbeat) {
            guard case .heartbeatPublication(let heartbeat) = try FoundationState(reading: &reader) else {
                throw .prohibited(field: "heartbeat to restore", value: 0)
            }
            node.recordHeartbeatToRestore(heartbeat)
        }
        if flags.contains(.authentication) { node.authentication = try AuthenticationCodec.decode(&reader) }
        if flags.contains(.hops) { node.hops = try reader.readUInt8() }
        try reader.expectEnd()
        return node
    }

    /// An index of 12 bits. Bit 15 says that the node has the new key. Bits 13 and 12 say what followed: 0 nothing, 1
    /// the node uses the key, 2 the node has forgotten the old one.
    private static func packed<Index: KeyIndex>(_ key: NodeKey<Index>) -> UInt16 {
        guard key.isUpdated else { return key.index.rawValue }
        let later = UInt16(key.progress.rawValue - KeyRefreshProgress.updated.rawValue)
        return 0x8000 | later << 12 | key.index.rawValue
    }

    private static func readKeys<Index: KeyIndex>(_ reader: inout ByteReader) throws(DecodeError) -> [NodeKey<Index>] {
        try reader.readList(size: 2) { (reader: inout ByteReader) throws(DecodeError) in
            let packed = try reader.readUInt16()
            let later = UInt8(packed >> 12 & 0x7)
            guard let index = Index(rawValue: packed & 0x0FFF), packed & 0x8000 != 0 || later == 0,
                let progress = KeyRefreshProgress(rawValue: packed & 0x8000 == 0 ? 0 : later + 1)
            else {
                throw DecodeError.prohibited(field: "key index", value: UInt64(packed))
            }
            return NodeKey(index: index, progress: progress)
        }
    }

    /// Two bits for each feature; 3 means unknown.
    private static func pack(_ features: Node.Features) -> UInt8 {
        let states = [features.relay, features.proxy, features.friend, features.lowPower]
        return states.reversed().reduce(0) { $0 << 2 | ($1?.rawValue ?? 3) }
    }

    private static func unpack(_ octet: UInt8) throws(DecodeError) -> Node.Features {
        Node.Features(
            relay: FeatureState(rawValue: octet & 3),
            proxy: FeatureState(rawValue: octet >> 2 & 3),
            friend: FeatureState(rawValue: octet >> 4 & 3),
            lowPower: FeatureState(rawValue: octet >> 6 & 3)
        )
    }
}
