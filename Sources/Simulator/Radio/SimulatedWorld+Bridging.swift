import MeshCore

extension SimulatedWorld {
    /// A node whose bridge is on forwards a network PDU of others into the subnets that its table names, under their
    /// keys and with a TTL one less. Source, destination and sequence number stay (Mesh Protocol 1.1, 3.4.6.3).
    ///
    /// - Parameter actions: the results of the node's stack for the PDU.
    func bridge(_ octets: [UInt8], after actions: [StackAction], at node: Int, from origin: Origin) {
        guard nodes[node].isBridge, !nodes[node].faults.isMute, !actions.contains(where: \.isRefusal) else { return }
        let stack = nodes[node].stack
        guard let (pdu, subnet) = try? stack.decode(networkPDU: octets), pdu.ttl >= 2, !stack.isElement(pdu.destination)
        else { return }
        let state = nodes[node].state
        let targets = state.foundation.bridgedSubnets(from: subnet, pdu.source, to: pdu.destination)
        guard !targets.isEmpty,
            nodes[node].bridged.verdict(pdu.source, ivIndex: pdu.ivIndex, sequence: pdu.sequence) == .accepted
        else { return }
        nodes[node].bridged.record(pdu.source, ivIndex: pdu.ivIndex, sequence: pdu.sequence)
        var onward = pdu
        onward.ttl -= 1
        for target in targets {
            guard let key = state.transmitKey(target),
                let octets = try? onward.encoded(with: schedules.subnet(key).flooding)
            else { continue }
            let sealed = SharedNetworkPDU(octets)
            remember(sealed, at: node)
            let turnaround = now.advanced(by: generator.duration(in: settings.relayTurnaround))
            switch origin {
            case .itself: continue
            case .air:
                queue.add(.advertise(node: node, sealed, state.relayRetransmit), at: turnaround)
                if nodes[node].isProxy { forward(octets, to: pdu.destination, from: node, except: nil) }
            case .link(let link):
                queue.add(.advertise(node: node, sealed, state.networkTransmit), at: turnaround)
                if nodes[node].isProxy { forward(octets, to: pdu.destination, from: node, except: link) }
            }
        }
    }

    /// Whether some node forwards a PDU from the subnet of that key into the destination's subnet.
    func isBridged(_ pdu: NetworkPDU, under key: KeyMaterial) -> Bool {
        guard let owner = owners[pdu.destination.rawValue] else { return false }
        return nodes.contains { node in
            guard node.isBridge,
                let subnet = node.state.netKeys.first(where: { $0.key == key || $0.oldKey == key })?.index
            else { return false }
            return node.state.foundation.bridgedSubnets(from: subnet, pdu.source, to: pdu.destination)
                .compactMap(node.state.transmitKey).contains(where: nodes[owner].state.knows)
        }
    }
}

extension StackAction {
    /// Whether a stack rejects a PDU at the network layer: it cannot read the PDU, has sent it itself, or has seen it
    /// before.
    fileprivate var isRefusal: Bool {
        switch self {
        case .dropped(.network), .dropped(.ownSource), .dropped(.alreadySeen): true
        default: false
        }
    }
}

extension NodeConfigurationState {
    /// Whether the node has a NetKey, as the present or the old key.
    func knows(_ key: KeyMaterial) -> Bool {
        netKeys.contains { $0.key == key || $0.oldKey == key }
    }
}
