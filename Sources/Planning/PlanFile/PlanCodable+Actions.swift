package import MeshCore

extension ConfigurationAction {
    private static let encodingVersion: UInt8 = 1

    /// The action as octets, for journals: a version (1), then the same as in a plan file. It contains no key.
    package var encoded: [UInt8] {
        var writer = PlanWriter()
        writer.write(Self.encodingVersion, self)
        return writer.bytes.bytes
    }

    /// Reads an encoded action.
    ///
    /// - Throws: ``DecodeError`` if the octets are not exactly the ``encoded`` form of some action.
    package init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = PlanReader(bytes)
        let version = try reader.read(UInt8.self)
        guard version == Self.encodingVersion else { throw .unknownType(UInt64(version)) }
        self = try reader.read()
        try reader.bytes.expectEnd()
    }
}

extension ConfigurationAction: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .readComposition(page: try reader.read())
        case 1: self = .addNetKey(try reader.read())
        case 2: self = .deleteNetKey(try reader.read())
        case 3: self = .addAppKey(try reader.read(), boundTo: try reader.read())
        case 4: self = .deleteAppKey(try reader.read(), boundTo: try reader.read())
        case 5: self = .bind(try reader.read(), try reader.read())
        case 6: self = .unbind(try reader.read(), try reader.read())
        case 7: self = .addSubscription(try reader.read(), try reader.read())
        case 8: self = .deleteSubscription(try reader.read(), try reader.read())
        case 9: self = .overwriteSubscriptions(try reader.read(), try reader.read())
        case 10: self = .deleteAllSubscriptions(try reader.read())
        case 11: self = .setPublication(try reader.read(), try reader.read())
        case 12: self = .setDefaultTTL(try reader.readDefaultTTL())
        case 13: self = .setSecureNetworkBeacon(try reader.read())
        case 14: self = .setRelay(try reader.read(), try reader.read())
        case 15: self = .setProxy(try reader.read())
        case 16: self = .setFriend(try reader.read())
        case 17: self = .setNetworkTransmit(try reader.read())
        case 18: self = .resetNode
        case 19: self = .set(try reader.read())
        case 20: self = .addBridging(try reader.read())
        case 21: self = .removeBridging(try reader.read())
        case 22: self = .removeAllBridging(try NetKeyIndexPair(reading: &reader.bytes))
        case 23: self = .setModelState(try reader.read())
        case 24: self = .holdState(try reader.read())
        case 25: self = .setBriefly(try reader.read())
        case 26: self = .restoreState(try reader.read())
        case 32: self = .read(try reader.read())
        case 40: self = .updateNetKey(try reader.read())
        case 41: self = .updateAppKey(try reader.read(), boundTo: try reader.read())
        case 42: self = .setKeyRefreshPhase(try reader.read(), try reader.read())
        case let other: throw .prohibited(field: "configuration action", value: UInt64(other))
        }
    }

    func write(to writer: inout PlanWriter) {
        switch self {
        case .readComposition(let page): writer.write(code: 0, page)
        case .addNetKey(let index): writer.write(code: 1, index)
        case .deleteNetKey(let index): writer.write(code: 2, index)
        case .addAppKey(let index, boundTo: let netKey): writer.write(code: 3, index, netKey)
        case .deleteAppKey(let index, boundTo: let netKey): writer.write(code: 4, index, netKey)
        case .bind(let model, let index): writer.write(code: 5, model, index)
        case .unbind(let model, let index): writer.write(code: 6, model, index)
        case .addSubscription(let model, let address): writer.write(code: 7, model, address)
        case .deleteSubscription(let model, let address): writer.write(code: 8, model, address)
        case .overwriteSubscriptions(let model, let address): writer.write(code: 9, model, address)
        case .deleteAllSubscriptions(let model): writer.write(code: 10, model)
        case .setPublication(let model, let publication): writer.write(code: 11, model, publication)
        case .setDefaultTTL(let ttl): writer.write(code: 12, ttl)
        case .setSecureNetworkBeacon(let isOn): writer.write(code: 13, isOn)
        case .setRelay(let isOn, let retransmit): writer.write(code: 14, isOn, retransmit)
        case .setProxy(let isOn): writer.write(code: 15, isOn)
        case .setFriend(let isOn): writer.write(code: 16, isOn)
        case .setNetworkTransmit(let parameters): writer.write(code: 17, parameters)
        case .resetNode: writer.write(code: 18)
        case .set(let state): writer.write(code: 19, state)
        case .addBridging(let entry): writer.write(code: 20, entry)
        case .removeBridging(let entry): writer.write(code: 21, entry)
        case .removeAllBridging(let subnets):
            writer.write(code: 22)
            subnets.write(to: &writer.bytes)
        case .setModelState(let set): writer.write(code: 23, set)
        case .holdState(let request): writer.write(code: 24, request)
        case .setBriefly(let set): writer.write(code: 25, set)
        case .restoreState(let request): writer.write(code: 26, request)
        case .read(let reading): writer.write(code: 32, reading)
        case .updateNetKey(let index): writer.write(code: 40, index)
        case .updateAppKey(let index, boundTo: let netKey): writer.write(code: 41, index, netKey)
        case .setKeyRefreshPhase(let index, let transition): writer.write(code: 42, index, transition)
        }
    }
}

extension Publication: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        self.init(
            address: try reader.read(),
            appKeyIndex: try reader.read(),
            usesFriendshipCredentials: try reader.read(),
            ttl: try reader.readPublicationTTL(),
            period: try reader.read(),
            retransmit: try reader.read()
        )
    }

    func write(to writer: inout PlanWriter) {
        writer.write(address, appKeyIndex, usesFriendshipCredentials, ttl, period, retransmit)
    }
}

extension PlanReader {
    mutating func readDefaultTTL() throws(DecodeError) -> UInt8 {
        let ttl = try read(UInt8.self)
        guard ttl != 1, ttl <= 127 else { throw .prohibited(field: "TTL", value: UInt64(ttl)) }
        return ttl
    }

    mutating func readPublicationTTL() throws(DecodeError) -> UInt8 {
        let ttl = try read(UInt8.self)
        guard ttl <= 127 || ttl == Publication.defaultTTL else { throw .prohibited(field: "TTL", value: UInt64(ttl)) }
        return ttl
    }
}

/// A reading in plan files and journals.
extension NodeReading: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .composition
        case 1: self = .netKeys
        case 2: self = .appKeys(try reader.read())
        case 3: self = .bindings(try reader.read())
        case 4: self = .subscriptions(try reader.read())
        case 5: self = .publication(try reader.read())
        case 6: self = .defaultTTL
        case 7: self = .secureNetworkBeacon
        case 8: self = .networkTransmit
        case 9: self = .friend
        case 10: self = .relay
        case 11: self = .proxy
        case 12: self = .state(try reader.read())
        case 13: self = .bridgedSubnets(from: try reader.read())
        case 14: self = .bridgingTable(try reader.read(), from: try reader.read())
        case 15: self = .page(.composition(page: try reader.read()))
        case 16: self = .page(.largeComposition(page: try reader.read(), offset: try reader.read()))
        case 17: self = .page(.modelsMetadata(page: try reader.read(), offset: try reader.read()))
        case 18: self = .modelState(try reader.read(), try reader.read(), try reader.read())
        case let other: throw .prohibited(field: "reading", value: UInt64(other))
        }
    }

    func write(to writer: inout PlanWriter) {
        switch self {
        case .composition: writer.write(code: 0)
        case .netKeys: writer.write(code: 1)
        case .appKeys(let index): writer.write(code: 2, index)
        case .bindings(let model): writer.write(code: 3, model)
        case .subscriptions(let model): writer.write(code: 4, model)
        case .publication(let model): writer.write(code: 5, model)
        case .defaultTTL: writer.write(code: 6)
        case .secureNetworkBeacon: writer.write(code: 7)
        case .networkTransmit: writer.write(code: 8)
        case .friend: writer.write(code: 9)
        case .relay: writer.write(code: 10)
        case .proxy: writer.write(code: 11)
        case .state(let kind): writer.write(code: 12, kind)
        case .bridgedSubnets(let position): writer.write(code: 13, position)
        case .bridgingTable(let pair, let position): writer.write(code: 14, pair, position)
        case .page(.composition(let page)): writer.write(code: 15, page)
        case .page(.largeComposition(let page, let offset)): writer.write(code: 16, page, offset)
        case .page(.modelsMetadata(let page, let offset)): writer.write(code: 17, page, offset)
        case .modelState(let model, let form, let key): writer.write(code: 18, model, form, key)
        }
    }
}

extension ModelStateSet: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        let model = try reader.read(ModelAddress.self)
        self.init(try reader.read(), of: model, key: try reader.read(), readingKey: try reader.read())
    }

    func write(to writer: inout PlanWriter) { writer.write(model, state, key, readingKey) }
}

extension HeldStateRequest: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        self.init(
            HeldState(model: try reader.read(), form: try reader.read(), status: try reader.read()),
            key: try reader.read(),
            readingKey: try reader.read(),
            transaction: try reader.read()
        )
    }

    func write(to writer: inout PlanWriter) {
        writer.write(state.model, state.form, state.status, key, readingKey, transaction)
    }
}

/// What the state expects, after an empty list; or its contents, which have none themselves.
extension ModelState: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) { try self.init(from: &reader, isContent: false) }

    private init(from reader: inout PlanReader, isContent: Bool) throws(DecodeError) {
        let form = try reader.read(ModelStateForm.self)
        let payload = try reader.read([UInt8].self)
        let isRemoval = try reader.read(Bool.self)
        let count = try reader.read(Int.self)
        guard count > 0 else {
            self.init(form: form, setPayload: payload, expected: try reader.read(), isRemoval: isRemoval)
            return
        }
        guard !isContent, count <= 255, !isRemoval else {
            throw .prohibited(field: "contents of a state", value: UInt64(count))
        }
        var contents: [ElementState] = []
        for _ in 0..<count {
            let element = try reader.read(UInt8.self)
            contents.append(ElementState(element: element, state: try ModelState(from: &reader, isContent: true)))
        }
        self.init(form: form, setPayload: payload, storing: contents)
    }

    func write(to writer: inout PlanWriter) {
        writer.write(form, setPayload, isRemoval, contents.count)
        for part in contents { writer.write(part.element, part.state) }
        if contents.isEmpty { writer.write(expected) }
    }
}

extension ModelStateForm: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        let name = try reader.read(String.self)
        let (server, setServer) = (try reader.read(ModelIdentifier.self), try reader.read(ModelIdentifier.self))
        let getPayload = try reader.read([UInt8].self)
        var opcode = ByteReader(try reader.read([UInt8].self))
        let statusOpcode = try Opcode(decoding: &opcode)
        try opcode.expectEnd()
        let instance = try reader.read(MaskedOctets.self)
        let number = try reader.read(UInt16.self)
        self.init(
            name: name,
            server: server,
            setServer: setServer,
            getPayload: getPayload,
            statusOpcode: statusOpcode,
            instance: instance,
            register: number == 0 ? nil : number
        )
    }

    func write(to writer: inout PlanWriter) {
        writer.write(name, server, setServer, getPayload, statusOpcode.encoded, instance, register ?? 0)
    }
}

extension MaskedOctets: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        let (octets, mask) = (try reader.read([UInt8].self), try reader.read([UInt8].self))
        self.init(octets, mask: mask)
        guard self.octets == octets, self.mask == mask else {
            throw .prohibited(field: "mask of a state", value: UInt64(mask.count))
        }
    }

    func write(to writer: inout PlanWriter) { writer.write(octets, mask) }
}
