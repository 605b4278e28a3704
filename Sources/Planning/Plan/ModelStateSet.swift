package import MeshCore

/// The Set of a state of a model above the foundation, with the application keys for it (Mesh Model 3 to 6).
package struct ModelStateSet: Hashable, Sendable {
    /// The element, and the model that reports the state.
    package var model: ModelAddress
    package var state: ModelState
    /// The AppKey of the Set. It is bound to the model that takes the Set.
    package var key: AppKeyIndex
    /// The AppKey of the Get. It is bound to the model that reports the state.
    package var readingKey: AppKeyIndex
    /// The parameters of the status that shows the value; nil until the node has answered. Plans and journals do not
    /// contain it.
    package var status: [UInt8]?
    /// The Set as it is sent, with what is known only then; nil before. Plans and journals do not contain it.
    package var payload: [UInt8]?

    /// A Set that nobody has answered.
    package init(_ state: ModelState, of model: ModelAddress, key: AppKeyIndex, readingKey: AppKeyIndex) {
        self.model = model
        self.state = state
        self.key = key
        self.readingKey = readingKey
    }

    /// The octets of the Set with what is known only when it is sent.
    ///
    /// - Parameters:
    ///   - now: the calendar time, for a state that is the time itself.
    ///   - transaction: tells a Set for a moment from the one before it.
    package func payload(at now: Timestamp, transaction: UInt8) -> [UInt8] {
        MomentaryPayload(state.setPayload).octets(at: now, transaction: transaction)
    }

    var cost: MessageCost {
        .exchange(request: state.setPayload.count, status: state.form.statusOpcode.encoded.count + statusLength)
    }

    /// Octets of the status as far as the value determines them.
    private var statusLength: Int { max(state.expected.mask.count, state.form.instance.mask.count) }
}
