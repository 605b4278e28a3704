import MeshCore
import Planning

/// The messages of an action for one node: the request, what must be read before it, and the read-back that tells
/// whether it took effect.
struct ActionInquiries {
    let action: ConfigurationAction
    let target: ConfigurationTarget

    /// The messages of an action.
    ///
    /// - Parameters:
    ///   - node: the address of the node's primary element.
    ///   - network: the network with the keys.
    init(_ action: ConfigurationAction, node: UnicastAddress, network: MeshNetwork) {
        self.action = action
        target = ConfigurationTarget(node, in: network)
    }

    /// The question that must be answered before the request can be made; nil if none.
    var prelude: ConfigurationInquiry? {
        guard case .setRelay(_, nil) = action else { return nil }
        return ConfigurationInquiry(ConfigRelayGet()) { status in
            status.state == .notSupported ? .featureNotSupported : .relayRetransmit(status.retransmit)
        }
    }

    /// The request. A Relay Set without a retransmit cannot be made; its ``prelude`` reads that first.
    ///
    /// - Throws: ``StepFailure/unmakeable(_:)`` if a key is missing or an element lies outside the address space.
    func request() throws(StepFailure) -> ConfigurationInquiry {
        let request = try ChangeRequest(action, to: target).inquiry()
        switch action {
        case .read, .readComposition: return request
        // Its outcome is read back.
        default: return request.settledByOddAnswer()
        }
    }

    /// Ends a publication with a request that names the publication's key. Some nodes demand a key that is bound to the
    /// model, see ``KnownQuirk/namedKeyEndsPublication``.
    ///
    /// - Throws: ``StepFailure/unmakeable(_:)`` for another action, or if the element lies outside the address space.
    func requestEndingPublication(under key: AppKeyIndex) throws(StepFailure) -> ConfigurationInquiry {
        try ChangeRequest(action, to: target).endingPublication(under: key).settledByOddAnswer()
    }

    /// Asks whether the action took effect. It also accepts a late status of the request itself.
    ///
    /// - Parameter position: where to begin in a list that comes in parts.
    func readBack(from position: UInt16 = 0) throws(StepFailure) -> ConfigurationInquiry {
        let get = try EffectReadBack(action, on: target).inquiry(from: position)
        // A Relay Set without its retransmit was never sent.
        guard case .setRelay(_, nil) = action else { return get.alsoReading(try request()) }
        return get
    }

    /// Asks a node that refuses a new NetKey whether it already has it, from another tool.
    ///
    /// - Parameter isOnlySubnet: whether the node is in no other subnet.
    /// - Throws: ``StepFailure/unmakeable(_:)`` for another action.
    func inquiry(afterRefusal status: ConfigStatusCode, isOnlySubnet: Bool) throws(StepFailure) -> ConfigurationInquiry
    {
        try KeyRefreshInquiries(action, to: target).inquiry(afterRefusal: status, isOnlySubnet: isOnlySubnet)
    }

    /// The Get of a reading, whatever the action. Its verdict is a report, or a refusal.
    ///
    /// - Throws: ``StepFailure/unmakeable(_:)`` if an element lies outside the address space.
    func get(_ reading: NodeReading) throws(StepFailure) -> ConfigurationInquiry {
        try ReadingInquiries(target).get(reading)
    }

    /// Several Gets in one Opcodes Aggregator Sequence, whatever the action.
    ///
    /// - Parameter answerSize: octets of its status if the node is as recorded, opcode included.
    func sequence(_ readings: [NodeReading], answerSize: Int) throws(StepFailure) -> ConfigurationInquiry {
        try ReadingInquiries(target).sequence(readings, answerSize: answerSize)
    }
}
