import Catalogue
import Execution
import MeshCore
import Planning
import Store

/// One `set`: sets a state and shows who is as asked, who was repaired, and who is silent.
struct StateSettingSession {
    /// Finds targets and talks to the mesh.
    let operating: OperatingContext
    let change: StateChange
    /// Whether to send without waiting for answers.
    let isUnacknowledged: Bool
    /// Whether to act on many nodes without asking.
    let isApproved: Bool

    private var context: Context { operating.conversation.context }
    private var network: MeshNetwork { operating.network }

    /// Sets the state of a target.
    ///
    /// - Throws: ``Failure`` if the target is not known or has no such state, if nothing can be set, or if it is many
    ///   nodes and nobody approves.
    func set(_ target: String) throws -> ExitStatus {
        let resolved = try operating.resolve(target)
        let places: StateChangePlaces
        do throws(StateError) {
            places = try StateChangePlaces(change, on: resolved, of: operating.models, in: network)
            // Shows before anything is sent whether the message can be made.
            _ = try change.payload(transaction: 0, isAcknowledged: !isUnacknowledged)
        } catch {
            throw Failure(error)
        }
        if places.places.isEmpty, let first = places.refusals.first {
            throw OperatedNodes(operating).failure(
                of: first.problem,
                node: first.place.node,
                element: first.place.element
            )
        }
        try approve(resolved, places, target)
        let setting = StateSetting(
            change,
            at: places,
            in: network,
            transaction: UInt8(truncatingIfNeeded: context.randomBits())
        )
        let cover = places.cover(change, named: resolved.group?.address, in: network)
        // One node is set as it is; several start together.
        let isTogether = resolved.isForSeveral && (!cover.groups.isEmpty || places.places.count > 1)
        let (outcomes, status) = try operating.operate(with: places.needs(under: cover)) { session in
            Swift.Result { () throws(StateError) -> [StateSettingOutcome] in
                if isTogether { return try setting.setTogether(cover, isCollected: !isUnacknowledged, in: session) }
                return isUnacknowledged ? try setting.sendEach(in: session) : try setting.setEach(in: session)
            }
        }
        let told: [StateSettingOutcome]
        do throws(StateError) {
            told = try outcomes.get()
        } catch {
            throw Failure(error)
        }
        let view = StateSettingView(operating, change)
        view.show(Array(zip(places.places, told)), places.refusals)
        tellDeclared(places.places)
        guard status == .success else { return status }
        return told.allSatisfy(\.isGood) && places.refusals.isEmpty ? .success : .partial
    }

    /// Says where the definition declares another value than the one that was set: the next plan changes it back.
    private func tellDeclared(_ places: [StatePlace]) {
        guard context.json == nil, let (database, _, _) = operating.conversation.knowledge.database,
            let definition = operating.conversation.knowledge.definition
        else { return }
        var since: [DeviceUUID: [NodeResource: Timestamp]] = [:]
        for place in places {
            let node = network.nodes[place.node]
            guard let element = UInt8(exactly: place.element), node.elements.indices.contains(place.element) else {
                continue
            }
            for model in node.elements[place.element].models {
                for state in model.states where state.form.statusOpcode == change.state.statusMessage.opcode {
                    let address = ModelAddress(element: element, model: model.identifier)
                    since[node.uuid, default: [:]][.modelState(address, state.form.name)] = context.now()
                }
            }
        }
        guard !since.isEmpty, var after = try? database.snapshot().network else { return }
        after.drifts = [:]
        for node in network.nodes {
            guard let since = since[node.uuid] else { continue }
            after.drifts[node.uuid] = NodeDrift(recorded: node, since: since)
        }
        var nodes: [String: [String]] = [:]
        for node in DriftReport.make(of: after, definition: definition).nodes {
            for entry in node.entries {
                guard case .value(let value?) = entry.declared else { continue }
                let name = entry.path.split(separator: ".state.").last.map(String.init) ?? entry.path
                nodes["\(name.printable) as \(value.printable)", default: []].append(node.name.printable)
            }
        }
        for (declaration, names) in nodes.sorted(by: { $0.key < $1.key }) {
            context.errorOutput.line(
                "Note: the definition declares \(declaration) for \(OperatedNodes.list(names)); meshplan apply sets it back."
            )
        }
    }

    /// Asks before a selector acts on a large part of the network.
    private func approve(
        _ target: ResolvedTarget,
        _ places: StateChangePlaces,
        _ text: String
    ) throws(Failure) {
        let count = Set(places.places.map(\.node)).count
        guard !isApproved, target.needsApproval(actingOn: count, in: network) else { return }
        try Prompt(context: context).confirm(
            "Set \(change.state.name) of \(count) of the \(network.operableCount) nodes?",
            explanation: "`\(text.printable)` selects so many."
        )
    }
}

extension StateSettingOutcome {
    /// Whether the state is what was asked for, as far as anybody wants to know.
    var isGood: Bool {
        switch self {
        case .asAsked, .repaired, .sent: true
        case .differs, .unknown: false
        }
    }
}
