import DefinitionModel
import MeshCore

extension PlanWriter {
    mutating func write(_ order: ProvisioningOrder) {
        bytes.write(order.uuid.rawValue.bytes)
        write(order.name)
        write(order.address) { $0.bytes.write($1.rawValue) }
        bytes.write(order.netKeyIndex.rawValue)
        write(order.isProtected)
        bytes.write(order.removalPolicy.code)
        write(order.method) { $0.bytes.write($1.rawValue) }
        bytes.write(order.assurance.code)
        write(order.staticValue) { $0.write($1) }
        write(order.publicKeyFile) { $0.write($1) }
        write(order.algorithm) { $0.bytes.write($1.rawValue) }
        bytes.write(order.attention)
        write(order.isReplacement)
        write(order.product) { writer, product in
            writer.bytes.write(product.company)
            writer.bytes.write(product.product)
        }
        write(order.productKnowsHMAC)
        switch order.route {
        // An order with a route is a separate kind of work, so plans without routes keep their older encoding.
        case .any: break
        case .direct: bytes.write(UInt8(1))
        case .remote: bytes.write(UInt8(2))
        case .node(let server):
            bytes.write(UInt8(order.serverName == nil ? 3 : 4))
            bytes.write(server.rawValue.bytes)
            if let name = order.serverName { write(name) }
        }
    }

    mutating func write(_ configuration: DeferredConfiguration) {
        bytes.write(configuration.node.rawValue.bytes)
        write(configuration.name)
        write(configuration.target) { $0.bytes.write($1.rawValue.bytes) }
        write(configuration.subnets) { $0.write($1) { $0.bytes.write($1.rawValue) } }
        write(configuration.applicationKeys) { $0.write($1) { $0.bytes.write($1.rawValue) } }
        bytes.write(configuration.subnetLosses.rawValue)
        write(configuration.allowed) { $0.write($1.rawValue) }
        write(configuration.defaultTTL) { $0.bytes.write($1) }
        write(configuration.relay) { $0.write($1) }
        write(configuration.relayRetransmit) { $0.bytes.write($1.octet) }
        write(configuration.proxy) { $0.write($1) }
        write(configuration.friend) { $0.write($1) }
        bytes.write(configuration.optionalFeatures.rawValue)
        write(configuration.states) { writer, state in
            writer.write(state.state)
            writer.write(state.isOptional)
        }
        write(configuration.bridges) { $0.write($1) { $0.write($1) } }
        write(configuration.areBridgesOptional)
        write(configuration.models) { $0.write($1) }
        write(configuration.rules) { $0.write($1) }
    }

    private mutating func write(_ model: DeferredModel) {
        write(model.address)
        write(model.bindings) { $0.write($1) { $0.bytes.write($1.rawValue) } }
        write(model.subscriptions) { $0.write($1) { $0.write($1) } }
        // 3 more than without states, which follow then.
        let offset: UInt8 = model.states.isEmpty ? 0 : 3
        switch model.publication {
        case .unmanaged: bytes.write(offset)
        case .off: bytes.write(offset + 1)
        case .on(let publication):
            bytes.write(offset + 2)
            write(publication)
        }
        if !model.states.isEmpty { write(model.states) { $0.write($1) } }
    }

    private mutating func write(_ rule: ModelRule) {
        write(rule.model)
        write(rule.element) { $0.bytes.write($1) }
        write(rule.isRequired)
        switch rule.effect {
        case .subscribe(let groups):
            bytes.write(UInt8(0))
            write(groups) { $0.write($1) }
        case .publish(let publication):
            bytes.write(UInt8(1))
            write(publication)
        case .state(let state):
            bytes.write(UInt8(2))
            write(state)
        }
    }

    private mutating func write(_ publication: DesiredPublication) {
        write(publication.target)
        write(publication.key) { $0.bytes.write($1.rawValue) }
        bytes.write(publication.ttl)
        bytes.write(publication.period.octet)
        bytes.write(publication.retransmit.octet)
        write(publication.usesFriendshipCredentials)
    }

    mutating func write(_ target: DesiredPublication.Target) {
        switch target {
        case .address(let address):
            bytes.write(UInt8(0))
            write(address)
        case .element(of: let node, let index):
            bytes.write(UInt8(1))
            bytes.write(node.rawValue.bytes)
            bytes.write(index)
        }
    }

    private mutating func write(_ source: SecretSource) {
        switch source {
        case .file(let path):
            bytes.write(UInt8(0))
            write(path)
        case .environment(let name):
            bytes.write(UInt8(1))
            write(name)
        }
    }
}

extension RemovalPolicy {
    /// The octet in plan files.
    var code: UInt8 {
        switch self {
        case .forget: 0
        case .reset: 1
        }
    }
}
