/// The SAR Transmitter state, 4 octets (Mesh Protocol 1.1): seven fields of four bits, the low half of an octet first,
/// then four reserved bits. The latter are ignored when read and written as zero.
package struct SARTransmitterState: Hashable, Sendable, AccessField {
    package static let notation = """
        segment_interval_step:u4 unicast_retransmissions_count:u4 unicast_retransmissions_without_progress_count:u4 \
        unicast_retransmissions_interval_step:u4 unicast_retransmissions_interval_increment:u4 \
        multicast_retransmissions_count:u4 multicast_retransmissions_interval_step:u4 _4
        """
    /// The time between two segments, n + 1 steps of 10 ms, 0...15; 5 by default.
    package var segmentIntervalStep: UInt8
    /// How often a segment to a unicast address is transmitted, n + 1 times, 0...15; 2 by default.
    package var unicastRetransmissionsCount: UInt8
    /// How often it is transmitted while acknowledgments report no new segment, n + 1 times, 0...15; 2 by default.
    package var unicastRetransmissionsWithoutProgressCount: UInt8
    /// The time until segments are sent again, n + 1 steps of 25 ms, 0...15; 7 by default.
    package var unicastRetransmissionsIntervalStep: UInt8
    /// The additional time for each further hop of the TTL, n + 1 steps of 25 ms, 0...15; 1 by default.
    package var unicastRetransmissionsIntervalIncrement: UInt8
    /// How often a message to a group or virtual address is transmitted, n + 1 times, 0...15; 2 by default.
    package var multicastRetransmissionsCount: UInt8
    /// The time between those transmissions, n + 1 steps of 25 ms, 0...15; 9 by default.
    package var multicastRetransmissionsIntervalStep: UInt8

    /// The default state of nodes.
    package static let standard = SARTransmitterState(fields: [5, 2, 2, 7, 1, 2, 9])

    /// Takes seven values, of which only the low four bits count.
    private init(fields: [UInt8]) {
        segmentIntervalStep = fields[0] & 0x0F
        unicastRetransmissionsCount = fields[1] & 0x0F
        unicastRetransmissionsWithoutProgressCount = fields[2] & 0x0F
        unicastRetransmissionsIntervalStep = fields[3] & 0x0F
        unicastRetransmissionsIntervalIncrement = fields[4] & 0x0F
        multicastRetransmissionsCount = fields[5] & 0x0F
        multicastRetransmissionsIntervalStep = fields[6] & 0x0F
    }

    /// Reads four octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(fields: try reader.read(4).flatMap { [$0 & 0x0F, $0 >> 4] })
    }

    /// Appends four octets; of values that are too large only the low bits count.
    package func write(to writer: inout ByteWriter) {
        writer.write(segmentIntervalStep & 0x0F | unicastRetransmissionsCount << 4)
        writer.write(unicastRetransmissionsWithoutProgressCount & 0x0F | unicastRetransmissionsIntervalStep << 4)
        writer.write(unicastRetransmissionsIntervalIncrement & 0x0F | multicastRetransmissionsCount << 4)
        writer.write(multicastRetransmissionsIntervalStep & 0x0F)
    }
}

/// The SAR Receiver state, 3 octets (Mesh Protocol 1.1), the low bits of an octet first: 5 and 3 bits, 4 and 4 bits, 2
/// bits and six reserved ones. The latter are ignored when read and written as zero.
package struct SARReceiverState: Hashable, Sendable, AccessField {
    package static let notation = """
        segments_threshold:u5 acknowledgment_delay_increment:u3 discard_timeout:u4 receiver_segment_interval_step:u4 \
        acknowledgment_retransmissions_count:u2 _6
        """
    /// Acknowledgments of messages with a SegN above this are repeated, 0...31; 3 by default.
    package var segmentsThreshold: UInt8
    /// The delay of an acknowledgment, n + 1.5 segment intervals, 0...7; 1 by default.
    package var acknowledgmentDelayIncrement: UInt8
    /// The time after which an incomplete message is discarded, n + 1 steps of 5 s, 0...15; 1 by default.
    package var discardTimeout: UInt8
    /// The interval between segments that the receiver assumes, n + 1 steps of 10 ms, 0...15; 5 by default.
    package var receiverSegmentIntervalStep: UInt8
    /// How often acknowledgments are repeated, 0...3; 0 by default.
    package var acknowledgmentRetransmissionsCount: UInt8

    /// The default state of nodes.
    package static let standard = SARReceiverState(octets: (0x23, 0x51, 0x00))

    private init(octets: (UInt8, UInt8, UInt8)) {
        segmentsThreshold = octets.0 & 0x1F
        acknowledgmentDelayIncrement = octets.0 >> 5
        discardTimeout = octets.1 & 0x0F
        receiverSegmentIntervalStep = octets.1 >> 4
        acknowledgmentRetransmissionsCount = octets.2 & 0x03
    }

    /// Reads three octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(octets: (try reader.readUInt8(), try reader.readUInt8(), try reader.readUInt8()))
    }

    /// Appends three octets; of values that are too large only the low bits count.
    package func write(to writer: inout ByteWriter) {
        writer.write(segmentsThreshold & 0x1F | acknowledgmentDelayIncrement << 5)
        writer.write(discardTimeout & 0x0F | receiverSegmentIntervalStep << 4)
        writer.write(acknowledgmentRetransmissionsCount & 0x03)
    }
}

/// SAR Transmitter Get (Mesh Protocol 1.1).
package struct SARTransmitterGet: ParameterlessMessage, FoundationStateRequest {
    package typealias Status = SARTransmitterStatus
    package static let opcode: Opcode = 0x806C

    package init() {}
}

/// SAR Transmitter Set (Mesh Protocol 1.1).
package struct SARTransmitterSet: FoundationStateRequest, FoundationMessage {
    package typealias Status = SARTransmitterStatus
    package static let opcode: Opcode = 0x806D
    package static let layout = Layout(Self.init, .field("state", \.state))
    /// How the node sends segments.
    package var state: SARTransmitterState

    package init(state: SARTransmitterState) {
        self.state = state
    }
}

/// SAR Transmitter Status (Mesh Protocol 1.1).
package struct SARTransmitterStatus: FoundationStateStatus, FoundationMessage {
    package static let opcode: Opcode = 0x806E
    package static let layout = Layout(Self.init, .field("state", \.state))
    /// How the node sends segments.
    package var state: SARTransmitterState

    package init(state: SARTransmitterState) {
        self.state = state
    }

    package var foundationState: FoundationState { .sarTransmitter(state) }
}

/// SAR Receiver Get (Mesh Protocol 1.1).
package struct SARReceiverGet: ParameterlessMessage, FoundationStateRequest {
    package typealias Status = SARReceiverStatus
    package static let opcode: Opcode = 0x806F

    package init() {}
}

/// SAR Receiver Set (Mesh Protocol 1.1).
package struct SARReceiverSet: FoundationStateRequest, FoundationMessage {
    package typealias Status = SARReceiverStatus
    package static let opcode: Opcode = 0x8070
    package static let layout = Layout(Self.init, .field("state", \.state))
    package var state: SARReceiverState

    package init(state: SARReceiverState) {
        self.state = state
    }
}

/// SAR Receiver Status (Mesh Protocol 1.1).
package struct SARReceiverStatus: FoundationStateStatus, FoundationMessage {
    package static let opcode: Opcode = 0x8071
    package static let layout = Layout(Self.init, .field("state", \.state))
    package var state: SARReceiverState

    package init(state: SARReceiverState) {
        self.state = state
    }

    package var foundationState: FoundationState { .sarReceiver(state) }
}
