import Catalogue
import DefinitionModel
import MeshCore

extension DefinitionDraft {
    /// A model of a node with everything that a definition can say about it.
    mutating func draft(_ model: Model, on element: UInt8, of node: Node) -> ModelDefinition {
        var definition = ModelDefinition(identifier: Self.made(model.identifier))
        let known = ModelCatalogue.model(model.identifier)
        let name = model.identifier.name
        let subject = Self.subject(node)
        let place = element == 0 ? name : "\(name) on element \(element)"

        if !model.bindings.isEmpty, known?.supportsAppKeyBinding == false {
            note(subject, "the application keys of \(place), which never has any")
        } else if model.bindings.allSatisfy({ isUsable($0, on: node) }) {
            definition.keys = Self.made(model.bindings.compactMap { names.appKeys[$0].map(Self.made) })
        } else {
            note(subject, "the application keys of \(place): the node, or the database, lacks one of them")
        }

        if !model.subscriptions.isEmpty, known?.supportsSubscription == false {
            note(subject, "the subscriptions of \(place), which never has any")
        } else {
            let groups = model.subscriptions.map { groupName($0) }
            if let unnamed = zip(groups, model.subscriptions).first(where: { $0.0 == nil })?.1 {
                note(subject, "the subscriptions of \(place): \(unnamed) cannot be declared")
            } else {
                definition.subscribe = Self.made(groups.compactMap { $0.map(Self.made) })
            }
        }

        definition.states = states(of: model, on: element, of: node, place, subject)
        definition.scenes = Self.scenes(of: model, on: element, of: node)
        guard let publication = model.publication else {
            definition.publish = Self.made(nil)
            return definition
        }
        if known?.supportsPublication == false {
            note(subject, "the publication of \(place), which never has one")
        } else if let settings = self.settings(of: publication), isUsable(publication.appKeyIndex, on: node),
            model.bindings.contains(publication.appKeyIndex), definition.keys != nil
        {
            definition.publish = Self.made(settings)
        } else {
            note(
                subject,
                publication.address.isOfUnknownLabel
                    ? "the publication of \(place): the database does not know the label of \(publication.address)"
                    : "the publication of \(place): its application key is not bound to the model"
            )
        }
        return definition
    }

    /// What the model has reported of its lasting states; nil if a definition can say none of it.
    private mutating func states(
        of model: Model,
        on element: UInt8,
        of node: Node,
        _ place: String,
        _ subject: String
    ) -> Located<[Located<ModelStateSetting>]>? {
        guard !model.states.isEmpty else { return nil }
        let declarable = DeclarableStates(of: model.identifier, in: .sig)
        var settings: [Located<ModelStateSetting>] = []
        for state in model.states where state.form.register == nil {
            if isScheduled(state, on: element, of: node) { continue }
            if let setting = declarable.setting(of: state.form, shownBy: state.status) {
                settings.append(Self.made(setting))
            } else {
                note(subject, "`\(state.form.name)` of \(place), whose value cannot be declared")
            }
        }
        return settings.isEmpty ? nil : Self.made(settings)
    }

    /// Whether a schedule says the state: an entry of a scheduler, or the clock that it goes by.
    private mutating func isScheduled(_ state: KnownModelState, on element: UInt8, of node: Node) -> Bool {
        guard let scheduleZone else { return false }
        if state.form.name == "time" { return node.hasSchedules && Self.zone(of: node) == scheduleZone }
        guard let schedule = Self.schedule(of: state, on: element, of: node), schedule.zone == scheduleZone,
            let name = names.nodes[node.uuid]
        else { return false }
        if let index = schedules.firstIndex(where: { $0.schedule == schedule }) {
            // Two equal entries are one.
            guard schedules[index].nodes.last != name else { return false }
            schedules[index].nodes.append(name)
        } else {
            schedules.append((schedule, [name]))
        }
        return true
    }

    /// The name that stands for an address in a list of subscriptions; nil if there is none.
    private func groupName(_ address: SubscriptionAddress) -> String? {
        if let name = names.groups[address] { return name }
        if case .group(let group) = address, group.canBeSubscribedTo { return group.fixedName }
        return nil
    }

    /// A publication as a definition writes it; nil if a name for it is missing.
    private func settings(of publication: Publication) -> PublishSettings? {
        guard let key = names.appKeys[publication.appKeyIndex], let target = target(publication.address) else {
            return nil
        }
        return PublishSettings(publication, to: target, key: key, at: Self.place)
    }

    private func target(_ address: PublishAddress) -> PublishTarget? {
        switch address {
        case .unicast(let unicast): target(unicast)
        case .group(let group): target(group)
        case .virtual(let label): names.groups[.virtual(label)].map { .name($0) }
        case .unknownLabel: nil
        }
    }

    /// The target for a 16-bit address; nil for a virtual address that belongs to no group.
    func target(_ address: Address) -> PublishTarget? {
        if let unicast = UnicastAddress(rawValue: address.rawValue) { return target(unicast) }
        if let group = GroupAddress(rawValue: address.rawValue) { return target(group) }
        return nil
    }

    private func target(_ group: GroupAddress) -> PublishTarget {
        let name = names.groups[.group(group)] ?? group.fixedName
        return name.map { .name($0) } ?? .address(group.address)
    }

    /// The target for an element, with the name of its node if the definition contains the node.
    private func target(_ unicast: UnicastAddress) -> PublishTarget {
        let place = network.nodes.firstPlace { $0.unicastAddress > unicast }
        guard place > 0, network.nodes[place - 1].addresses.contains(unicast.rawValue) else {
            return .address(unicast.address)
        }
        let node = network.nodes[place - 1]
        let index = unicast.rawValue - node.unicastAddress.rawValue
        if node.uuid == network.ownProvisioner, index == 0 { return .name(PublishTarget.provisionerName) }
        guard let name = names.nodes[node.uuid], let element = UInt8(exactly: index), element < 255 else {
            return .address(unicast.address)
        }
        return element == 0 ? .name(name) : .element(node: name, index: element)
    }
}

extension PublishSettings {
    /// A publication as a definition writes it, without default values.
    init(_ publication: Publication, to target: PublishTarget, key: String, at location: SourceLocation) {
        self.init(target: Located(target, at: location))
        self.key = Located(key, at: location)
        if publication.ttl != Publication.defaultTTL { ttl = Located(publication.ttl, at: location) }
        if publication.period.milliseconds > 0 {
            let period = PublishPeriod(milliseconds: publication.period.milliseconds) ?? publication.period
            self.period = Located(period, at: location)
        }
        if publication.retransmit.count > 0 { retransmit = Located(publication.retransmit, at: location) }
        if publication.usesFriendshipCredentials { usesFriendshipCredentials = Located(true, at: location) }
    }
}
