/// What a stack asks of its owner or tells it, in order.
package enum StackAction: Hashable, Sendable {
    /// Send a network PDU of our own. `destination` is for the filters of proxy links.
    case transmit([UInt8], destination: Address)
    /// A network PDU of another node, encrypted again with its TTL reduced by one. Send it if the relay or proxy
    /// feature is on.
    case relay([UInt8], source: UnicastAddress, destination: Address)
    /// An access message for an element, a group or a known label. The access layer must find out whether a model
    /// subscribes to the group.
    case deliver(IncomingMessage)
    /// A control message other than a heartbeat.
    case control(IncomingControlMessage)
    case heartbeat(Heartbeat, IncomingControlMessage)
    /// A message is sent: all segments are acknowledged, or, if there is no acknowledgment, all transmissions are made.
    case completed(TransmissionIdentifier)
    /// A message failed, or its outcome is unknown.
    case failed(TransmissionIdentifier, TransmissionFailure)
    /// A beacon changed the IV index, or the network confirmed one that was only stated. Store it.
    case ivIndexChanged(IVIndex)
    /// A beacon advanced the key refresh of a subnet.
    case keyRefreshPhaseChanged(NetKeyIndex, KeyRefreshPhase)
    /// A message arrived under the device key candidate of a node, which is now its device key. Store that. The message
    /// follows.
    case deviceKeyActivated(UnicastAddress)
    /// Something that arrived was ignored.
    case dropped(DropReason)
}

/// Why a message was not completed.
package enum TransmissionFailure: Error, Hashable, Sendable {
    /// Segments remained unacknowledged after all retransmissions. The message may still have arrived.
    case notAcknowledged
    /// The receiver refused it by acknowledging no segment.
    case cancelledByReceiver
    case sequenceNumbers(SequenceNumberError)
    /// So many other PDUs were sent in the meantime that SeqZero no longer identifies its first segment.
    case sequenceRangeExceeded
    case keyRemoved
}

/// Why something that arrived was ignored. None of these is our own error.
package enum DropReason: Hashable, Sendable {
    /// The network layer refused the PDU.
    case network(NetworkPDUError)
    case ownSource
    /// The same PDU was already handled after arriving on another way.
    case alreadySeen
    /// This message or a later one was accepted before.
    case replayed
    /// The replay protection list has no room for a new source.
    case replayListFull
    /// The lower transport PDU is malformed.
    case malformedTransport(DecodeError)
    /// No known application or device key, or no known label, opens the message.
    case undecryptable
    /// The parameters of a control message are malformed.
    case malformedControl(DecodeError)
    /// The acknowledgment matches no message in progress, or names segments that do not exist.
    case unexpectedAcknowledgment
    /// The segment contradicts earlier ones of its message.
    case inconsistentSegment
    /// The segment belongs to a message older than the one being reassembled.
    case superseded
    /// The segment belongs to a message that is complete or was given up.
    case alreadyReceived
    /// Too many segmented messages are being reassembled.
    case tooManyReassemblies
    /// A message was given up because segments did not arrive.
    case incomplete
    /// The beacon is malformed or of an unsupported kind.
    case malformedBeacon(DecodeError)
    /// The beacon belongs to another network, or is not authentic.
    case foreignBeacon
    /// The beacon was made with the old key of a subnet that uses its new one.
    case revokedBeacon
    /// The IV index of the beacon is not acceptable now.
    case ivIndexIgnored
}

/// Why a message cannot be sent.
package enum StackError: Error, Hashable, Sendable {
    /// The source is not one of our elements.
    case notAnElement(UnicastAddress)
    /// The destination is one of our own elements, or messages of this kind cannot have it.
    case invalidDestination(Address)
    /// The TTL is above 127.
    case invalidTTL(UInt8)
    /// The payload is empty or too long.
    case payloadSize(Int)
    /// The control opcode is 0 or above 0x7F.
    case invalidControlOpcode(UInt8)
    case unknownNetKey(NetKeyIndex)
    case unknownAppKey(AppKeyIndex)
    case appKeyNotBound(AppKeyIndex, NetKeyIndex)
    case unknownDeviceKey(UnicastAddress)
    case sequenceNumbers(SequenceNumberError)
    case tooManyTransmissions
}
