package import Catalogue
package import MeshCore

/// A message to one element, and by what its answer is recognised.
package struct OperatingRequest: Hashable, Sendable {
    package var node: DeviceUUID
    package var destination: UnicastAddress
    /// The access payload: opcode and parameters.
    package var payload: [UInt8]
    /// The AppKey; nil for the DeviceKey of the node, which only its primary element takes.
    package var key: AppKeyIndex?
    /// The subnets in which the node takes the message, sorted, at least one; with an AppKey only that of the key.
    package var subnets: [NetKeyIndex]
    package var answer: Opcode
    /// What is known of the answer; nil for what the catalogue of the SIG's messages says.
    package var status: MessageDescription?
    /// Fields that the answer must hold if the catalogue knows it: of several instances of a state that which was
    /// asked for.
    package var instance: FieldValues = FieldValues()
    /// When the delay ends that the last octet of the payload holds: every transmission says how much of it is left, so
    /// that it does not matter which one arrives. Nil if the payload ends with no delay.
    package var delayEnd: Instant?
    /// Whether it sets what the answer reports.
    package var sets = false

    /// The access payload as it is sent at an instant.
    package func payload(at now: Instant) -> [UInt8] {
        guard let delayEnd, !payload.isEmpty else { return payload }
        return payload.dropLast() + [UInt8(clamping: StateChange.delay(from: now, to: delayEnd))]
    }

    /// Whether these parameters of a message with the opcode ``answer`` answer the request. Parameters that cannot be
    /// read do: the node answered, and its answer is shown as it is. Only where a company has several messages with the
    /// opcode they may be another one.
    package func isAnswered(by parameters: ArraySlice<UInt8>) -> Bool {
        let isMarked = status?.fields.contains { $0.fixed != nil } ?? false
        guard isMarked || !instance.items.isEmpty, let status = status ?? MessageCatalogue.sig.message(answer) else {
            return true
        }
        guard let values = try? status.decode(parameters) else { return !isMarked }
        return instance.items.allSatisfy { item in values[item.name].map { $0 == item.value } ?? true }
    }
}

/// What became of a request.
package enum OperatingOutcome: Hashable, Sendable {
    case answered([UInt8])
    /// The node did not answer. What it did is not known.
    case unanswered
    /// It was not sent, because the node had left a request unanswered and had answered none.
    case silent
    /// No proxy leads to the node: the reason, a sentence without a full stop, and what helps.
    case unreachable(String, hint: Advice?)
    /// Its answer was not awaited, because everything ended before.
    case abandoned
    /// It was not sent, because everything ended before.
    case notAsked
}
