import MeshCore
import Planning
import Store

/// No device is provisioned before the IV index is known. A device with a wrong one may never understand the other
/// nodes if they are too far ahead for it to follow (Mesh Protocol 3.11.6).
extension DeviceWork {
    /// Looks for a proxy that tells the IV index if devices wait for it, and gives the devices up if there is none.
    ///
    /// - Parameters:
    ///   - isKnown: whether the IV index is known.
    ///   - mayBeLinked: whether there may be a link to a proxy.
    ///   - isIdle: whether no request is open or about to be sent.
    mutating func learnIVIndex(
        isKnown: Bool,
        mayBeLinked: Bool,
        isIdle: Bool,
        _ ledger: inout RunLedger
    ) -> [RunOutput] {
        guard !isKnown, !queue.isEmpty else { return [] }
        if mayBeLinked {
            // Any request makes the client look for a proxy, whose beacon comes first.
            guard isIdle else { return [] }
            if !hasSoughtIVIndex {
                hasSoughtIVIndex = true
                if let node = nodeToAsk(ledger) { return [.ask(.ivIndex(node, Question(ConfigDefaultTTLGet())))] }
            }
        }
        return [Self.endOfSeekingIVIndex] + fail(steps, .ivIndexUnknown, &ledger)
    }

    /// Gives up the question: the index is known, or the node is to be asked something else.
    static var endOfSeekingIVIndex: RunOutput {
        .withdraw { if case .ivIndex = $0 { true } else { false } }
    }

    /// Any node that can be asked something.
    private func nodeToAsk(_ ledger: RunLedger) -> DeviceUUID? {
        let others = Set(ledger.network.header.provisioners.map(\.uuid))
        return ledger.network.nodes.first { node in
            !others.contains(node.uuid) && !node.isExcluded && node.deviceKey != nil
                && !ledger.network.subnets(of: node).isEmpty && !ledger.unreachable.contains(node.uuid)
        }?.uuid
    }
}
