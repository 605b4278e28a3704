package import MeshCore

/// The Set of a state of a model above the foundation, with the application keys for it (Mesh Model 3 to 6).
package struct ModelStateSet: Hashable, Sendable {
    /// The element, and the model that reports the state.
    package var model: ModelAddress
    /// The state and its value.
    package var state: ModelState
    /// The AppKey of the Set. It is bound to the model that takes the Set.
    package var key: AppKeyIndex
    /// The AppKey of the Get. It is bound to the model that reports the state.
    package var readingKey: AppKeyIndex
    /// The parameters of the status that shows the value; nil until the node has answered. Plans and journals do not
    /// contain it.
    package var status: [UInt8]?

    /// A Set that nobody has answered.
    package init(_ state: ModelState, of model: ModelAddress, key: AppKeyIndex, readingKey: AppKeyIndex) {
        self.model = model
        self.state = state
        self.key = key
        self.readingKey = readingKey
    }

    /// The cost of the Set and of its status.
    var cost: MessageCost {
        .exchange(request: state.setPayload.count, status: state.form.statusOpcode.encoded.count + statusLength)
    }

    /// Octets of the status as far as the value determines them.
    private var statusLength: Int { max(state.expected.mask.count, state.form.instance.mask.count) }
}
