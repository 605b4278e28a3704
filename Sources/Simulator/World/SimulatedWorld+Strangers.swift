import MeshCore

/// A packet on the advertising bearer (Mesh Protocol 3.3.1): the data of one AD structure of a mesh type.
package enum AirPacket: Hashable, Sendable {
    /// A Network PDU: AD type 0x2A, Mesh Message.
    case message([UInt8])
    /// A beacon with its type: AD type 0x2B, Mesh Beacon.
    case beacon([UInt8])
}

/// Strangers are real nodes in the simulated radio. They stand beside the node that hops are counted from: they hear
/// that node and its neighbours, and these hear them.
extension SimulatedWorld {
    /// How often unprompted nodes send their beacons (Mesh Protocol 3.10.3.1: every 10 s if nobody else does).
    package static let beaconInterval = Duration.seconds(10)

    /// A packet of a stranger reaches the nodes that hear it.
    package func hear(_ packet: AirPacket) {
        let message: SharedNetworkPDU? = if case .message(let octets) = packet { SharedNetworkPDU(octets) } else { nil }
        for neighbour in strangersAudience where nodes[neighbour.node].isAlive {
            guard !generator.happens(strangerLoss(at: neighbour.node)) else {
                statistics.lost += 1
                continue
            }
            switch packet {
            case .message: if let message { queue.add(.hear(nodes: [neighbour.node], message), at: now) }
            case .beacon(let beacon): queue.add(.hearBeacon(node: neighbour.node, beacon), at: now)
            }
        }
    }

    /// Sends the beacons of the nodes beside the strangers, one for each subnet.
    package func sendBeaconsToStrangers() {
        guard onAir != nil else { return }
        var sent: Set<[UInt8]> = []
        for neighbour in strangersAudience where nodes[neighbour.node].isAlive && !nodes[neighbour.node].faults.isMute {
            for beacon in beaconsOnAir(of: neighbour.node) where sent.insert(beacon).inserted {
                queue.add(.leaveForStrangers(.beacon(beacon)), at: now)
            }
        }
    }

    /// Delivers a packet of a node to the strangers, if they are near it and not all copies are lost.
    ///
    /// - Parameter copies: when the node sends each copy.
    func tellStrangers(of packet: AirPacket, copies: [Instant], from node: Int) {
        guard onAir != nil, strangersAudience.contains(where: { $0.node == node }) else { return }
        let loss = strangerLoss(at: node)
        guard let arrival = copies.first(where: { _ in !generator.happens(loss) }) else {
            statistics.lost += 1
            return
        }
        queue.add(.leaveForStrangers(packet), at: arrival)
    }

    /// The node that the strangers stand beside, and its neighbours.
    private var strangersAudience: [RadioNeighbours.Neighbour] {
        let root = rootNode
        guard nodes.indices.contains(root) else { return [] }
        return [RadioNeighbours.Neighbour(node: root)] + audience(of: root)
    }

    private func strangerLoss(at node: Int) -> Double {
        copyLoss(from: node, to: RadioNeighbours.Neighbour(node: node))
    }
}
