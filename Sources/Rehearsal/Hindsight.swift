import Catalogue
import MeshCore
import Simulator

/// Says afterwards why a message of a switch did not do what was expected of it: where it was sent, under which key, who
/// heard it, and who was listening.
struct Hindsight {
    private let network: MeshNetwork
    private let pressed: PressedSwitch?
    private let heard: [HeardMessage]

    /// - Parameters:
    ///   - pressed: the switch; nil if none was pressed.
    ///   - heard: who heard which message since then.
    init(_ network: MeshNetwork, _ pressed: PressedSwitch?, _ heard: [HeardMessage]) {
        self.network = network
        self.pressed = pressed
        self.heard = heard
    }

    /// Why a node with a state of these models did not change; nil if nothing is known.
    func reason(at uuid: DeviceUUID, servers: [ModelIdentifier]) -> String? {
        guard let pressed, let node = network.nodes.first(where: { $0.uuid == uuid }) else { return nil }
        let address = pressed.publication.address
        let target = name(of: address)
        let listening = node.elements.enumerated().flatMap { index, element in
            element.models.filter { model in
                pressed.servers.contains(model.identifier) && listens(model, element: index, of: node, to: address)
            }
        }
        guard !listening.isEmpty else {
            let models = node.elements.flatMap(\.models).filter { pressed.servers.contains($0.identifier) }
            guard let model = models.first else {
                return "the switch publishes to \(target), and this node has no \(names(of: pressed.servers))"
            }
            let groups = model.subscriptions.map(text(of:)).joined(separator: ", ")
            return "the switch publishes to \(target), but its \(model.identifier.name) "
                + (groups.isEmpty ? "subscribes to nothing" : "subscribes to \(groups)")
        }
        let key = pressed.publication.appKeyIndex
        guard listening.contains(where: { $0.bindings.contains(key) }) else {
            return
                "its \(listening[0].identifier.name) is not bound to \(keyName(key)), under which the switch publishes"
        }
        return arrival(at: uuid, pressed)
    }

    /// How the message came to a node, or where it ended.
    private func arrival(at uuid: DeviceUUID, _ pressed: PressedSwitch) -> String? {
        let messages = heard.filter { $0.source == pressed.source }
        let own = network.nodes.first { $0.addresses.contains(pressed.source.rawValue) }
        let sent = pressed.publication.ttl == Publication.defaultTTL ? own?.defaultTTL : pressed.publication.ttl
        if let here = messages.first(where: { $0.uuid == uuid }) {
            let hops = sent.map { Int($0) - Int(here.ttl) + 1 }
            return "the message of the switch arrived" + (hops.map { " after \(count($0, "hop"))" } ?? "")
        }
        guard let least = messages.map(\.ttl).min() else {
            return "nobody heard the message of the switch"
        }
        let hearers = count(Set(messages.map(\.uuid)).count, "node")
        guard least > 1 else {
            let began = sent.map { " of \($0)" } ?? ""
            return
                "\(hearers) heard the message of the switch, but not this one: its TTL\(began) was used up on the way"
        }
        return "\(hearers) heard the message of the switch, but not this one: it was lost, or no relay is near"
    }

    /// Why a node changed that was not to change; nil if nothing is known.
    func reasonOfStray(_ uuid: DeviceUUID) -> String? {
        guard let pressed, let node = network.nodes.first(where: { $0.uuid == uuid }) else { return nil }
        let address = pressed.publication.address
        for (index, element) in node.elements.enumerated() {
            for model in element.models
            where pressed.servers.contains(model.identifier) && listens(model, element: index, of: node, to: address) {
                return "the switch publishes to \(name(of: address)), to which its \(model.identifier.name) listens"
            }
        }
        return nil
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
