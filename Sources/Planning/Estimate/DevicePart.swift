/// The steps between two barriers in which devices become nodes.
///
/// As long as devices wait, the executor keeps one link for the mesh and provisions over the others. After that the
/// others become links of their own for single nodes that have much to do. The mesh serves nodes all the time.
struct DevicePart {
    /// Seconds from its beginning to its end, and until the last device is a node.
    private(set) var seconds = 0.0
    private(set) var provisioned = 0.0
    /// Seconds in which links of their own shorten what is left.
    private(set) var direct = 0.0

    /// - Parameters:
    ///   - connections: links at once, at least 1.
    ///   - isFirst: whether no node is known before.
    ///   - needsLink: whether there was no link to the mesh yet. A single first node is reached over one of its own.
    init(
        _ part: ArraySlice<PlanParts.Lane>,
        _ mesh: MeshPart,
        _ profile: RadioProfile,
        connections: Int,
        isFirst: Bool,
        needsLink: Bool
    ) {
        let devices = part.filter(\.isDevice)
        let busy = part.filter { !$0.messages.isEmpty }
        let session = profile.connecting + profile.provisioningSession
        let setUp = DirectLinkModel.setUp(profile)
        let exchanges = busy.reduce(0) { $0 + DirectLinkModel.exchanges(of: $1, profile) }
        guard connections > 1 else {
            // With one link, provisioning and the mesh take turns. Each time, the client listens for a proxy.
            let links = devices.count { !$0.messages.isEmpty }
            provisioned = profile.hearing + Double(devices.count) * session
            seconds = provisioned + Double(links) * (profile.listening(for: 1) + setUp) + exchanges
            return
        }
        // As long as there is no node, no link is kept for the mesh.
        let later = isFirst ? max(devices.count - connections, 0) : devices.count
        let rounds = (isFirst ? 1 : 0) + (later + connections - 2) / (connections - 1)
        provisioned = profile.hearing + Double(rounds) * session
        seconds = provisioned
        guard !busy.isEmpty else { return }
        let mean = exchanges / Double(busy.count)
        // The last device gets a link, and its messages follow.
        let last = profile.hearing + setUp + mean
        // What the mesh has not done until then is shared with links of their own.
        let left = max(mesh.seconds - max(provisioned - session, 0), 0)
        let shared = DirectLinkModel.share(left, of: busy, mesh, profile, connections: connections) { lane in
            !lane.isDevice || lane.isProxyFirst && lane.isInReach
        }
        direct = shared.direct
        let rest = shared.seconds
        seconds = provisioned + max(rest, last) + (needsLink && (!isFirst || devices.count > 1) ? setUp : 0)
    }
}

/// The executor's rules for links to single nodes: what they cost, and which nodes get them.
enum DirectLinkModel {
    /// Seconds to ask a node through the mesh and to hear it.
    static let asking = 1.0

    /// Seconds from the choice of an advertiser to a link that carries messages: connecting, then the beacon and the
    /// filter within a few connection intervals.
    static func setUp(_ profile: RadioProfile) -> Double { profile.connecting + 5 * profile.connectionInterval }

    /// Seconds of a lane's exchanges over such a link.
    static func exchanges(of lane: PlanParts.Lane, _ profile: RadioProfile) -> Double {
        lane.messages.reduce(0) { sum, message in
            let (request, status) = message.segments
            return sum + profile.directRoundTrip + Double(request + status - 2) * MeshPart.segmentInterval
        }
    }

    /// How long what is left takes when links of their own take a share of it.
    ///
    /// - Parameters:
    ///   - left: seconds that the mesh alone would need for it.
    ///   - busy: the nodes with messages.
    ///   - mesh: all of their messages through the mesh.
    ///   - mayLink: whether a node surely has a GATT proxy that the client hears.
    /// - Returns: the seconds, and those of them in which such links help. The mesh alone serves the others in the end.
    static func share(
        _ left: Double,
        of busy: some Sequence<PlanParts.Lane>,
        _ mesh: MeshPart,
        _ profile: RadioProfile,
        connections: Int,
        mayLink: (PlanParts.Lane) -> Bool
    ) -> (seconds: Double, direct: Double) {
        let setUp = setUp(profile)
        let pdus = busy.reduce(0) { $0 + $1.cost.pdus }
        let eligible = busy.filter { lane in
            mayLink(lane) && pays(lane.cost, links: connections - 1, openPDUs: pdus, setUp: setUp)
        }
        guard connections > 1, !eligible.isEmpty else { return (left, 0) }
        let share = Double(eligible.reduce(0) { $0 + $1.cost.pdus }) / Double(max(pdus, 1))
        let count = Double(eligible.count)
        let own = asking + setUp + eligible.reduce(0) { $0 + exchanges(of: $1, profile) } / count
        let speed = 1 + Double(connections - 1) * mesh.seconds * share / count / own
        // The question that has a node advertise, and its answer, go through the mesh.
        let asked = count * 2 * profile.advertisingTime / max(profile.advertisingSets, 1)
        let direct = (left * share + asked) / speed
        return (direct + left * (1 - share), direct)
    }

    /// Whether a node is done sooner over a link of its own. The mesh must be busy for longer than that takes, and the
    /// node's share of it must exceed a link's share of connecting.
    static func pays(_ cost: MessageCost, links: Int, openPDUs: Int, setUp: Double) -> Bool {
        let connecting = asking + setUp
        let own = connecting + Double(cost.messages) * RadioProfile.office.directRoundTrip
        let perPDU = RadioProfile.office.advertisingTime
        return Double(cost.pdus) * perPDU > connecting / Double(max(links, 1)) && Double(openPDUs) * perPDU > own
    }
}
