import MeshCore

/// Proxies that do not forward.
///
/// A proxy that only takes messages for itself looks like a network of silent nodes (BTstack). If a link has carried
/// requests to other nodes for a while and none of them was ever answered, the client doubts the link. It looks for
/// another proxy, and the requests that wait for answers move there. Until then they stay where they are, so that nodes
/// that really are silent do not take longer. If no other proxy is heard, the client accepts the link as it is.
extension MeshClient {
    /// How often a request may move to another link because of a doubt.
    static let maximumMoves = 2

    /// A request to another node than the proxy has been unanswered for long.
    mutating func doubtForwarding(of carrier: LinkTarget) {
        // If a proxy is required, no other may be used.
        guard linkPolicy.proxy == nil, let place = links.firstIndex(where: { $0.target == carrier }) else { return }
        links[place].doubtForwarding()
    }

    /// Whether a request is on a doubted link, so that another link would be better.
    func isUneasy(_ exchange: Exchange) -> Bool {
        guard exchange.moves < Self.maximumMoves, let carrier = exchange.carrier, let link = link(to: carrier) else {
            return false
        }
        return link.forwarding == .doubted && link.proxy != exchange.node
    }

    /// Whether any link is doubted.
    var hasDoubtedLink: Bool { links.contains { $0.forwarding == .doubted } }

    /// Moves requests from doubted links to other links that serve them.
    mutating func moveUneasy(at now: Instant) {
        guard hasDoubtedLink else { return }
        for node in exchanges.keys.sorted() {
            guard let exchange = exchanges[node], isUneasy(exchange),
                links.contains(where: { $0.forwarding != .doubted && $0.serves(exchange, nodes) })
            else { continue }
            leave(node, at: now)
        }
    }

    /// No other proxy was heard: doubted links carry all requests.
    mutating func acceptDoubtedLinks() {
        for place in links.indices { links[place].acceptForwarding() }
    }

    /// The place of a doubted link that another may replace; nil if there is none.
    var doubtedPlace: Int? {
        links.indices.first { links[$0].forwarding == .doubted && !isListenedOn(links[$0]) }
    }

    /// Closes a doubted link, because there is no room for another beside it.
    mutating func replaceDoubted(_ place: Int, at now: Instant, into outputs: inout [Output]) {
        let target = links[place].target
        for node in exchanges.keys.sorted() where exchanges[node]?.carrier == target { leave(node, at: now) }
        if let advertiser = links[place].advertiser { selection.failed(advertiser, at: now) }
        close(place, into: &outputs)
    }

    /// Takes a request off a link that seems not to forward it; the request waits for another link.
    private mutating func leave(_ node: UnicastAddress, at now: Instant) {
        guard let exchange = exchanges[node], let carrier = exchange.carrier else { return }
        cancelTransmission(of: exchange)
        unload(carrier, at: now)
        let left = max(now.duration(to: exchange.deadline), linkPolicy.timeAfterMove)
        exchanges[node]?.leaveLink(remaining: left)
        exchanges[node]?.moves += 1
        // Time-outs on this link say nothing about the next.
        exchanges[node]?.isDirect = nil
    }
}
