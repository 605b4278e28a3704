/// What a stack wants done, or has to tell, in order.
package enum StackAction: Hashable, Sendable {
    /// Send a network PDU of our own out; `destination` is for the filters of proxy links.
    case transmit([UInt8], destination: Address)
    /// A network PDU of somebody else, encrypted again with its TTL one less, for whoever has the relay or proxy
    /// feature on to send.
    case relay([UInt8], source: UnicastAddress, destination: Address)
    /// An access message for an element, a group or a known label. Whether any model subscribes to the group is for the
    /// access layer to know.
    case deliver(IncomingMessage)
    /// A control message other than a heartbeat.
    case control(IncomingControlMessage)
    /// A heartbeat and how it came.
    case heartbeat(Heartbeat, IncomingControlMessage)
    /// A message is out: all segments acknowledged, or all transmissions made where none are acknowledged.
    case completed(TransmissionIdentifier)
    /// A message did not get through, or nobody knows whether it did.
    case failed(TransmissionIdentifier, TransmissionFailure)
    /// A beacon has changed the IV index, or the network has confirmed one that was only stated; it is to be stored.
    case ivIndexChanged(IVIndex)
    /// A beacon has moved a subnet on in its key refresh.
    case keyRefreshPhaseChanged(NetKeyIndex, KeyRefreshPhase)
    /// A message came under the device key candidate of a node, which is its device key from now on; it is to be
    /// stored. The message follows.
    case deviceKeyActivated(UnicastAddress)
    /// Something that arrived was not used.
    case dropped(DropReason)
}

/// Why a message was not completed.
package enum TransmissionFailure: Error, Hashable, Sendable {
    /// Segments stayed unacknowledged after all retransmissions; the message may have arrived all the same.
    case notAcknowledged
    /// The receiver refused it with an acknowledgment of nothing.
    case cancelledByReceiver
    /// There was no sequence number for it.
    case sequenceNumbers(SequenceNumberError)
    /// So many other PDUs went out meanwhile that SeqZero no longer names its first segment.
    case sequenceRangeExceeded
    /// The key it was to be secured with was removed.
    case keyRemoved
}

/// Why something that arrived was not used; none of these is an error of ours.
package enum DropReason: Hashable, Sendable {
    /// The network layer refused the PDU.
    case network(NetworkPDUError)
    /// It is one of our own PDUs come back.
    case ownSource
    /// The PDU was handled before, having come another way.
    case alreadySeen
    /// The message or a later one was accepted before.
    case replayed
    /// The replay protection list has no room for a new source.
    case replayListFull
    /// The lower transport PDU has a wrong form.
    case malformedTransport(DecodeError)
    /// No known application or device key, or no known label, opens the message.
    case undecryptable
    /// The parameters of a control message have a wrong form.
    case malformedControl(DecodeError)
    /// An acknowledgment for nothing that is being sent, or of segments that do not exist.
    case unexpectedAcknowledgment
    /// A segment that contradicts those of its message that came before.
    case inconsistentSegment
    /// A segment of a message older than the one being put together.
    case superseded
    /// A segment of a message that is complete or was given up.
    case alreadyReceived
    /// Too many segmented messages are being put together.
    case tooManyReassemblies
    /// A message was given up because segments stayed away.
    case incomplete
    /// The beacon has a wrong form or is of a kind not handled here.
    case malformedBeacon(DecodeError)
    /// The beacon is of another network, or not authentic.
    case foreignBeacon
    /// The beacon is made with the old key of a subnet that uses its new one.
    case revokedBeacon
    /// The beacon's IV index is not acceptable now.
    case ivIndexIgnored
}

/// Why a message cannot be sent.
package enum StackError: Error, Hashable, Sendable {
    /// The source is none of our elements.
    case notAnElement(UnicastAddress)
    /// The destination is one of our own elements, or an address that messages of the kind cannot have.
    case invalidDestination(Address)
    /// The TTL is above 127.
    case invalidTTL(UInt8)
    /// The payload is empty or too long.
    case payloadSize(Int)
    /// Control opcode 0, or one above 0x7F.
    case invalidControlOpcode(UInt8)
    /// The NetKey is not known.
    case unknownNetKey(NetKeyIndex)
    /// The AppKey is not known.
    case unknownAppKey(AppKeyIndex)
    /// The AppKey is bound to another NetKey.
    case appKeyNotBound(AppKeyIndex, NetKeyIndex)
    /// The device key of the node is not known.
    case unknownDeviceKey(UnicastAddress)
    /// There is no sequence number.
    case sequenceNumbers(SequenceNumberError)
    /// Too many messages wait to be sent.
    case tooManyTransmissions
}
