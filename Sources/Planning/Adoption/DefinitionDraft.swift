import Catalogue
import DefinitionModel
import MeshCore

/// A network as a definition in which every node says everything that can be said about it. ``Resolver`` turns it back
/// into the same network.
struct DefinitionDraft {
    /// The location of everything in the draft; it has no meaning yet.
    static let place = SourceLocation(file: 0, line: 1, column: 1)

    /// A node that says everything, including what is empty. What it leaves out cannot be expressed.
    struct DraftNode {
        var definition: NodeDefinition
        /// Whether its AppKeys are exactly those that its models need.
        var impliesAppKeys: Bool
        /// Whether its NetKeys are exactly those that its AppKeys and states need.
        var impliesNetKeys: Bool
        /// The node's index in the database.
        var position: Int
    }

    let network: MeshNetwork
    let names: AdoptedNames
    /// Whether a name that no definition can have becomes the title.
    let keepsNamesAsTitles: Bool
    /// Only subnets, keys and groups.
    private(set) var definition: Definition
    private(set) var nodes: [DraftNode] = []
    private(set) var renamings: [Adoption.Renaming] = []
    private(set) var leftOut: [Adoption.Note] = []
    private(set) var notes: [Adoption.Note] = []
    /// The zone of the schedules: that of the first node whose scheduler has entries.
    let scheduleZone: Int64?
    /// What schedulers do, with the names of their nodes.
    var schedules: [(schedule: AdoptedSchedule, nodes: [String])] = []
    let boundNetKeys: [AppKeyIndex: NetKeyIndex]

    /// - Parameters:
    ///   - network: the network.
    ///   - name: its name in the definition.
    ///   - refused: nodes to leave out, with the reasons.
    ///   - keepsNamesAsTitles: whether a name that no definition can have becomes the title.
    init(
        _ network: MeshNetwork,
        named name: String,
        without refused: [DeviceUUID: String],
        keepsNamesAsTitles: Bool
    ) {
        self.network = network
        self.keepsNamesAsTitles = keepsNamesAsTitles
        boundNetKeys = Dictionary(network.appKeys.map { ($0.index, $0.boundNetKey) }) { first, _ in first }
        let provisioners = Set(network.provisioners.map(\.uuid))
        let pending = Set(network.pendingProvisionings.map(\.uuid))
        var positions: [Int] = []
        for (position, node) in network.nodes.enumerated() where node.uuid != network.ownProvisioner {
            let reason: String
            if let contradiction = refused[node.uuid] {
                reason = contradiction
            } else if node.isExcluded {
                reason = "excluded from the network"
            } else if node.unprovisionedSeenAt != nil || pending.contains(node.uuid) {
                reason = "reset, and no longer a node"
            } else if provisioners.contains(node.uuid), !node.isManaged {
                reason = "a provisioner, which configures itself"
            } else if !node.isCompositionKnown {
                reason = "its elements and models are unknown; add it by hand, and apply reads them"
            } else {
                positions.append(position)
                continue
            }
            leftOut.append(Adoption.Note(subject: Self.subject(node), text: Advice(reason)))
        }
        let included = positions.map { network.nodes[$0] }
        let madeGroups = Self.groupsToMake(network, for: included)
        let groups = (network.groups + madeGroups).sorted { $0.address < $1.address }
        names = AdoptedNames(network, groups: groups, nodes: included)
        scheduleZone = included.lazy.filter(\.hasSchedules).compactMap(Self.zone).first
        definition = Definition(network: Located(name, at: Self.place))
        definition.wording = wording(of: .network, named: network.name, adopted: name)
        declareKeys()
        declare(groups, made: Set(madeGroups.map(\.address)))
        nodes.reserveCapacity(positions.count)
        for position in positions {
            let node = network.nodes[position]
            nodes.append(draft(node, at: position))
            noteName("node", node.name, names.nodes[node.uuid])
        }
        definition.scenes = Self.scenes(of: included)
        if let scheduleZone, !schedules.isEmpty {
            definition.schedules = Self.schedules(schedules, in: scheduleZone)
            if scheduleZone != 0 { definition.timeZone = Self.made(Int(scheduleZone)) }
        }
    }

    /// The title that something has, or gets since its name is none in a definition. So other programs go on to show
    /// what they showed.
    func wording(
        of resource: TitledResource,
        named old: String,
        adopted name: String
    ) -> Wording {
        var wording = Wording()
        let title = network.titles[resource] ?? (old == name || !keepsNamesAsTitles ? nil : old)
        // What looks like a reference would be one in the definition.
        if let title, WordingText.isTitle(title), !title.contains("$(") { wording.title = Self.made(title) }
        return wording
    }

    static func made<Value>(_ value: Value) -> Located<Value> { Located(value, at: place) }

    static func subject(_ node: Node) -> String { "node \(node.name) (\(node.unicastAddress))" }

    mutating func note(_ subject: String, _ text: Advice) {
        notes.append(Adoption.Note(subject: subject, text: text))
    }

    @_disfavoredOverload
    mutating func note(_ subject: String, _ text: String) {
        note(subject, Advice(text))
    }

    private mutating func noteName(_ noun: String, _ old: String, _ new: String?) {
        guard let new, new != old else { return }
        renamings.append(Adoption.Renaming(noun: noun, from: old, to: new))
    }

    // MARK: Keys and groups

    private mutating func declareKeys() {
        for key in network.netKeys {
            guard let name = names.netKeys[key.index] else { continue }
            var subnet = SubnetDefinition(name: Self.made(name), index: Self.made(key.index))
            if key.isProtected { subnet.isProtected = Self.made(true) }
            subnet.wording = wording(of: .netKey(key.index), named: key.name, adopted: name)
            definition.subnets.append(subnet)
            noteName("subnet", key.name, name)
        }
        for key in network.appKeys {
            guard let name = names.appKeys[key.index] else { continue }
            guard let subnet = names.netKeys[key.boundNetKey] else {
                note(
                    "application key \(key.name)",
                    "it is bound to the subnet with index \(key.boundNetKey), which is not there"
                )
                continue
            }
            var declared = ApplicationKeyDefinition(
                name: Self.made(name),
                subnet: Self.made(subnet),
                index: Self.made(key.index)
            )
            if key.isProtected { declared.isProtected = Self.made(true) }
            declared.wording = wording(of: .appKey(key.index), named: key.name, adopted: name)
            definition.applicationKeys.append(declared)
            noteName("application key", key.name, name)
        }
    }

    private mutating func declare(_ groups: [Group], made: Set<SubscriptionAddress>) {
        for group in groups {
            guard let name = names.groups[group.address] else { continue }
            var declared = GroupDefinition(name: Self.made(name), address: Self.made(group.address))
            if let parent = group.parent {
                if let name = names.groups[parent] {
                    declared.parent = Self.made(name)
                } else {
                    note("group \(group.name)", "it lies in \(parent), which is no group of the database")
                }
            }
            if group.isProtected { declared.isProtected = Self.made(true) }
            declared.wording = wording(
                of: .group(group.address),
                named: made.contains(group.address) ? name : group.name,
                adopted: name
            )
            definition.groups.append(declared)
            if made.contains(group.address) {
                note("group \(name)", "made for \(group.address), which nodes use and no group of the database has")
            } else {
                noteName("group", group.name, name)
            }
        }
    }

    /// Groups for addresses that nodes use and that a definition can express only by a group's name.
    private static func groupsToMake(_ network: MeshNetwork, for nodes: [Node]) -> [Group] {
        let known = Set(network.groups.map(\.address))
        var made: Set<SubscriptionAddress> = []
        func look(_ address: SubscriptionAddress) {
            guard !known.contains(address) else { return }
            switch address {
            case .group(let group): if GroupAddress.assignable.contains(group.rawValue) { made.insert(address) }
            case .virtual: made.insert(address)
            case .unknownLabel: break
            }
        }
        for node in nodes {
            for element in node.elements {
                for model in element.models {
                    for address in model.subscriptions { look(address) }
                    if case .virtual(let label)? = model.publication?.address { look(.virtual(label)) }
                }
            }
        }
        return made.sorted().map { address in
            Group(name: "group-" + address.address.rawValue.hexadecimal.lowercased(), address: address)
        }
    }

    // MARK: Nodes

    private mutating func draft(_ node: Node, at position: Int) -> DraftNode {
        var definition = NodeDefinition(
            name: Self.made(names.nodes[node.uuid] ?? ""),
            uuid: Self.made(node.uuid)
        )
        definition.wording = wording(
            of: .node(node.uuid),
            named: node.name,
            adopted: definition.name.value
        )
        if node.isProtected { definition.isProtected = Self.made(true) }
        if node.removalPolicy != .forget { definition.removalPolicy = Self.made(node.removalPolicy) }
        definition.settings = states(of: node)
        for (index, element) in node.elements.enumerated() {
            guard let index = UInt8(exactly: index) else { break }
            let models = element.models.sorted { $0.identifier < $1.identifier }
                .map { draft($0, on: index, of: node) }
            definition.settings.elements[index] = ElementDefinition(location: Self.place, models: models)
        }
        let implied = declareKeys(of: node, in: &definition.settings)
        return DraftNode(
            definition: definition,
            impliesAppKeys: implied.appKeys,
            impliesNetKeys: implied.netKeys,
            position: position
        )
    }

    /// Declares the keys of a node. Returns whether the rest of its settings needs exactly those.
    private mutating func declareKeys(
        of node: Node,
        in settings: inout NodeSettings
    ) -> (appKeys: Bool, netKeys: Bool) {
        let subject = Self.subject(node)
        let appKeys = node.appKeys.map(\.index)
        if appKeys.allSatisfy({ isUsable($0, on: node) }) {
            settings.applicationKeys = Self.made(appKeys.compactMap { names.appKeys[$0].map(Self.made) })
        } else {
            note(subject, "its application keys: it has some that the database lacks, or lacks the subnets of some")
        }
        let netKeys = node.netKeys.map(\.index)
        if netKeys.allSatisfy({ names.netKeys[$0] != nil }) {
            settings.subnets = Self.made(netKeys.compactMap { names.netKeys[$0].map(Self.made) })
        } else {
            note(subject, "its subnets: it has keys of subnets that the database lacks")
        }
        var needed: Set<String> = []
        for element in settings.elements.values {
            for model in element.models {
                needed.formUnion((model.keys?.value ?? []).map(\.value))
                if let key = model.publish?.value?.key { needed.insert(key.value) }
            }
        }
        let impliesAppKeys = appKeys.allSatisfy { needed.contains(names.appKeys[$0] ?? "") }
        let bound = appKeys.compactMap { boundNetKeys[$0] } + settings.neededSubnets(names.netKeys)
        return (impliesAppKeys, Set(netKeys).isSubset(of: bound))
    }

    func isUsable(_ key: AppKeyIndex, on node: Node) -> Bool {
        guard names.appKeys[key] != nil, let netKey = boundNetKeys[key], names.netKeys[netKey] != nil else {
            return false
        }
        return node.knows(key) && node.knows(netKey)
    }
}

extension NodeSettings {
    fileprivate func neededSubnets(_ names: [NetKeyIndex: String]) -> [NetKeyIndex] {
        var needed = Set((bridgingTable?.value ?? []).flatMap { $0.subnets.map(\.value) })
        for state in states {
            if case .heartbeatPublication(let heartbeat?) = state.value, let subnet = heartbeat.subnet {
                needed.insert(subnet.value)
            }
        }
        return needed.isEmpty ? [] : names.filter { needed.contains($0.value) }.map(\.key)
    }
}

/// Scenes as they were stored. Of scenes that others have stored nobody knows what they are.
extension DefinitionDraft {
    /// Names for the numbers of the scenes that are known of some nodes.
    static func scenes(of nodes: [Node]) -> [SceneDefinition] {
        var numbers: Set<UInt16> = []
        for node in nodes {
            for element in node.elements {
                for model in element.models { numbers.formUnion(model.states.compactMap(\.form.register)) }
            }
        }
        return numbers.sorted().map { SceneDefinition(name: made(sceneName($0)), number: made($0)) }
    }

    static func sceneName(_ number: UInt16) -> String { "scene-\(number)" }

    /// What a model does in scenes, as its Scene Server has stored it.
    static func scenes(of model: Model, on element: UInt8, of node: Node) -> [SceneSettings] {
        let servers = node.elements.prefix(Int(element) + 1)
        guard let server = servers.last(where: { $0.place(of: .sceneServer) != nil }),
            let index = server.place(of: .sceneServer)
        else { return [] }
        let declarable = DeclarableStates(of: model.identifier, in: .sig, for: .scenes)
        var scenes: [SceneSettings] = []
        for state in server.models[index].states.sorted(by: { ($0.form.register ?? 0) < ($1.form.register ?? 0) }) {
            guard let number = state.form.register, let contents = try? StoredContents(state.status) else { continue }
            let settings = contents.parts.filter { $0.element == element }
                .compactMap { setting(of: $0, model, declarable) }
            guard !settings.isEmpty else { continue }
            scenes.append(SceneSettings(scene: made(sceneName(number)), states: settings.map(made)))
        }
        return scenes
    }

    /// The value of a scene, if it is one of the states that the model reports.
    private static func setting(
        of part: StoredContents.Part,
        _ model: Model,
        _ declarable: DeclarableStates
    ) -> ModelStateSetting? {
        var reader = ByteReader(part.setPayload)
        guard let opcode = try? Opcode(decoding: &reader) else { return nil }
        let parameters = Array(reader.readRest())
        let state = declarable.states.first {
            $0.description.setMessage?.opcode == opcode && $0.description.server == model.identifier
        }
        guard let state, let values = try? state.description.setMessage?.decode(parameters) else { return nil }
        return try? state.setting(values)
    }
}
