import DefinitionModel
import MeshCore

extension PlanReader {
    /// Reads an order.
    ///
    /// - Parameter isRouted: whether it says how to reach the device.
    /// - Throws: ``DecodeError`` if it is malformed.
    mutating func provisioningOrder(isRouted: Bool) throws(DecodeError) -> ProvisioningOrder {
        let uuid = try uuid()
        let name = try text()
        let address = try optional("fixed address") { (reader) throws(DecodeError) in try reader.unicastAddress() }
        var order = ProvisioningOrder(uuid: uuid, name: name, netKeyIndex: try keyIndex())
        order.address = address
        order.isProtected = try flag("protected")
        order.removalPolicy = try removalPolicy()
        order.method = try optional("method") { (reader) throws(DecodeError) in
            try reader.value("method") { AuthenticationMethod.Kind(rawValue: $0) }
        }
        order.assurance = try value("authentication") { code in
            ProvisioningAssurance.allCases.first { $0.code == code }
        }
        order.staticValue = try optional("static value") { (reader) throws(DecodeError) in try reader.secretSource() }
        order.publicKeyFile = try optional("public key") { (reader) throws(DecodeError) in try reader.text() }
        order.algorithm = try optional("algorithm") { (reader) throws(DecodeError) in
            try reader.value("algorithm") { ProvisioningAlgorithm(rawValue: $0) }
        }
        order.attention = try bytes.readUInt8()
        order.isReplacement = try flag("replacement")
        order.product = try optional("product") { (reader) throws(DecodeError) in
            ProductIdentifier(company: try reader.bytes.readUInt16(), product: try reader.bytes.readUInt16())
        }
        order.productKnowsHMAC = try flag("algorithm of the product")
        if isRouted { try readRoute(of: &order) }
        return order
    }

    private mutating func readRoute(of order: inout ProvisioningOrder) throws(DecodeError) {
        switch try bytes.readUInt8() {
        case 1: order.route = .direct
        case 2: order.route = .remote
        case 3: order.route = .node(try uuid())
        case 4:
            order.route = .node(try uuid())
            order.serverName = try text()
        case let other: throw .prohibited(field: "way to the device", value: UInt64(other))
        }
    }

    mutating func deferredConfiguration() throws(DecodeError) -> DeferredConfiguration {
        var configuration = DeferredConfiguration(node: try uuid(), name: try text())
        configuration.target = try optional("target") { (reader) throws(DecodeError) in try reader.uuid() }
        configuration.subnets = try optional("subnets") { (reader) throws(DecodeError) in
            try reader.ascending("subnets") { (reader) throws(DecodeError) in try reader.keyIndex() }
        }
        configuration.applicationKeys = try optional("application keys") { (reader) throws(DecodeError) in
            try reader.applicationKeys()
        }
        let losses = try bytes.readUInt8()
        guard let subnetLosses = SubnetLosses(rawValue: losses) else {
            throw .prohibited(field: "losses of subnets", value: UInt64(losses))
        }
        configuration.subnetLosses = subnetLosses
        configuration.allowed = try list { (reader) throws(DecodeError) in try reader.planGuard() }
        for (left, right) in zip(configuration.allowed, configuration.allowed.dropFirst()) where left >= right {
            throw .prohibited(field: "order of guards", value: UInt64(configuration.allowed.count))
        }
        configuration.defaultTTL = try optional("TTL") { (reader) throws(DecodeError) in try reader.defaultTTL() }
        configuration.relay = try optional("relay") { (reader) throws(DecodeError) in try reader.flag("relay") }
        configuration.relayRetransmit = try optional("retransmit") { (reader) throws(DecodeError) in
            TransmitParameters(octet: try reader.bytes.readUInt8())
        }
        configuration.proxy = try optional("proxy") { (reader) throws(DecodeError) in try reader.flag("proxy") }
        configuration.friend = try optional("friend") { (reader) throws(DecodeError) in try reader.flag("friend") }
        configuration.optionalFeatures = FeatureSet(rawValue: try bytes.readUInt16())
        guard configuration.optionalFeatures.isSubset(of: [.relay, .proxy, .friend]) else {
            throw .prohibited(
                field: "optional features",
                value: UInt64(configuration.optionalFeatures.rawValue)
            )
        }
        try readStates(into: &configuration)
        configuration.models = try list { (reader) throws(DecodeError) in try reader.deferredModel() }
        for (left, right) in zip(configuration.models, configuration.models.dropFirst()) {
            guard left.address < right.address else {
                throw .prohibited(field: "order of models", value: UInt64(right.address.element))
            }
        }
        configuration.rules = try list { (reader) throws(DecodeError) in try reader.rule() }
        return configuration
    }

    mutating func removalPolicy() throws(DecodeError) -> RemovalPolicy {
        try value("removal policy") { code in RemovalPolicy.allCases.first { $0.code == code } }
    }

    private mutating func deferredModel() throws(DecodeError) -> DeferredModel {
        var model = DeferredModel(address: try self.model())
        model.bindings = try optional("bindings") { (reader) throws(DecodeError) in try reader.applicationKeys() }
        model.subscriptions = try optional("subscriptions") { (reader) throws(DecodeError) in try reader.groups() }
        let code = try bytes.readUInt8()
        switch code {
        case 0, 3: model.publication = .unmanaged
        case 1, 4: model.publication = .off
        case 2, 5: model.publication = .on(try desiredPublication())
        default: throw .prohibited(field: "publication", value: UInt64(code))
        }
        if code >= 3 {
            model.states = try list { (reader) throws(DecodeError) in try reader.desiredModelState() }
            let forms = model.states.map(\.state.form)
            guard !forms.isEmpty, zip(forms, forms.dropFirst()).allSatisfy({ $0 < $1 }) else {
                throw .prohibited(field: "order of states", value: UInt64(forms.count))
            }
        }
        return model
    }

    private mutating func rule() throws(DecodeError) -> ModelRule {
        let model = try modelIdentifier()
        let element = try optional("element") { (reader) throws(DecodeError) in try reader.bytes.readUInt8() }
        let isRequired = try flag("required")
        switch try bytes.readUInt8() {
        case 0:
            return ModelRule(
                model: model,
                element: element,
                isRequired: isRequired,
                effect: .subscribe(try groups())
            )
        case 1:
            return ModelRule(
                model: model,
                element: element,
                isRequired: isRequired,
                effect: .publish(try desiredPublication())
            )
        case 2:
            return ModelRule(
                model: model,
                element: element,
                isRequired: isRequired,
                effect: .state(try desiredModelState())
            )
        case let other: throw .prohibited(field: "rule", value: UInt64(other))
        }
    }

    mutating func target() throws(DecodeError) -> DesiredPublication.Target {
        switch try bytes.readUInt8() {
        case 0: return .address(try publishAddress())
        case 1: return .element(of: try uuid(), index: try bytes.readUInt8())
        case let other: throw .prohibited(field: "target", value: UInt64(other))
        }
    }

    private mutating func desiredPublication() throws(DecodeError) -> DesiredPublication {
        let target = try target()
        let key: AppKeyIndex? = try optional("key") { (reader) throws(DecodeError) in try reader.keyIndex() }
        return DesiredPublication(
            target: target,
            key: key,
            ttl: try publicationTTL(),
            period: PublishPeriod(octet: try bytes.readUInt8()),
            retransmit: PublishRetransmit(octet: try bytes.readUInt8()),
            usesFriendshipCredentials: try flag("credentials")
        )
    }

    mutating func applicationKeys() throws(DecodeError) -> [AppKeyIndex] {
        try ascending("application keys") { (reader) throws(DecodeError) in try reader.keyIndex() }
    }

    mutating func groups() throws(DecodeError) -> [SubscriptionAddress] {
        try ascending("groups") { (reader) throws(DecodeError) in try reader.subscriptionAddress() }
    }

    private mutating func ascending<Element: Comparable>(
        _ field: String,
        _ element: (inout PlanReader) throws(DecodeError) -> Element
    ) throws(DecodeError) -> [Element] {
        let list = try list(element)
        for (index, pair) in zip(list, list.dropFirst()).enumerated() where pair.0 >= pair.1 {
            throw .prohibited(field: "order of \(field)", value: UInt64(index))
        }
        return list
    }

    private mutating func value<Value>(_ field: String, _ make: (UInt8) -> Value?) throws(DecodeError) -> Value {
        let code = try bytes.readUInt8()
        guard let value = make(code) else { throw .prohibited(field: field, value: UInt64(code)) }
        return value
    }

    private mutating func secretSource() throws(DecodeError) -> SecretSource {
        switch try bytes.readUInt8() {
        case 0: return .file(try text())
        case 1: return .environment(try text())
        case let other: throw .prohibited(field: "source of a secret", value: UInt64(other))
        }
    }
}
