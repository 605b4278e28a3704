import DefinitionModel
import MeshCore

/// Explains the values of one node.
struct NodeExplainer {
    let explainer: Explainer
    let definition: NodeDefinition
    let desired: DesiredNode
    /// What is said about it in general, the highest rank first.
    let layers: [SettingsLayer]
    /// The node in the database, or after its provisioning.
    let node: Node
    let isRecorded: Bool
    /// The settings that the node supports; those missing here it does not support.
    let possible: DesiredSettings

    /// What makes the node need an AppKey or a NetKey.
    private(set) var appKeyNeeds: [AppKeyIndex: [ValueSource]] = [:]
    private(set) var netKeyNeeds: [NetKeyIndex: [ValueSource]] = [:]

    init(_ explainer: Explainer, _ definition: NodeDefinition, _ desired: DesiredNode, layers: [SettingsLayer]) {
        self.explainer = explainer
        self.definition = definition
        self.desired = desired
        self.layers = layers
        node = desired.baseline(in: explainer.network)
        if case .recorded = desired.origin { isRecorded = true } else { isRecorded = false }
        var able = desired
        if node.isCompositionKnown {
            var differ = NodeDiffer(
                network: explainer.network,
                names: explainer.names,
                diagnostics: CountedDiagnostics()
            )
            differ.preflight(&able, node: node)
        }
        possible = able.settings
    }

    var names: ResourceNames { explainer.names }

    /// The whole explanation.
    ///
    /// - Parameters:
    ///   - subscriptions: the indexes of the top-level subscriptions that select the node.
    ///   - publications: the indexes of the top-level publications that select the node.
    func explanation(subscriptions: [Int], publications: [Int]) -> NodeExplanation {
        var explainer = self
        let models = explainer.models(subscriptions: subscriptions, publications: publications)
        let states = explainer.states()
        let appKeys = explainer.applicationKeys()
        let netKeys = explainer.subnets()
        let address: UnicastAddress? = desired.order.map(\.address) ?? node.unicastAddress
        return NodeExplanation(
            uuid: definition.awaitsDevice ? nil : definition.uuid.value,
            name: definition.name.value,
            address: address,
            location: definition.name.location,
            isRecorded: isRecorded,
            values: identity(address) + provisioning() + netKeys + appKeys + states + models,
            undeclared: isRecorded ? explainer.undeclared() : []
        )
    }

    mutating func need(_ key: AppKeyIndex, by path: String, _ sources: [ValueSource]) {
        for source in sources where source.need == nil {
            appKeyNeeds[key, default: []].append(source.needed(by: path))
        }
    }

    mutating func need(_ subnet: NetKeyIndex, by path: String, _ sources: [ValueSource]) {
        for source in sources { netKeyNeeds[subnet, default: []].append(source.needed(by: path)) }
    }

    /// What the node is, and how it will leave.
    private func identity(_ address: UnicastAddress?) -> [ExplainedValue] {
        func value(_ name: String, _ text: String, at location: SourceLocation?) -> ExplainedValue {
            let source = ValueSource(way: location == nil ? .builtIn : .node, location: location)
            return ExplainedValue(name: name, value: text, sources: [source])
        }
        let identity = definition.awaitsDevice ? "awaits a device" : definition.uuid.value.description
        var values = [value("uuid", identity, at: definition.uuid.location)]
        if let product = definition.product {
            values.append(value("product", product.value.description, at: product.location))
        }
        if let profile = definition.profile { values.append(value("profile", profile.value, at: profile.location)) }
        if let fixed = definition.address {
            values.append(value("address", fixed.value.description, at: fixed.location))
        } else if isRecorded, let address {
            let source = ValueSource(way: .database)
            values.append(ExplainedValue(name: "address", value: address.description, sources: [source]))
        }
        var protect = value("protect", ValueText.state(desired.isProtected), at: definition.isProtected?.location)
        if definition.isProtected == nil, desired.isProtected { protect.sources = [ValueSource(way: .database)] }
        values.append(protect)
        let policy = definition.removalPolicy
        values.append(value("on_remove", (policy?.value ?? .forget).rawValue, at: policy?.location))
        return values
    }

    /// How the node's record of a resource compares with the desired value.
    func record(of resource: NodeResource) -> ExplainedValue.Record {
        guard isRecorded,
            let declared = desired.declaration(of: resource, observed: node, names, explainer.boundNetKeys)
        else { return .unknown }
        if declared.agrees { return .agrees }
        let text = resource.text(of: node, names)
        switch resource {
        case .netKey, .appKey: return .differs(text)
        case .binding, .subscription, .publication, .bridging:
            return node.isCompositionKnown ? .differs(text) : .unknown
        default: return text.map { .differs($0) } ?? .unknown
        }
    }

    /// A setting with one value; empty if nothing is said about it.
    private func value<Value>(
        _ resource: NodeResource,
        _ setting: (DesiredSettings) -> Declared<Value>?,
        uses: (Value) -> [NetworkResource] = { _ in [] },
        text: (Value) -> String
    ) -> ExplainedValue? {
        let said = layers.compactMap { layer in setting(layer.template.settings).map { (layer.way, $0) } }
        guard let (way, declared) = said.first else { return nil }
        var value = ExplainedValue(
            name: resource.path(names),
            value: text(declared.value),
            sources: [ValueSource(way: way, location: declared.location)],
            overridden: said.dropFirst().map { way, declared in
                OverriddenValue(
                    value: text(declared.value),
                    source: ValueSource(way: way, location: declared.location)
                )
            },
            record: record(of: resource),
            uses: uses(declared.value)
        )
        value.isLeftOut = setting(possible) == nil
        return value
    }

    /// The states of the node, without those of its models.
    private mutating func states() -> [ExplainedValue] {
        var values = [
            value(.defaultTTL, { $0.defaultTTL }) { "\($0)" },
            value(.secureNetworkBeacon, { $0.secureNetworkBeacon }, text: ValueText.state),
            value(.networkTransmit, { $0.networkTransmit }, text: ValueText.transmit),
            value(.relay, { $0.relay }, text: ValueText.state),
            value(.relayRetransmit, { $0.relayRetransmit }, text: ValueText.transmit),
            value(.proxy, { $0.proxy }, text: ValueText.state),
            value(.friend, { $0.friend }, text: ValueText.state),
        ].compactMap { $0 }
        for kind in Set(layers.flatMap { $0.template.settings.states.map(\.value.kind) }).sorted() {
            let state = value(
                .state(kind),
                { settings in settings.states.first { $0.value.kind == kind } },
                uses: { state in
                    ([kind.subnet, state.neededSubnet].compactMap { $0 }).map { .netKey($0) }
                        + state.targets.compactMap(\.group)
                },
                text: { ValueText.state($0, on: node, names: names) }
            )
            guard let state else { continue }
            let wanted = possible.states.first { $0.value.kind == kind }?.value
            if let subnet = wanted?.neededSubnet { need(subnet, by: state.path, state.sources) }
            values.append(state)
        }
        return values + bridges()
    }

    private mutating func bridges() -> [ExplainedValue] {
        let said = layers.compactMap { layer in layer.template.settings.bridgingTable.map { (layer.way, $0) } }
        let values = list(
            said,
            whenEmpty: "bridging_table",
            name: { "bridging_table." + ValueText.bridgeName($0, names: names) },
            text: { ValueText.direction($0.directions) },
            record: { bridge in bridge.entry.map { record(of: .bridging($0)) } ?? .unknown },
            uses: { bridge in
                [.netKey(bridge.subnets.first), .netKey(bridge.subnets.second)]
                    + [bridge.first, bridge.second].compactMap(\.group)
            }
        )
        for bridge in possible.bridgingTable?.value ?? [] {
            let path = "bridging_table." + ValueText.bridgeName(bridge, names: names)
            let sources = values.first { $0.name == path }?.sources ?? []
            for subnet in [bridge.subnets.first, bridge.subnets.second] { need(subnet, by: path, sources) }
        }
        return values.map { value in
            var value = value
            value.isLeftOut = possible.bridgingTable == nil
            return value
        }
    }

    /// The entries of a list in which the highest rank is complete: its entries, and overridden entries of lower ranks.
    func list<Entry: Hashable>(
        _ said: [(way: ValueSource.Way, declared: Declared<[Entry]>)],
        whenEmpty: String,
        name: (Entry) -> String,
        text: (Entry) -> String,
        record: (Entry) -> ExplainedValue.Record,
        uses: (Entry) -> [NetworkResource]
    ) -> [ExplainedValue] {
        guard let (way, winner) = said.first else { return [] }
        let source = ValueSource(way: way, location: winner.location)
        var values = winner.value.map { entry in
            ExplainedValue(
                name: name(entry),
                value: text(entry),
                sources: [source],
                record: record(entry),
                uses: uses(entry)
            )
        }
        var seen = Set(winner.value)
        for (_, other) in said.dropFirst() {
            for entry in other.value where seen.insert(entry).inserted {
                let askers = said.dropFirst().filter { $0.declared.value.contains(entry) }
                values.append(
                    ExplainedValue(
                        name: name(entry),
                        value: nil,
                        sources: [source],
                        overridden: askers.map {
                            OverriddenValue(
                                value: text(entry),
                                source: ValueSource(way: $0.way, location: $0.declared.location)
                            )
                        },
                        record: record(entry)
                    )
                )
            }
        }
        if values.isEmpty { values = [ExplainedValue(name: whenEmpty, value: nil, sources: [source])] }
        return values
    }
}

extension ValueSource {
    func needed(by path: String) -> ValueSource {
        var source = self
        source.need = path
        return source
    }
}

extension DesiredPublication.Target {
    /// The group with this address, if it is a group.
    var group: NetworkResource? {
        switch self {
        case .address(.group(let group)): .group(.group(group))
        case .address(.virtual(let label)): .group(.virtual(label))
        case .address(.unknownLabel(let virtual)): .group(.unknownLabel(virtual))
        case .address(.unicast), .element: nil
        }
    }
}

extension NodeExplainer {
    /// The AppKeys of the node: those in its lists and those that its models need. If there is a list, it is complete,
    /// and other keys are removed.
    mutating func applicationKeys() -> [ExplainedValue] {
        let said = layers.compactMap { layer in layer.template.settings.applicationKeys.map { (layer.way, $0) } }
        let values = keys(
            said,
            needs: appKeyNeeds,
            recorded: node.appKeys.map(\.index),
            prefix: "application_key",
            name: names.appKey,
            record: { record(of: .appKey($0)) },
            use: { .appKey($0) }
        )
        for value in values where value.value != nil {
            for case .appKey(let key) in value.uses {
                guard let subnet = explainer.boundNetKeys[key] else { continue }
                need(subnet, by: value.path, value.sources)
            }
        }
        return values
    }

    /// The NetKeys of the node: those in its lists, and those of its AppKeys and states.
    func subnets() -> [ExplainedValue] {
        let said = layers.compactMap { layer in layer.template.settings.subnets.map { (layer.way, $0) } }
        var needs = netKeyNeeds
        if let order = desired.order, needs[order.netKeyIndex] == nil,
            said.first?.1.value.contains(order.netKeyIndex) != true
        {
            // A device that needs no subnet is provisioned into the lowest one.
            needs[order.netKeyIndex] = [ValueSource(way: .builtIn)]
        }
        return keys(
            said,
            needs: needs,
            recorded: node.netKeys.map(\.index),
            prefix: "subnet",
            name: names.netKey,
            record: { record(of: .netKey($0)) },
            use: { .netKey($0) }
        )
    }

    private func keys<Index: KeyIndex>(
        _ said: [(way: ValueSource.Way, declared: Declared<[Index]>)],
        needs: [Index: [ValueSource]],
        recorded: [Index],
        prefix: String,
        name: (Index) -> String,
        record: (Index) -> ExplainedValue.Record,
        use: (Index) -> NetworkResource
    ) -> [ExplainedValue] {
        var values: [ExplainedValue] = []
        let listed = said.first?.declared
        let listSource = said.first.map { ValueSource(way: $0.way, location: $0.declared.location) }
        let wanted = (needs.keys + (listed?.value ?? [])).sortedUnique()
        for index in wanted {
            var sources: [ValueSource] = []
            if listed?.value.contains(index) == true, let listSource { sources.append(listSource) }
            sources += needs[index] ?? []
            values.append(
                ExplainedValue(
                    name: "\(prefix).\(name(index))",
                    value: "index \(index)",
                    sources: sources,
                    record: record(index),
                    uses: [use(index)]
                )
            )
        }
        guard let listSource else { return values }
        let others = said.dropFirst().flatMap(\.declared.value)
        for index in ((isRecorded ? recorded : []) + others).sortedUnique() where !wanted.contains(index) {
            // AppKeys that are left alone keep their subnet.
            let record = record(index)
            if case .agrees = record, recorded.contains(index) { continue }
            let askers = said.dropFirst().filter { $0.declared.value.contains(index) }
            values.append(
                ExplainedValue(
                    name: "\(prefix).\(name(index))",
                    value: nil,
                    sources: [listSource],
                    overridden: askers.map {
                        OverriddenValue(
                            value: "index \(index)",
                            source: ValueSource(way: $0.way, location: $0.declared.location)
                        )
                    },
                    record: record
                )
            )
        }
        return values
    }
}

extension NodeExplainer {
    /// How the device becomes a node, as far as the definition says so; empty for a node.
    func provisioning() -> [ExplainedValue] {
        guard desired.order != nil else { return [] }
        return [
            value("oob", { $0.method }, text: \.word),
            value("static", { $0.staticValue }) { source in
                switch source {
                case .file(let path): "file \(path)"
                case .environment(let name): "environment variable \(name)"
                }
            },
            value("public_key", { $0.publicKeyFile }) { "file \($0)" },
            value("algorithm", { $0.algorithm }, text: \.name),
            value("attention", { $0.attention }) { DurationText.text(milliseconds: Int($0) * 1000) },
        ].compactMap { $0 }
    }

    private func value<Value>(
        _ name: String,
        _ setting: (ProvisioningSettings) -> Located<Value>?,
        text: (Value) -> String
    ) -> ExplainedValue? {
        let said = layers.compactMap { layer in layer.provisioning.flatMap(setting).map { (layer.way, $0) } }
        guard let (way, located) = said.first else { return nil }
        return ExplainedValue(
            name: "provisioning." + name,
            value: text(located.value),
            sources: [ValueSource(way: way, location: located.location)],
            overridden: said.dropFirst().map { way, located in
                OverriddenValue(value: text(located.value), source: ValueSource(way: way, location: located.location))
            }
        )
    }
}

extension AuthenticationMethod.Kind {
    /// The definition's word for it.
    fileprivate var word: String {
        switch self {
        case .noOOB: "none"
        case .staticOOB: "static"
        case .outputOOB: "output"
        case .inputOOB: "input"
        }
    }
}

extension NodeExplainer {
    /// What the database knows about the node's configuration and the definition does not mention, in the order of
    /// plans.
    func undeclared() -> [UndeclaredValue] {
        var values: [UndeclaredValue] = []
        func add(_ resource: NodeResource, of model: ModelAddress? = nil, isDropped: Bool = false) {
            guard !isNeeded(resource),
                desired.declaration(of: resource, observed: node, names, explainer.boundNetKeys) == nil,
                let text = resource.text(of: node, names)
            else { return }
            values.append(
                UndeclaredValue(
                    model: model,
                    modelPath: model?.path(names),
                    path: resource.path(names),
                    value: text,
                    isDropped: isDropped
                )
            )
        }
        let leaving = explainer.state.leaving
        for key in node.netKeys { add(.netKey(key.index), isDropped: leaving.netKeys.contains(key.index)) }
        for key in node.appKeys { add(.appKey(key.index), isDropped: leaving.appKeys.contains(key.index)) }
        let states: [NodeResource] = [
            .defaultTTL, .secureNetworkBeacon, .networkTransmit, .relay, .relayRetransmit, .proxy, .friend,
        ]
        for resource in states { add(resource) }
        for state in node.states { add(.state(state.kind)) }
        for entry in node.bridgingTable ?? [] { add(.bridging(entry)) }
        for (index, element) in node.elements.enumerated() {
            guard let index = UInt8(exactly: index) else { break }
            for model in element.models {
                let address = ModelAddress(element: index, model: model.identifier)
                // A binding that somebody else's publication uses stays.
                let isForeign = desired.model(at: address)?.publication == nil && !model.isPublicationManaged
                let used = isForeign ? model.publication?.appKeyIndex : nil
                for key in model.bindings {
                    add(
                        .binding(address, key),
                        of: address,
                        isDropped: model.managedBindings.contains(key) && key != used
                    )
                }
                for group in model.subscriptions {
                    add(
                        .subscription(address, group),
                        of: address,
                        isDropped: model.managedSubscriptions.contains(group)
                    )
                }
                add(.publication(address), of: address, isDropped: model.isPublicationManaged)
                for state in model.states { add(.modelState(address, state.form.name), of: address) }
            }
        }
        return values
    }
    /// Whether something declared needs the resource, although no list contains it.
    private func isNeeded(_ resource: NodeResource) -> Bool {
        switch resource {
        case .netKey(let index): netKeyNeeds[index] != nil
        case .appKey(let index): appKeyNeeds[index] != nil
        case .binding(let address, _):
            desired.model(at: address)?.bindings == nil && stateAddresses.contains(address)
        default: false
        }
    }

    /// The models through which declared states are set and read, which get a key for that.
    private var stateAddresses: Set<ModelAddress> {
        Set(desired.models.filter { !$0.states.isEmpty }.flatMap(\.stateFamilies).flatMap(\.addresses))
    }
}
