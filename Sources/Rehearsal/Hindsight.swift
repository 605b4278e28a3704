import Catalogue
import Execution
import MeshCore
import Simulator

/// Says afterwards why a message did not do what was expected of it: where it was sent, under which key, who was
/// listening, and how far it came.
struct Hindsight {
    private let network: MeshNetwork
    private let sent: SentMessage?
    private let begin: Instant
    private let journey: MessageJourney
    /// The same if no node had lacked its power; nil if none did.
    private let wholeJourney: MessageJourney?
    private let lacking: DeviceUUID?

    /// - Parameters:
    ///   - sent: what the step sent; nil if nothing, or if that is not known.
    ///   - begin: when it had sent it.
    ///   - heard: who heard which message since then.
    ///   - lacking: the node that had no power in this run.
    ///   - whole: who heard which message when it had.
    init(
        _ network: MeshNetwork,
        _ sent: SentMessage?,
        at begin: Instant,
        _ heard: [HeardMessage],
        lacking: DeviceUUID? = nil,
        whole: [HeardMessage] = []
    ) {
        self.network = network
        self.sent = sent
        self.begin = begin
        self.lacking = lacking
        journey = MessageJourney(heard, of: sent?.source, in: network)
        wholeJourney = whole.isEmpty ? nil : MessageJourney(whole, of: sent?.source, in: network)
    }

    /// Why something did not come true at a node; nil if nothing is known.
    ///
    /// - Parameter servers: the models that have the state; empty if it is only about the arrival of the message.
    func reason(at uuid: DeviceUUID, servers: [ModelIdentifier]) -> String? {
        guard let sent, let node = network.nodes.first(where: { $0.uuid == uuid }) else { return nil }
        if !servers.isEmpty {
            if let answers = sent.answers {
                if let reason = reason(of: answers[uuid], sent, at: node) { return reason }
            } else if let reason = deafness(of: node, to: sent) {
                return reason
            }
        }
        return arrival(at: uuid, sent)
    }

    /// What a command came to at a node; nil if it was answered.
    private func reason(of answer: StateSettingOutcome?, _ sent: SentMessage, at node: Node) -> String? {
        switch answer {
        case nil: deafness(of: node, to: sent) ?? "the command was not for this node"
        case .asAsked, .repaired, .sent: nil
        case .differs: "the node answered the command with something else than it asked for"
        case .unknown: "the node did not answer the command" + (arrival(at: node.uuid, sent).map { "; \($0)" } ?? "")
        }
    }

    /// Why a node does not act on a message that reaches it; nil if it would.
    private func deafness(of node: Node, to sent: SentMessage) -> String? {
        guard let address = sent.address else { return nil }
        let verb = sent.answers == nil ? "publishes to" : "goes to"
        let beginning = "\(sent.sender) \(verb) \(name(of: address))"
        let listening = listeners(on: node, to: address, sent.servers)
        guard !listening.isEmpty else {
            let models = node.elements.flatMap(\.models).filter { sent.servers.contains($0.identifier) }
            guard let model = models.first else {
                return "\(beginning), and this node has no \(names(of: sent.servers))"
            }
            let groups = model.subscriptions.map(text(of:)).joined(separator: ", ")
            return "\(beginning), but its \(model.identifier.name) "
                + (groups.isEmpty ? "subscribes to nothing" : "subscribes to \(groups)")
        }
        guard let key = sent.key, !listening.contains(where: { $0.bindings.contains(key) }) else { return nil }
        let model = listening[0]
        let bound = model.bindings.map(keyName).joined(separator: ", ")
        return "its \(model.identifier.name) is not bound to \(keyName(key)), under which \(sent.sender) publishes"
            + (bound.isEmpty ? "" : ", but to \(bound)")
    }

    private func listeners(on node: Node, to address: PublishAddress, _ servers: [ModelIdentifier]) -> [Model] {
        node.elements.enumerated().flatMap { index, element in
            element.models.filter { model in
                servers.contains(model.identifier) && listens(model, element: index, of: node, to: address)
            }
        }
    }

    // MARK: The way of the message

    /// How the message came to a node, or where it ended; nil if nobody followed it.
    private func arrival(at uuid: DeviceUUID, _ sent: SentMessage) -> String? {
        guard sent.source != nil else { return nil }
        let message = "the message of \(sent.sender)"
        if let way = journey.way(to: uuid) {
            // A command from outside has arrived before anybody looks.
            let time = begin.duration(to: way.time)
            return "\(message) arrived \(text(of: way))" + (time > .zero ? ", in \(time.words)" : "")
        }
        let end = theEnd(of: message, at: uuid, sent)
        guard let loss = dependence(of: uuid) else { return end }
        return "\(loss); without it, \(end)"
    }

    private func text(of way: MessageJourney.Way) -> String {
        let hops = "after \(count(way.hops, "hop"))"
        return way.relays.isEmpty ? hops : "\(hops), over \(list(way.relays))"
    }

    /// Where the message ended on its way to a node.
    private func theEnd(of message: String, at uuid: DeviceUUID, _ sent: SentMessage) -> String {
        let losers = journey.losers(on: uuid)
        if !losers.isEmpty {
            return "\(list(losers)) sent \(message) to this node, but every copy was lost"
        }
        let hearers = journey.hearers
        guard let least = hearers.map(\.ttl).min() else { return "nobody heard \(message)" }
        let farthest = hearers.filter { $0.ttl == least }.map(\.uuid)
        let known = "\(count(hearers.count, "node")) heard \(message), but not this one: "
        if least <= 1 {
            let own = sent.source.flatMap { source in network.nodes.first { $0.addresses.contains(source.rawValue) } }
            let began = (sent.ttl ?? own?.defaultTTL).map { " of \($0)" } ?? ""
            return known + "its TTL\(began) was used up at \(list(farthest))"
        }
        return known + "it came as far as \(list(farthest)), and no relay that has it is near this node"
    }

    /// What the node that lacks its power carries, if the message comes over it to a node otherwise.
    private func dependence(of uuid: DeviceUUID) -> String? {
        guard let lacking, let wholeJourney, let way = wholeJourney.way(to: uuid), way.relays.contains(lacking)
        else { return nil }
        let others = wholeJourney.hearers.filter { hearer in
            hearer.uuid != uuid && wholeJourney.way(to: hearer.uuid)?.relays.contains(lacking) == true
                && journey.way(to: hearer.uuid) == nil
        }
        let share = others.isEmpty ? "" : ", as do \(count(others.count, "other")) that it reaches by no other way"
        return "with \(nodeName(lacking)) the message arrives \(text(of: way))\(share)"
    }

    // MARK: What others do

    /// Why a node changed that was not to change; nil if nothing is known.
    func reasonOfStray(_ uuid: DeviceUUID) -> String? {
        guard let sent, let address = sent.address, let node = network.nodes.first(where: { $0.uuid == uuid }),
            let model = listeners(on: node, to: address, sent.servers).first
        else { return nil }
        let verb = sent.answers == nil ? "publishes to" : "goes to"
        return "\(sent.sender) \(verb) \(name(of: address)), to which its \(model.identifier.name) listens"
    }

    /// Where a model publishes to; nil if nowhere.
    func publicationTarget(of publisher: Publisher) -> String? {
        guard let node = network.nodes.first(where: { $0.uuid == publisher.uuid }),
            node.elements.indices.contains(publisher.element)
        else { return nil }
        let model = node.elements[publisher.element].models.first { $0.identifier == publisher.model }
        return (model?.publication?.address).map(name(of:))
    }

    private func listens(_ model: Model, element: Int, of node: Node, to address: PublishAddress) -> Bool {
        switch address {
        case .unicast(let unicast): Int(unicast.rawValue) == Int(node.unicastAddress.rawValue) + element
        case .group(let group):
            group == .allNodes ? element == 0 : model.subscriptions.contains(.group(group))
        case .virtual(let label): model.subscriptions.contains(.virtual(label))
        case .unknownLabel: false
        }
    }

    // MARK: Names

    /// So many nodes are named in one clause; the others are counted.
    private static let mostNames = 3

    private func list(_ nodes: [DeviceUUID]) -> String {
        let names = nodes.prefix(Self.mostNames).map(nodeName)
        let rest = nodes.count - names.count
        let last = rest > 0 ? "\(rest) more" : names[names.count - 1]
        let first = rest > 0 ? names : names.dropLast()
        return first.isEmpty ? last : "\(first.joined(separator: ", ")) and \(last)"
    }

    private func nodeName(_ uuid: DeviceUUID) -> String {
        network.nodes.first { $0.uuid == uuid }?.name ?? "a node outside"
    }

    private func text(of address: SubscriptionAddress) -> String {
        network.groups.first { $0.address == address }.map { "\($0.name) (\(address.address))" } ?? "\(address)"
    }

    private func name(of address: PublishAddress) -> String {
        switch address {
        case .group(let group): return text(of: .group(group))
        case .virtual(let label): return text(of: .virtual(label))
        case .unicast(let unicast):
            let node = network.nodes.first { $0.addresses.contains(unicast.rawValue) }
            return node.map { "\($0.name) (\(unicast))" } ?? "\(unicast)"
        case .unknownLabel: return "\(address)"
        }
    }

    private func keyName(_ index: AppKeyIndex) -> String {
        network.appKeys.first { $0.index == index }?.name ?? "AppKey \(index)"
    }

    private func names(of models: [ModelIdentifier]) -> String { models.map(\.name).joined(separator: " or ") }

    private func count(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }
}
