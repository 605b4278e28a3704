import MeshCore

/// What an estimate takes of a network's nodes: who relays and how, and how many hops lie between them and the client.
///
/// Nobody knows where nodes stand. They are taken to be spread evenly over the hops of the radio profile, those that
/// can relay from the inside, the others from the outside, as the simulator does.
struct EstimatedSite {
    /// A node of the network, or a device that becomes one.
    struct Known {
        let uuid: DeviceUUID?
        /// Its subnets, a bit each.
        var subnets: UInt64 = 1
        /// Whether it can relay, and whether it does. True if that is not known.
        var canRelay = true
        var isRelay = true
        var isProxy = false
        var transmit = Repetition.stock
        var retransmit = Repetition.stock
    }

    /// The network's nodes in their order.
    var known: [Known] = []
    /// PDUs a second that nodes publish by themselves.
    var published = 0.0

    static func bit(_ index: NetKeyIndex) -> UInt64 { 1 << UInt64(index.rawValue & 63) }

    /// Adds the devices that become nodes in a part of a plan.
    mutating func addDevices(of part: ArraySlice<PlanParts.Lane>) {
        for lane in part where lane.isDevice {
            known.append(
                Known(
                    uuid: lane.node,
                    subnets: lane.subnet.map(Self.bit) ?? 1,
                    isProxy: lane.isProxyFirst
                )
            )
        }
    }

    /// Changes the nodes as a part of a plan does.
    mutating func finish(_ part: ArraySlice<PlanParts.Lane>) {
        let lanes = Dictionary(part.map { ($0.node, $0) }) { first, _ in first }
        for place in known.indices {
            guard let lane = known[place].uuid.flatMap({ lanes[$0] }) else { continue }
            if let transmit = lane.transmit { known[place].transmit = Repetition(transmit) }
            if let retransmit = lane.retransmit { known[place].retransmit = Repetition(retransmit) }
            if let relay = lane.relay { known[place].isRelay = relay }
            if let proxy = lane.proxy { known[place].isProxy = proxy }
            known[place].subnets |= lane.subnets
            if lane.leaves { (known[place].isRelay, known[place].isProxy) = (false, false) }
        }
    }
}

/// The hops of a site, and which share of PDUs gets lost on them.
struct HopModel {
    /// The node beside the client.
    let root: EstimatedSite.Known?
    /// Whether any node relays what the proxy sends.
    let isFlooded: Bool
    /// The mean number of other relays that a node hears repeat a PDU.
    let heard: Double
    /// The share of time for which relays are busy with what nodes publish by themselves.
    let published: Double
    private let depth: Int
    private var levels: [DeviceUUID: (level: Int, node: EstimatedSite.Known)] = [:]
    /// The relays of each level and subnet.
    private var relays: [[Int]]

    /// Of the relays nearer to the client, a node hears so many, and so many of those as far away as itself. There may
    /// be more, but their copies add nothing, as in the simulator.
    private static let inward = 6
    private static let beside = 3
    /// For each hop that nobody relays, this share of copies gets further.
    private static let shareBeyond = 0.6
    /// A mesh that is full of publications would carry nothing else.
    private static let mostPublished = 0.9

    init(_ site: EstimatedSite, _ profile: RadioProfile) {
        let hops = max(Int(profile.hops.rounded()), 1)
        let place = site.known.firstIndex(where: \.isProxy) ?? site.known.firstIndex(where: \.isRelay)
        root = place.map { site.known[$0] }
        isFlooded = site.known.contains(where: \.isRelay)
        let busy = site.known.filter(\.isRelay).map { $0.retransmit.time(profile) }
        let each = busy.reduce(0, +) / Double(max(busy.count, 1)) / max(profile.advertisingSets, 1)
        published = min(site.published * each, Self.mostPublished)
        let others = site.known.count { !$0.canRelay }
        let further = max(site.known.count - others - 1, 0)
        depth = max(min(hops, further + (others > 0 ? 1 : 0)), 1)
        relays = Array(repeating: Array(repeating: 0, count: 64), count: depth + 1)
        var (inner, outer, active) = (0, 0, 0)
        for (index, node) in site.known.enumerated() {
            var level = 0
            if index != place {
                level = node.canRelay ? 1 + inner % depth : depth - outer % depth
                if node.canRelay { inner += 1 } else { outer += 1 }
                if node.isRelay {
                    active += 1
                    for subnet in 0..<64 where node.subnets & 1 << UInt64(subnet) != 0 { relays[level][subnet] += 1 }
                }
            }
            if let uuid = node.uuid { levels[uuid] = (level, node) }
        }
        heard = min(Double(Self.inward + Self.beside), 2 * Double(active) / Double(depth))
    }

    /// Hops to a node; the mean of all for one that is not known.
    func hops(to node: DeviceUUID) -> Double { levels[node].map { Double($0.level) } ?? Double(depth + 1) / 2 }

    /// The shares of PDUs to a node, and from it, that get lost.
    ///
    /// - Parameter copyLoss: the share of copies that one receiver does not hear.
    func losses(of node: DeviceUUID, copyLoss: Double) -> (down: Double, up: Double) {
        let (level, known) = levels[node] ?? ((depth + 1) / 2, EstimatedSite.Known(uuid: node))
        guard level > 0, copyLoss > 0 else { return (0, 0) }
        let first = root?.transmit ?? .stock
        return (
            loss(level, known.subnets, first, copyLoss), loss(level, known.subnets, known.transmit, copyLoss)
        )
    }

    /// The share of PDUs that gets lost between the proxy and a level.
    ///
    /// - Parameter first: how the first sender repeats its PDUs.
    private func loss(_ level: Int, _ subnets: UInt64, _ first: Repetition, _ copyLoss: Double) -> Double {
        let repeated = root?.retransmit ?? .stock
        func lost(_ repetition: Repetition, _ reach: Double) -> Double {
            power(1 - (1 - copyLoss) * reach, max(Int(repetition.count.rounded()), 1))
        }
        var (senders, repetition, reach, missing) = (1, first, 1.0, 0.0)
        for hop in 1...level {
            // Every sender that has the PDU repeats it. It gets lost if none of them is heard.
            var loss = power(1 - (1 - missing) * (1 - lost(repetition, reach)), senders)
            var most = 0
            var rest = subnets
            while rest != 0 {
                most = max(most, relays[hop][rest.trailingZeroBitCount])
                rest &= rest - 1
            }
            loss *= power(1 - (1 - loss) * (1 - lost(repeated, 1)), min(most, Self.beside))
            guard hop < level else { return loss }
            if most > 0 {
                (senders, repetition, reach, missing) = (min(most, Self.inward), repeated, 1, loss)
            } else {
                reach *= Self.shareBeyond
            }
        }
        return 0
    }
}

/// A power of a number of 0...1, by squaring. It is the same on every platform.
func power(_ base: Double, _ exponent: Int) -> Double {
    var (result, square, rest) = (1.0, base, exponent)
    while rest > 0 {
        if rest & 1 == 1 { result *= square }
        square *= square
        rest >>= 1
    }
    return result
}
