import MeshCore

/// Proxies that keep to themselves what they are to forward.
///
/// A proxy that takes messages for itself alone looks like a network of silent nodes (BTstack). Where a link has
/// carried requests to others for a while, and none of them was ever answered, it is doubted: another proxy is looked
/// for, and what waits for answers moves there. Meanwhile the requests stay where they are, so that nodes that are
/// silent indeed are not waited for any longer; where nobody else is heard the link is accepted as it is.
extension MeshClient {
    /// How often a request moves to another link because of a doubt.
    static let maximumMoves = 2

    /// A request to another node than the proxy has stayed unanswered for long.
    mutating func doubtForwarding(of carrier: LinkTarget) {
        // No other proxy may be used where one is demanded.
        guard linkPolicy.proxy == nil, let place = links.firstIndex(where: { $0.target == carrier }) else { return }
        links[place].doubtForwarding()
    }

    /// Whether a request is on a link that is doubted, so that another link would be better.
    func isUneasy(_ exchange: Exchange) -> Bool {
        guard exchange.moves < Self.maximumMoves, let carrier = exchange.carrier, let link = link(to: carrier) else {
            return false
        }
        return link.forwarding == .doubted && link.proxy != exchange.node
    }

    /// Whether any link is doubted.
    var hasDoubtedLink: Bool { links.contains { $0.forwarding == .doubted } }

    /// Takes requests from links that are doubted to those that serve them as well.
    mutating func moveUneasy(at now: Instant) {
        guard hasDoubtedLink else { return }
        for node in exchanges.keys.sorted() {
            guard let exchange = exchanges[node], isUneasy(exchange),
                links.contains(where: { $0.forwarding != .doubted && $0.serves(exchange, nodes) })
            else { continue }
            leave(node, at: now)
        }
    }

    /// Nobody else was heard: doubted links carry what there is to carry.
    mutating func acceptDoubtedLinks() {
        for place in links.indices { links[place].acceptForwarding() }
    }

    /// The place of a doubted link that another may replace; nil if there is none.
    var doubtedPlace: Int? {
        links.indices.first { links[$0].forwarding == .doubted && !isListenedOn(links[$0]) }
    }

    /// Ends a doubted link, for there is no room for another beside it.
    mutating func replaceDoubted(_ place: Int, at now: Instant, into outputs: inout [Output]) {
        let target = links[place].target
        for node in exchanges.keys.sorted() where exchanges[node]?.carrier == target { leave(node, at: now) }
        if let advertiser = links[place].advertiser { selection.failed(advertiser, at: now) }
        close(place, into: &outputs)
    }

    /// Takes a request from a link that does not seem to forward it; it waits for another.
    private mutating func leave(_ node: UnicastAddress, at now: Instant) {
        guard let exchange = exchanges[node], let carrier = exchange.carrier else { return }
        cancelTransmission(of: exchange)
        unload(carrier, at: now)
        let left = max(now.duration(to: exchange.deadline), linkPolicy.timeAfterMove)
        exchanges[node]?.leaveLink(remaining: left)
        exchanges[node]?.moves += 1
        // What was waited for on this link says nothing of the next.
        exchanges[node]?.isDirect = nil
    }
}
