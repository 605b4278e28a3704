import MeshCore
import Store

/// What operating has shown of states that the database keeps, and what it has set without hearing how that ended.
///
/// Whoever sets such a state changes the record, too: otherwise the next plan would not know of it, and a read-back
/// would take it for somebody else's doing.
struct StateObservations {
    /// The states that one status reports of an element.
    private struct Subject: Hashable {
        var node: DeviceUUID
        var destination: UnicastAddress
        var status: Opcode
    }

    private struct Observation {
        /// The statuses in the order of their arrival, each with the message that it answers.
        var told: [(status: [UInt8], request: [UInt8])] = []
        /// Whether something was set so that nobody knows what has become of it.
        var isOpen = false
    }

    private var observations: [Subject: Observation] = [:]

    /// Takes note of an answer.
    mutating func answered(_ request: OperatingRequest, _ parameters: [UInt8]) {
        observations[subject(of: request), default: Observation()].told.append((parameters, request.payload))
    }

    /// Takes note of a message that sets something, and whose answer nobody has heard or awaits.
    mutating func left(_ request: OperatingRequest) {
        observations[subject(of: request), default: Observation()].isOpen = true
    }

    private func subject(of request: OperatingRequest) -> Subject {
        Subject(node: request.node, destination: request.destination, status: request.answer)
    }

    /// The nodes of a network that are known otherwise by now, and their drifts. What we have set is their record from
    /// now on, and nothing is known of what we have set without an answer. What was only read and is otherwise was
    /// changed by others, unless its model moves it.
    func record(in network: MeshNetwork, at now: Timestamp, to changes: inout StoreChanges) {
        guard !observations.isEmpty else { return }
        let byNode = Dictionary(grouping: observations) { $0.key.node }
        // By index, because a loop over the nodes would copy each of them.
        for index in network.nodes.indices {
            guard let seen = byNode[network.nodes[index].uuid] else { continue }
            let before = network.nodes[index]
            let news = seen.flatMap { self.news(of: before, $0.key, $0.value) }
            guard !news.isEmpty else { continue }
            var after = before
            for entry in news { entry.apply(to: &after) }
            if after != before { changes.nodes.append(after) }
            let former = network.drifts[before.uuid]
            var recorded = former?.recorded ?? before
            for entry in news where entry.isOurs { entry.apply(to: &recorded) }
            _ = recorded.takeMovedStates(from: after)
            let since = former?.since ?? [:]
            let drift = NodeDrift(recorded: recorded, observed: after, since: since, at: now)
            guard drift != former else { continue }
            if let drift { changes.drifts.append(drift) } else { changes.removedDrifts.append(before.uuid) }
        }
    }

    /// What is known now of one state.
    private struct News {
        var address: ModelAddress
        var name: String
        /// Nil if nothing is known any more.
        var state: KnownModelState?
        var isOurs: Bool

        func apply(to node: inout Node) {
            guard let state else { return node.forgetModelState(name, of: address) }
            let element = Int(address.element)
            guard let place = node.elements[element].place(of: address.model) else { return }
            node.elements[element].models[place].record(state)
        }
    }

    private func news(of node: Node, _ subject: Subject, _ observation: Observation) -> [News] {
        let offset = Int(subject.destination.rawValue) - Int(node.unicastAddress.rawValue)
        guard node.elements.indices.contains(offset), let element = UInt8(exactly: offset) else { return [] }
        var news: [News] = []
        for model in node.elements[offset].models {
            for known in model.states where known.form.statusOpcode == subject.status && known.form.register == nil {
                let address = ModelAddress(element: element, model: model.identifier)
                let told = observation.told.filter { known.form.instance.match($0.status) }
                // Whatever does not read the state may have set it.
                let isOurs = observation.isOpen || told.contains { $0.request != known.form.getPayload }
                guard let status = told.last?.status else {
                    if isOurs { news.append(News(address: address, name: known.form.name, state: nil, isOurs: true)) }
                    continue
                }
                let state = KnownModelState(form: known.form, status: status, mask: known.mask)
                if known.agrees(with: state), !isOurs { continue }
                news.append(News(address: address, name: known.form.name, state: state, isOurs: isOurs))
            }
        }
        return news
    }
}
