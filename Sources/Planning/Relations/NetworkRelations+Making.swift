package import DefinitionModel
package import MeshCore

extension NetworkRelations {
    /// The relations of a network.
    ///
    /// - Parameters:
    ///   - network: the network as the database knows it.
    ///   - definition: a definition that was read without errors; nil if there is none, so that all is as recorded.
    /// - Returns: the relations, and what is wrong with the definition or worth knowing. With errors the relations are
    ///   incomplete.
    package static func make(
        of network: MeshNetwork,
        definition: Definition?
    ) -> (relations: NetworkRelations, diagnostics: [Diagnostic]) {
        guard let definition else {
            let maker = RelationMaker(network: network, desired: DesiredState(), definition: nil)
            return (maker.relations(), [])
        }
        var diagnostics = CountedDiagnostics()
        let desired = Resolver.resolve(definition, against: network, diagnostics: &diagnostics)
        let maker = RelationMaker(network: network, desired: desired, definition: definition)
        return (maker.relations(), diagnostics.finished())
    }
}

/// Finds the relations in a desired state and in records.
private struct RelationMaker {
    let network: MeshNetwork
    let desired: DesiredState
    let names: ResourceNames
    let titles: NetworkTitles
    /// The subnet of each application key, planned ones included.
    let bound: [AppKeyIndex: NetKeyIndex]
    /// The tags of the definition's nodes, by name.
    let tags: [String: [String: String]]

    init(network: MeshNetwork, desired: DesiredState, definition: Definition?) {
        self.network = network
        self.desired = desired
        names = ResourceNames(desired: desired, network: network)
        titles = NetworkTitles(network, definition: definition)
        bound = Dictionary(
            firstOf: desired.applicationKeys.map { ($0.index, $0.boundNetKey) }
                + network.appKeys.map { ($0.index, $0.boundNetKey) }
        )
        tags = Dictionary(firstOf: (definition?.nodes ?? []).map { ($0.name.value, $0.tags.mapValues(\.value)) })
    }

    func relations() -> NetworkRelations {
        let subnets = desired.subnets.map(\.index)
        let keys = desired.applicationKeys.map(\.index)
        let declaredGroups = Set(desired.groups.map(\.group.address))
        let groups = desired.groups.map(\.group) + network.groups.filter { !declaredGroups.contains($0.address) }
        var relations = NetworkRelations(
            nodes: nodes(),
            groups: groups.map { group in
                RelatedGroup(
                    name: group.name,
                    parent: group.parent.map { names.group($0) },
                    title: titles.group(group.name)
                )
            },
            subnets: others(network.netKeys.map(\.index), after: subnets).map { names.netKey($0) },
            applicationKeys: others(network.appKeys.map(\.index), after: keys).map { key in
                let name = names.appKey(key)
                return RelatedKey(
                    name: name,
                    subnet: bound[key].map { names.netKey($0) } ?? "",
                    title: titles.applicationKey(name)
                )
            }
        )
        relations.title = titles.network
        for subnet in relations.subnets { relations.subnetTitles[subnet] = titles.subnet(subnet) }
        return relations
    }

    /// The first list, and what only the second one has.
    private func others<Index: Hashable>(_ recorded: [Index], after declared: [Index]) -> [Index] {
        let known = Set(declared)
        return declared + recorded.filter { !known.contains($0) }
    }

    private func nodes() -> [RelatedNode] {
        var result: [RelatedNode] = []
        var seen = Set(network.provisioners.map(\.uuid))
        for node in desired.nodes {
            let uuid = node.uuid(in: network)
            seen.insert(uuid)
            result.append(related(node, uuid))
        }
        for node in network.nodes where !seen.contains(node.uuid) && !node.isExcluded {
            result.append(related(node))
        }
        return result
    }

    /// A node that the definition does not mention.
    private func related(_ node: Node) -> RelatedNode {
        var related = RelatedNode(uuid: node.uuid, name: node.name, standing: .unmanaged)
        related.isRelay = node.features.relay == .enabled
        related.isProxy = node.features.proxy == .enabled
        related.subnets = node.netKeys.map { names.netKey($0.index) }
        add(recorded(node), to: &related)
        related.title = titles.node(node.uuid)
        related.kind = kind(of: related, node.elements.flatMap { $0.models.map(\.identifier) })
        return related
    }

    private func related(_ node: DesiredNode, _ uuid: DeviceUUID) -> RelatedNode {
        let baseline = node.baseline(in: network)
        var related = RelatedNode(
            uuid: uuid,
            name: node.name.value,
            tags: tags[node.name.value] ?? [:],
            standing: node.order == nil ? .managed : .missing
        )
        related.isRelay = node.settings.relay?.value ?? (baseline.features.relay == .enabled)
        related.isProxy = node.settings.proxy?.value ?? (baseline.features.proxy == .enabled)
        related.subnets = subnets(of: node, baseline).map { names.netKey($0) }
        add(relations(of: node, baseline), to: &related)
        related.title = titles.node(uuid)
        related.kind = kind(of: related, models(of: node, baseline))
        return related
    }

    /// The subnets that a node is in once the definition is applied: those that it lists, those of the keys and states
    /// that it needs, and those that it has and is left.
    private func subnets(of node: DesiredNode, _ baseline: Node) -> [NetKeyIndex] {
        var keys = node.settings.applicationKeys?.value ?? []
        for model in node.models {
            keys += (model.bindings?.value ?? []) + [model.publicationKey, model.stateKey].compactMap(\.self)
        }
        keys += node.rules.compactMap(\.publicationKey)
        var subnets = node.settings.subnetsOfStates + node.subnetsOfWaitingStates
        if let listed = node.settings.subnets?.value {
            subnets += listed
            // Application keys that are left alone keep their subnets.
            if node.settings.applicationKeys == nil { keys += baseline.appKeys.map(\.index) }
        } else {
            subnets += baseline.netKeys.map(\.index)
        }
        return (subnets + keys.compactMap { bound[$0] }).sortedUnique()
    }

    /// The models that a node has, or else those that its product has as a file describes it, or that are declared.
    private func models(of node: DesiredNode, _ baseline: Node) -> [ModelIdentifier] {
        if baseline.isCompositionKnown { return baseline.elements.flatMap { $0.models.map(\.identifier) } }
        if let described = node.described { return described.composition.elements.flatMap(\.models) }
        return node.models.map(\.address.model) + node.rules.map(\.model)
    }

    private func kind(of node: RelatedNode, _ models: [ModelIdentifier]) -> NodeKind {
        NodeKind(models: Set(models.map { names.model($0) }), publishing: Set(node.publications.map(\.model)))
    }

    /// What one model sends and hears.
    private struct ModelRelations {
        var subscriptions: [SubscriptionAddress] = []
        var publication: (target: DesiredPublication.Target, key: AppKeyIndex?)?
    }

    /// A model, and the element as far as it is known: rules for unknown compositions may leave it open.
    private struct Place: Hashable, Comparable {
        var element: UInt8?
        var model: ModelIdentifier

        static func < (left: Place, right: Place) -> Bool {
            let elements = (left.element.map(Int.init) ?? .max, right.element.map(Int.init) ?? .max)
            return elements.0 != elements.1 ? elements.0 < elements.1 : left.model < right.model
        }
    }

    private func recorded(_ node: Node) -> [Place: ModelRelations] {
        var result: [Place: ModelRelations] = [:]
        for (index, element) in node.elements.enumerated() {
            for model in element.models where model.publication != nil || !model.subscriptions.isEmpty {
                var relations = ModelRelations(subscriptions: model.subscriptions)
                relations.publication = model.publication.map { (.address($0.address), $0.appKeyIndex) }
                result[Place(element: UInt8(clamping: index), model: model.identifier)] = relations
            }
        }
        return result
    }

    private func relations(of node: DesiredNode, _ baseline: Node) -> [Place: ModelRelations] {
        var result = recorded(baseline)
        for model in node.models {
            let place = Place(element: model.address.element, model: model.address.model)
            if let subscriptions = model.subscriptions {
                result[place, default: ModelRelations()].subscriptions = subscriptions.value
            }
            if let publication = model.publication {
                result[place, default: ModelRelations()].publication = publication.value.map {
                    ($0.target, model.publicationKey)
                }
            }
        }
        for rule in node.rules {
            // A rule that names no element stands for each element that will turn out to have the model. If the
            // definition names one, that is where it belongs.
            let named = node.models.first { $0.address.model == rule.model }?.address.element
            let index = Place(element: rule.element ?? named, model: rule.model)
            switch rule.effect {
            case .subscribe(let groups):
                let present = result[index]?.subscriptions ?? []
                result[index, default: ModelRelations()].subscriptions = (present + groups).sortedUnique()
            case .publish(let publication):
                result[index, default: ModelRelations()].publication = (publication.target, publication.key)
            // A state relates to nobody.
            case .state: break
            }
        }
        return result
    }

    private func add(_ relations: [Place: ModelRelations], to node: inout RelatedNode) {
        for place in relations.keys.sorted() {
            guard let model = relations[place] else { continue }
            let name = names.model(place.model)
            node.subscriptions += model.subscriptions.map { RelatedSubscription(model: name, group: names.group($0)) }
            if let publication = model.publication {
                node.publications.append(
                    RelatedPublication(
                        model: name,
                        target: target(publication.target),
                        key: publication.key.map { names.appKey($0) }
                    )
                )
            }
        }
    }

    private func target(_ target: DesiredPublication.Target) -> RelatedPublication.Target {
        switch target {
        case .address(.unicast), .element: .node(names.target(target))
        case .address: .group(names.target(target))
        }
    }
}
