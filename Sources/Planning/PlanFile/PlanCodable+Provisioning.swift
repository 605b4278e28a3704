import DefinitionModel
import MeshCore

/// Without the route, which follows it only in a step that has one.
extension ProvisioningOrder: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        let (uuid, name) = (try reader.read(DeviceUUID.self), try reader.read(String.self))
        let address = try reader.read(UnicastAddress?.self)
        self.init(uuid: uuid, name: name, netKeyIndex: try reader.read())
        self.address = address
        isProtected = try reader.read()
        removalPolicy = try reader.read()
        method = try reader.read()
        assurance = try reader.read()
        staticValue = try reader.read()
        publicKeyFile = try reader.read()
        algorithm = try reader.read()
        attention = try reader.read()
        isReplacement = try reader.read()
        product = try reader.read()
        productKnowsHMAC = try reader.read()
    }

    func write(to writer: inout PlanWriter) {
        writer.write(uuid, name, address, netKeyIndex, isProtected, removalPolicy, method, assurance, staticValue)
        writer.write(publicKeyFile, algorithm, attention, isReplacement, product, productKnowsHMAC)
    }
}

extension PlanReader {
    mutating func readRoute(of order: inout ProvisioningOrder) throws(DecodeError) {
        switch try read(UInt8.self) {
        case 1: order.route = .direct
        case 2: order.route = .remote
        case 3: order.route = .node(try read())
        case 4:
            order.route = .node(try read())
            order.serverName = try read(String.self)
        case let other: throw .prohibited(field: "way to the device", value: UInt64(other))
        }
    }
}

extension PlanWriter {
    mutating func writeRoute(of order: ProvisioningOrder) {
        switch order.route {
        case .any: break
        case .direct: write(code: 1)
        case .remote: write(code: 2)
        case .node(let server):
            write(code: order.serverName == nil ? 3 : 4, server)
            if let name = order.serverName { write(name) }
        }
    }
}

extension ProductIdentifier: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        self.init(company: try reader.read(), product: try reader.read())
    }

    func write(to writer: inout PlanWriter) { writer.write(company, product) }
}

extension SecretSource: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .file(try reader.read())
        case 1: self = .environment(try reader.read())
        case let other: throw .prohibited(field: "source of a secret", value: UInt64(other))
        }
    }

    func write(to writer: inout PlanWriter) {
        switch self {
        case .file(let path): writer.write(code: 0, path)
        case .environment(let name): writer.write(code: 1, name)
        }
    }
}

extension DeferredConfiguration: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        self.init(node: try reader.read(), name: try reader.read())
        target = try reader.read()
        subnets = try reader.read() ? try reader.readAscending("subnets") : nil
        applicationKeys = try reader.read() ? try reader.readAscending("application keys") : nil
        subnetLosses = try reader.read()
        allowed = try reader.readAscending("guards")
        defaultTTL = try reader.read() ? try reader.readDefaultTTL() : nil
        relay = try reader.read()
        relayRetransmit = try reader.read()
        proxy = try reader.read()
        friend = try reader.read()
        optionalFeatures = try reader.read()
        guard optionalFeatures.isSubset(of: [.relay, .proxy, .friend]) else {
            throw .prohibited(field: "optional features", value: UInt64(optionalFeatures.rawValue))
        }
        states = try reader.read()
        try reader.requireAscending(states.map(\.state.kind), "states")
        bridges = try reader.read()
        let code = try reader.read(UInt8.self)
        guard code < 4 else { throw .prohibited(field: "optional bridges", value: UInt64(code)) }
        areBridgesOptional = code & 1 != 0
        models = try reader.read()
        try reader.requireAscending(models.map(\.address), "models")
        rules = try reader.read()
        guard code & 2 != 0 else { return }
        modelNames = try reader.read()
        guard !modelNames.isEmpty else { throw .prohibited(field: "names of models", value: 0) }
        try reader.requireAscending(modelNames.map(\.identifier), "names of models")
    }

    func write(to writer: inout PlanWriter) {
        writer.write(node, name, target, subnets, applicationKeys, subnetLosses, allowed, defaultTTL, relay)
        writer.write(relayRetransmit, proxy, friend, optionalFeatures, states, bridges)
        // 2 more with names of models, which follow at the end then.
        writer.write(code: (areBridgesOptional ? 1 : 0) + (modelNames.isEmpty ? 0 : 2), models, rules)
        if !modelNames.isEmpty { writer.write(modelNames) }
    }
}

extension NamedModel: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        self.init(identifier: try reader.read(), name: try reader.read())
    }

    func write(to writer: inout PlanWriter) { writer.write(identifier, name) }
}

extension DeferredState: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        self.init(state: try reader.read(), isOptional: try reader.read())
    }

    func write(to writer: inout PlanWriter) { writer.write(state, isOptional) }
}

extension DesiredFoundationState: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .value(try reader.read())
        case 1: self = .heartbeatPublication(nil)
        case 2: self = .heartbeatPublication(try reader.read(DesiredHeartbeatPublication.self))
        case 3: self = .heartbeatSubscription(try reader.read())
        case let other: throw .prohibited(field: "state", value: UInt64(other))
        }
    }

    func write(to writer: inout PlanWriter) {
        switch self {
        case .value(let state): writer.write(code: 0, state)
        case .heartbeatPublication(nil): writer.write(code: 1)
        case .heartbeatPublication(let heartbeat?): writer.write(code: 2, heartbeat)
        case .heartbeatSubscription(let heartbeat): writer.write(code: 3, heartbeat)
        }
    }
}

extension DesiredHeartbeatPublication: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        self.init(
            target: try reader.read(),
            count: try reader.read(),
            period: try reader.read(),
            ttl: try reader.read(),
            features: try reader.read(),
            netKeyIndex: try reader.read()
        )
        guard ttl <= 127 else { throw .prohibited(field: "TTL of heartbeats", value: UInt64(ttl)) }
    }

    func write(to writer: inout PlanWriter) { writer.write(target, count, period, ttl, features, netKeyIndex) }
}

extension DesiredHeartbeatSubscription: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        self.init(source: try reader.read(), destination: try reader.read(), period: try reader.read())
    }

    func write(to writer: inout PlanWriter) { writer.write(source, destination, period) }
}

extension DesiredBridge: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        self.init(
            subnets: try reader.read(),
            first: try reader.read(),
            second: try reader.read(),
            directions: try reader.read()
        )
    }

    func write(to writer: inout PlanWriter) { writer.write(subnets, first, second, directions) }
}

extension DeferredModel: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        self.init(address: try reader.read())
        bindings = try reader.read() ? try reader.readAscending("application keys") : nil
        subscriptions = try reader.read() ? try reader.readAscending("groups") : nil
        let code = try reader.read(UInt8.self)
        switch code {
        case 0, 3: publication = .unmanaged
        case 1, 4: publication = .off
        case 2, 5: publication = .on(try reader.read())
        default: throw .prohibited(field: "publication", value: UInt64(code))
        }
        guard code >= 3 else { return }
        states = try reader.read()
        guard !states.isEmpty else { throw .prohibited(field: "order of states", value: 0) }
        try reader.requireAscending(states.map(\.state.form), "states")
    }

    func write(to writer: inout PlanWriter) {
        writer.write(address, bindings, subscriptions)
        // 3 more than without states, which follow then.
        let offset: UInt8 = states.isEmpty ? 0 : 3
        switch publication {
        case .unmanaged: writer.write(code: offset)
        case .off: writer.write(code: offset + 1)
        case .on(let publication): writer.write(code: offset + 2, publication)
        }
        if !states.isEmpty { writer.write(states) }
    }
}

extension ModelRule: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        self.init(
            model: try reader.read(),
            element: try reader.read(),
            isRequired: try reader.read(),
            effect: try reader.read()
        )
    }

    func write(to writer: inout PlanWriter) { writer.write(model, element, isRequired, effect) }
}

extension ModelRule.Effect: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .subscribe(try reader.readAscending("groups"))
        case 1: self = .publish(try reader.read())
        case 2: self = .state(try reader.read())
        case let other: throw .prohibited(field: "rule", value: UInt64(other))
        }
    }

    func write(to writer: inout PlanWriter) {
        switch self {
        case .subscribe(let groups): writer.write(code: 0, groups)
        case .publish(let publication): writer.write(code: 1, publication)
        case .state(let state): writer.write(code: 2, state)
        }
    }
}

extension DesiredPublication: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        self.init(
            target: try reader.read(),
            key: try reader.read(),
            ttl: try reader.readPublicationTTL(),
            period: try reader.read(),
            retransmit: try reader.read(),
            usesFriendshipCredentials: try reader.read()
        )
    }

    func write(to writer: inout PlanWriter) {
        writer.write(target, key, ttl, period, retransmit, usesFriendshipCredentials)
    }
}

extension DesiredPublication.Target: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .address(try reader.read())
        case 1: self = .element(of: try reader.read(), index: try reader.read())
        case let other: throw .prohibited(field: "target", value: UInt64(other))
        }
    }

    func write(to writer: inout PlanWriter) {
        switch self {
        case .address(let address): writer.write(code: 0, address)
        case .element(of: let node, let index): writer.write(code: 1, node, index)
        }
    }
}

extension DesiredModelState: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        self.init(text: try reader.read(), state: try reader.read())
    }

    func write(to writer: inout PlanWriter) { writer.write(text, state) }
}
