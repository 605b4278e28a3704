import MeshCore

extension ByteWriter {
    /// Writes the fields in this order.
    mutating func write(_ node: NodeConfigurationState) {
        write(node.uuid.rawValue.bytes)
        write(text: node.name)
        write(node.address.rawValue)
        write(node.isProvisioned)
        write(node.deviceKey)
        write(node.product.company)
        write(node.product.product)
        write(node.product.version)
        write(node.product.replayListSize)
        write(list: node.netKeys) { writer, key in
            writer.write(key.index.rawValue)
            writer.write(key.key)
            writer.write(key.oldKey)
            writer.write(key.phase.rawValue)
        }
        write(list: node.appKeys) { writer, key in
            writer.write(key.index.rawValue)
            writer.write(key.boundNetKey.rawValue)
            writer.write(key.key)
            writer.write(key.oldKey)
        }
        write(node.secureNetworkBeacon)
        write(node.defaultTTL)
        write(node.relay.rawValue)
        write(node.proxy.rawValue)
        write(node.friend.rawValue)
        write(node.isLowPowerSupported)
        write(node.networkTransmit.octet)
        write(node.relayRetransmit.octet)
        write(node.heartbeatPublication.destination.rawValue)
        write(node.heartbeatPublication.countLog.rawValue)
        write(node.heartbeatPublication.periodLog.rawValue)
        write(node.heartbeatPublication.ttl)
        write(node.heartbeatPublication.features.rawValue)
        write(node.heartbeatPublication.netKeyIndex.rawValue)
        write(node.heartbeatSubscription.source?.rawValue ?? 0)
        write(node.heartbeatSubscription.destination.rawValue)
        write(node.heartbeatSubscription.periodLog.rawValue)
        write(list: node.elements) { writer, element in
            writer.write(element.name != nil)
            writer.write(text: element.name ?? "")
            writer.write(element.location)
            writer.write(list: element.models) { $0.write($1) }
        }
        write(node.foundation)
    }

    private mutating func write(_ model: Model) {
        write(model.identifier.isVendor)
        write(model.identifier.company ?? 0)
        write(model.identifier.model)
        write(list: model.bindings) { $0.write($1.rawValue) }
        write(list: model.subscriptions) { writer, address in
            switch address {
            case .group(let group):
                writer.write(UInt8(0))
                writer.write(group.rawValue)
            case .virtual(let label):
                writer.write(UInt8(1))
                writer.write(label.rawValue.bytes)
            case .unknownLabel(let virtual):
                writer.write(UInt8(2))
                writer.write(virtual.rawValue)
            }
        }
        write(model.publication != nil)
        if let publication = model.publication { write(publication) }
    }

    private mutating func write(_ publication: Publication) {
        switch publication.address {
        case .unicast(let address):
            write(UInt8(0))
            write(address.rawValue)
        case .group(let group):
            write(UInt8(1))
            write(group.rawValue)
        case .virtual(let label):
            write(UInt8(2))
            write(label.rawValue.bytes)
        case .unknownLabel(let virtual):
            write(UInt8(3))
            write(virtual.rawValue)
        }
        write(publication.appKeyIndex.rawValue)
        write(publication.usesFriendshipCredentials)
        write(publication.ttl)
        write(publication.period.octet)
        write(publication.retransmit.octet)
    }
}

extension ByteReader {
    mutating func readNodeState() throws(DecodeError) -> NodeConfigurationState {
        var state = NodeConfigurationState(
            uuid: try readDeviceUUID(),
            name: try readText(),
            address: try readUnicastAddress(),
            isProvisioned: try readFlag(),
            deviceKey: try readOptionalKey(),
            product: Node.Product(
                company: try readUInt16(),
                product: try readUInt16(),
                version: try readUInt16(),
                replayListSize: try readUInt16()
            ),
            netKeys: try readList { reader throws(DecodeError) in try reader.readNetKey() },
            appKeys: try readList { reader throws(DecodeError) in try reader.readAppKey() },
            secureNetworkBeacon: try readFlag(),
            defaultTTL: try readUInt8(),
            relay: try readCase("relay", FeatureState.self),
            proxy: try readCase("proxy", FeatureState.self),
            friend: try readCase("friend", FeatureState.self),
            isLowPowerSupported: try readFlag(),
            networkTransmit: TransmitParameters(octet: try readUInt8()),
            relayRetransmit: TransmitParameters(octet: try readUInt8()),
            heartbeatPublication: HeartbeatPublicationSettings(
                destination: Address(rawValue: try readUInt16()),
                countLog: try readCase("heartbeat count", HeartbeatPublicationCountLog.self),
                periodLog: try readCase("heartbeat period", HeartbeatPeriodLog.self),
                ttl: try readUInt8(),
                features: FeatureSet(rawValue: try readUInt16()),
                netKeyIndex: try readKeyIndex(NetKeyIndex.self)
            ),
            heartbeatSubscription: HeartbeatSubscriptionSettings(
                source: UnicastAddress(rawValue: try readUInt16()),
                destination: Address(rawValue: try readUInt16()),
                periodLog: try readCase("heartbeat period", HeartbeatPeriodLog.self)
            ),
            elements: try readList { reader throws(DecodeError) in try reader.readElement() }
        )
        state.foundation = try readFoundationStates()
        guard !state.elements.isEmpty, state.elements.count <= 255 else {
            throw .prohibited(field: "number of elements", value: UInt64(state.elements.count))
        }
        guard state.defaultTTL != 1, state.defaultTTL < 0x80 else {
            throw .prohibited(field: "default TTL", value: UInt64(state.defaultTTL))
        }
        return state
    }

    private mutating func readNetKey() throws(DecodeError) -> NodeNetKey {
        let index = try readKeyIndex(NetKeyIndex.self)
        guard let key = try readOptionalKey() else { throw .prohibited(field: "NetKey", value: 0) }
        let oldKey = try readOptionalKey()
        let phase = try readCase("key refresh phase", KeyRefreshPhase.self)
        guard (oldKey == nil) == (phase == .normal) else {
            throw .prohibited(field: "key refresh phase", value: UInt64(phase.rawValue))
        }
        return NodeNetKey(index: index, key: key, oldKey: oldKey, phase: phase)
    }

    private mutating func readAppKey() throws(DecodeError) -> NodeAppKey {
        let index = try readKeyIndex(AppKeyIndex.self)
        let boundNetKey = try readKeyIndex(NetKeyIndex.self)
        guard let key = try readOptionalKey() else { throw .prohibited(field: "AppKey", value: 0) }
        return NodeAppKey(index: index, boundNetKey: boundNetKey, key: key, oldKey: try readOptionalKey())
    }

    private mutating func readElement() throws(DecodeError) -> Element {
        let isNamed = try readFlag()
        let name = try readText()
        let location = try readUInt16()
        return Element(
            name: isNamed ? name : nil,
            location: location,
            models: try readList { reader throws(DecodeError) in try reader.readModel() }
        )
    }

    private mutating func readModel() throws(DecodeError) -> Model {
        let isVendor = try readFlag()
        let company = try readUInt16()
        let model = try readUInt16()
        return Model(
            identifier: isVendor ? .vendor(company: company, model: model) : .sig(model),
            bindings: try readList { reader throws(DecodeError) in try reader.readKeyIndex(AppKeyIndex.self) },
            subscriptions: try readList { reader throws(DecodeError) in try reader.readSubscriptionAddress() },
            publication: try readFlag() ? try readPublication() : nil
        )
    }

    private mutating func readSubscriptionAddress() throws(DecodeError) -> SubscriptionAddress {
        let kind = try readUInt8()
        switch kind {
        case 0: return .group(try readGroupAddress())
        case 1: return .virtual(LabelUUID(rawValue: try readOctets16()))
        case 2: return .unknownLabel(try readVirtualAddress())
        default: throw .unknownType(UInt64(kind))
        }
    }

    private mutating func readGroupAddress() throws(DecodeError) -> GroupAddress {
        let value = try readUInt16()
        guard let group = GroupAddress(rawValue: value) else {
            throw .prohibited(field: "group address", value: UInt64(value))
        }
        return group
    }

    private mutating func readVirtualAddress() throws(DecodeError) -> VirtualAddress {
        let value = try readUInt16()
        guard let virtual = VirtualAddress(rawValue: value) else {
            throw .prohibited(field: "virtual address", value: UInt64(value))
        }
        return virtual
    }

    private mutating func readPublication() throws(DecodeError) -> Publication {
        let kind = try readUInt8()
        let address: PublishAddress
        switch kind {
        case 0: address = .unicast(try readUnicastAddress())
        case 1: address = .group(try readGroupAddress())
        case 2: address = .virtual(LabelUUID(rawValue: try readOctets16()))
        case 3: address = .unknownLabel(try readVirtualAddress())
        default: throw .unknownType(UInt64(kind))
        }
        return Publication(
            address: address,
            appKeyIndex: try readKeyIndex(AppKeyIndex.self),
            usesFriendshipCredentials: try readFlag(),
            ttl: try readUInt8(),
            period: PublishPeriod(octet: try readUInt8()),
            retransmit: PublishRetransmit(octet: try readUInt8())
        )
    }
}
