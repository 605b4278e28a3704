internal import MeshCore

/// How much of a part of a plan goes over links to the very nodes: those have no relays in their way, and there can be
/// several at once, but each has to be made.
struct DirectShare {
    /// What such nodes are sent, the most expensive ones first.
    let costs: [MessageCost]
    /// Links at once, on the average.
    let links: Double
    let profile: RadioProfile

    /// The costs of those nodes of a part that links of their own may be made to; nil if there are none, or no links.
    ///
    /// - Parameters:
    ///   - links: how many there may be at once, on the average.
    ///   - advertisers: nodes that advertise their Node Identity if they are asked to. Those that are new do so by
    ///     themselves.
    init?(_ part: PlanPart, links: Double, profile: RadioProfile, advertisers: Set<DeviceUUID>) {
        guard links > 0 else { return nil }
        self.links = links
        self.profile = profile
        var eligible: [MessageCost] = []
        for (node, cost) in zip(part.nodes.order, part.nodes.costs) {
            let isWorthAsking = advertisers.contains(node) && Self.pays(cost, links, profile)
            if isWorthAsking || part.newNodes.contains(node) { eligible.append(cost) }
        }
        guard !eligible.isEmpty else { return nil }
        costs = eligible.sorted { $0.pdus > $1.pdus }
    }

    /// Seconds of one link for a node.
    func time(of cost: MessageCost) -> Double {
        Self.setUp(profile) + Self.time(of: cost, profile)
    }

    /// Seconds until the links have done the first so many nodes. The last of them end at different times.
    func time(ofFirst count: Int) -> Double {
        guard count > 0 else { return 0 }
        let times = costs.prefix(count).map { time(of: $0) }
        let work = times.reduce(0, +)
        let last = times.max() ?? 0
        return Self.lead(profile) + max(work / links + last / 2 * max(1 - 1 / links, 0), last)
    }

    /// What is asked of each node through the mesh.
    static let question = MessageCost(messages: 1, pdusToNode: 1, pdusFromNode: 1)

    /// From a link to the mesh until the first node is heard that was asked to advertise.
    private static func lead(_ profile: RadioProfile) -> Double {
        2 * profile.answering + RadioProfile.hearing
    }

    /// Hearing the next of those that advertise, connecting, the beacon, and the filter, which takes two exchanges.
    private static func setUp(_ profile: RadioProfile) -> Double {
        RadioProfile.hearing / 2 + profile.connecting + 5 * profile.connectionInterval
    }

    private static func time(of cost: MessageCost, _ profile: RadioProfile) -> Double {
        let more = Double(max(cost.pdus - 2 * cost.messages, 0))
        return Double(cost.messages) * profile.directRoundTrip + more * RadioProfile.directSegment
    }

    /// Whether the executor gives a node a link of its own, as far as that depends on the node.
    private static func pays(_ cost: MessageCost, _ links: Double, _ profile: RadioProfile) -> Bool {
        Double(cost.pdus) * RadioProfile.office.advertisingTime > (1 + setUp(profile)) / links
    }
}
