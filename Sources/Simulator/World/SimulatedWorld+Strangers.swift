import MeshCore

/// What is sent on the advertising bearer (Mesh Protocol 3.3.1): the data of one AD structure of a mesh type.
package enum AirPacket: Hashable, Sendable {
    /// A Network PDU: AD type 0x2A, Mesh Message.
    case message([UInt8])
    /// A beacon with its type: AD type 0x2B, Mesh Beacon.
    case beacon([UInt8])
}

/// Strangers: real nodes that stand in the simulated radio, beside the node that hops are counted from. They hear it and
/// whom it hears, and are heard by the same.
extension SimulatedWorld {
    /// How often nodes that are not asked send their beacons (Mesh Protocol 3.10.3.1: every 10 s where nobody else does).
    package static let beaconInterval = Duration.seconds(10)

    /// Something that a stranger has sent reaches the nodes that hear it.
    package func hear(_ packet: AirPacket) {
        for neighbour in strangersAudience where nodes[neighbour.node].isAlive {
            guard !generator.happens(strangerLoss(at: neighbour.node)) else {
                statistics.lost += 1
                continue
            }
            switch packet {
            case .message(let pdu): queue.add(.hear(node: neighbour.node, pdu), at: now)
            case .beacon(let beacon): queue.add(.hearBeacon(node: neighbour.node, beacon), at: now)
            }
        }
    }

    /// Lets strangers hear the beacons of the nodes beside them, each subnet's once.
    package func sendBeaconsToStrangers() {
        guard onAir != nil else { return }
        var sent: Set<[UInt8]> = []
        for neighbour in strangersAudience where nodes[neighbour.node].isAlive && !nodes[neighbour.node].faults.isMute {
            for beacon in beaconsOnAir(of: neighbour.node) where sent.insert(beacon).inserted {
                queue.add(.leaveForStrangers(.beacon(beacon)), at: now)
            }
        }
    }

    /// Lets strangers hear a packet of a node, if they stand near it and not all copies are lost.
    ///
    /// - Parameter copies: when the node sends it.
    func tellStrangers(of packet: AirPacket, copies: [Instant], from node: Int) {
        guard onAir != nil, strangersAudience.contains(where: { $0.node == node }) else { return }
        let loss = strangerLoss(at: node)
        guard let arrival = copies.first(where: { _ in !generator.happens(loss) }) else {
            statistics.lost += 1
            return
        }
        queue.add(.leaveForStrangers(packet), at: arrival)
    }

    /// The node that strangers stand beside, and whom it hears.
    private var strangersAudience: [RadioNeighbours.Neighbour] {
        let root = rootNode
        guard nodes.indices.contains(root) else { return [] }
        return [RadioNeighbours.Neighbour(node: root)] + audience(of: root)
    }

    private func strangerLoss(at node: Int) -> Double {
        copyLoss(from: node, to: RadioNeighbours.Neighbour(node: node))
    }
}
