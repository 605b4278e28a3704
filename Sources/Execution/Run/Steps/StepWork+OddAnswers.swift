import MeshCore
import Planning
import Store

/// How steps treat answers that cannot be answers, and refusals of removals because there is nothing to remove.
extension StepWork {
    /// The answer to a step's request cannot be one. A request for a change is read back; anything else is given up.
    func settleOdd(_ request: StepRequest, _ answer: OddAnswer, _ ledger: inout RunLedger) -> [RunOutput] {
        let step = request.step
        switch (request.phase, request.action) {
        case (.request, .read): endReading(request, &ledger)
        // The change may have been made or not.
        case (.readBack, _): leaveUnknown(request, as: .odd(answer), &ledger)
        case (.request, .readComposition), (.prelude, _):
            ledger.settle(step, .skipped)
            ledger.fail(step, .odd(answer))
        case (.request, _):
            ledger.announce(.stepAnsweredOddly(step: step, answer))
            return readBack(request, &ledger)
        // Any response of the node counts as the answer here.
        case (.probe, _): break
        }
        return []
    }

    // MARK: Removals

    /// A node refuses a removal. If there is nothing to remove, the step has reached its aim. Where the refusal may
    /// mean something else, the node is asked what it has.
    mutating func settleRemoval(
        _ request: StepRequest,
        refusedWith status: ConfigStatusCode,
        _ ledger: inout RunLedger
    ) -> [RunOutput] {
        if let key = keyToName(request, status, ledger) {
            ledger.meet(.namedKeyEndsPublication, of: request.node)
            var request = request
            request.hasNamedKey = true
            return resend(request, &ledger) { inquiries throws(StepFailure) in
                try inquiries.requestEndingPublication(under: key)
            }
        }
        guard let node = ledger.network.node(request.node), request.action.mayFindNothing(status) else {
            end(request, status: status, .refused(request.refusal ?? status), &ledger)
            return []
        }
        var request = request
        if request.phase == .readBack || request.action.findsNothing(status, on: node) {
            request.refusal = request.refusal ?? status
            if case .unbind = request.action, status == .invalidAppKeyIndex {
                ledger.meet(.keepsBindings, of: request.node)
            }
            return succeed(request, &ledger) { [action = request.action] in $0.record(action, in: $1, at: $2) }
        }
        guard !ledger.isInterrupted else { return putBack(request, &ledger) }
        request.refusal = status
        request.phase = .readBack
        return resend(request, &ledger) { inquiries throws(StepFailure) in try inquiries.readBack() }
    }

    /// The key to name if a publication could not be ended without one; nil if that would not help.
    private func keyToName(
        _ request: StepRequest,
        _ status: ConfigStatusCode,
        _ ledger: RunLedger
    ) -> AppKeyIndex? {
        guard case .setPublication(let model, nil) = request.action, status == .invalidAppKeyIndex,
            !request.hasNamedKey, !ledger.isInterrupted, request.phase == .request,
            let node = ledger.network.node(request.node),
            let publication = node.model(at: model)?.publication, publication.appKeyIndex != .first,
            node.appKeys.contains(where: { $0.index == publication.appKeyIndex })
        else { return nil }
        return publication.appKeyIndex
    }
}

extension ConfigurationAction {
    var isRemoval: Bool {
        switch self {
        case .unbind, .deleteAppKey, .deleteNetKey, .deleteSubscription, .deleteAllSubscriptions,
            .setPublication(_, nil), .removeBridging, .removeAllBridging:
            true
        default: false
        }
    }

    /// Whether a removal may be refused with this status because there is nothing to remove.
    fileprivate func mayFindNothing(_ status: ConfigStatusCode) -> Bool {
        let meanings: [ConfigStatusCode] =
            switch self {
            case .unbind: [.invalidAddress, .invalidModel, .invalidAppKeyIndex, .cannotBind, .invalidBinding]
            case .deleteAppKey: [.invalidAppKeyIndex, .invalidNetKeyIndex, .invalidBinding]
            case .deleteNetKey: [.invalidNetKeyIndex]
            case .deleteSubscription, .deleteAllSubscriptions: [.invalidAddress, .invalidModel, .notASubscribeModel]
            case .setPublication(_, nil):
                [.invalidAddress, .invalidModel, .invalidAppKeyIndex, .invalidPublishParameters]
            case .removeBridging, .removeAllBridging: [.invalidAddress, .invalidNetKeyIndex]
            default: []
            }
        return meanings.contains(status)
    }

    /// Whether this refusal of a removal alone proves that there is nothing to remove.
    ///
    /// - Parameter node: the recorded state of the node.
    fileprivate func findsNothing(_ status: ConfigStatusCode, on node: Node) -> Bool {
        switch (self, status) {
        case (.unbind, .invalidAppKeyIndex), (.deleteAppKey, .invalidAppKeyIndex), (.deleteNetKey, .invalidNetKeyIndex),
            (.deleteSubscription, .notASubscribeModel), (.deleteAllSubscriptions, .notASubscribeModel):
            return true
        // A node cannot publish under a key that it does not have.
        case (.setPublication(let model, nil), .invalidAppKeyIndex):
            guard let publication = node.model(at: model)?.publication else { return false }
            return !node.appKeys.contains { $0.index == publication.appKeyIndex }
        default: return false
        }
    }
}
