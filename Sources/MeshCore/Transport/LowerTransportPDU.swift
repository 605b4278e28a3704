/// A lower transport PDU (Mesh Protocol 3.5.2). All fields are big-endian.
package enum LowerTransportPDU: Hashable, Sendable {
    /// An unsegmented access message: SEG 0, AKF (1 bit), AID (6); then the upper transport PDU, 5 to 15 octets. `aid`
    /// is nil (AKF 0) for a device key.
    case access(aid: UInt8?, [UInt8])
    /// An unsegmented control message: SEG 0, opcode (7 bits, not 0); then 0 to 11 octets of parameters.
    case control(opcode: UInt8, [UInt8])
    /// A segment acknowledgment: control opcode 0.
    case acknowledgment(SegmentAcknowledgment)
    /// A segment of an access or control message.
    case segment(Segment)

    /// The most octets of an upper transport access PDU without segmentation.
    static let maximumAccessSize = 15
    /// The fewest octets of an upper transport access PDU: an opcode and a TransMIC of 32 bits.
    static let minimumAccessSize = 5
    /// The most parameter octets of a control message without segmentation.
    static let maximumControlSize = 11

    /// Reads a PDU; `isControl` is CTL of its network header. Reserved bits are ignored, as the specification demands.
    package init(decoding bytes: [UInt8], isControl: Bool) throws(DecodeError) {
        var reader = ByteReader(bytes)
        let first = try reader.readUInt8()
        if first & 0x80 != 0 {
            self = .segment(try Segment(first: first, rest: &reader, isControl: isControl))
        } else if isControl {
            let opcode = first & 0x7F
            if opcode == 0 {
                self = .acknowledgment(try SegmentAcknowledgment(decoding: &reader))
                return
            }
            guard reader.remaining <= LowerTransportPDU.maximumControlSize else { throw .length(bytes.count) }
            self = .control(opcode: opcode, Array(reader.readRest()))
        } else {
            let aid = try LowerTransportPDU.aid(first)
            let sizes = LowerTransportPDU.minimumAccessSize...LowerTransportPDU.maximumAccessSize
            guard sizes.contains(reader.remaining) else { throw .length(bytes.count) }
            self = .access(aid: aid, Array(reader.readRest()))
        }
    }

    package var encoded: [UInt8] {
        switch self {
        case .access(let aid, let upper): [LowerTransportPDU.octet(aid)] + upper
        case .control(let opcode, let parameters): [opcode & 0x7F] + parameters
        case .acknowledgment(let acknowledgment): acknowledgment.encoded
        case .segment(let segment): segment.encoded
        }
    }

    static func aid(_ first: UInt8) throws(DecodeError) -> UInt8? {
        if first & 0x40 != 0 { return first & 0x3F }
        guard first & 0x3F == 0 else { throw .prohibited(field: "AID", value: UInt64(first & 0x3F)) }
        return nil
    }

    static func octet(_ aid: UInt8?) -> UInt8 { aid.map { 0x40 | $0 & 0x3F } ?? 0 }
}

/// Tells which segments have arrived (Mesh Protocol 3.5.2.3.1): OBO (1 bit), SeqZero (13), 2 reserved bits, BlockAck
/// (32).
package struct SegmentAcknowledgment: Hashable, Sendable {
    /// Whether a Friend sends it on behalf of its Low Power node.
    package var isOnBehalfOf: Bool
    /// The SeqZero of the segments, 13 bits.
    package var seqZero: UInt16
    /// Bit n stands for segment n. 0 tells the sender to give up.
    package var blockAck: UInt32

    /// An acknowledgment; only the low 13 bits of `seqZero` count.
    package init(isOnBehalfOf: Bool = false, seqZero: UInt16, blockAck: UInt32) {
        self.isOnBehalfOf = isOnBehalfOf
        self.seqZero = seqZero & 0x1FFF
        self.blockAck = blockAck
    }

    init(decoding reader: inout ByteReader) throws(DecodeError) {
        let fields = try reader.readUInt16()
        isOnBehalfOf = fields & 0x8000 != 0
        seqZero = fields >> 2 & 0x1FFF
        blockAck = try reader.readUInt32()
        try reader.expectEnd()
    }

    /// The lower transport PDU, 7 octets.
    package var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 7)
        writer.write(UInt8(0))
        writer.write((isOnBehalfOf ? 0x8000 : 0) | (seqZero & 0x1FFF) << 2)
        writer.write(blockAck)
        return writer.bytes
    }
}

/// A segment (Mesh Protocol 3.5.2.2 and 3.5.2.4). After the first octet: SZMIC (1 bit), SeqZero (13), SegO (5), SegN
/// (5).
package struct Segment: Hashable, Sendable {
    /// The kind of message.
    package enum Content: Hashable, Sendable {
        /// An access message. `aid` is nil for a device key, `mic` is the size of the TransMIC.
        case access(aid: UInt8?, mic: MICSize)
        /// A control message with an opcode of 7 bits, not 0.
        case control(opcode: UInt8)

        /// The number of octets in every segment except the last.
        package var segmentSize: Int {
            switch self {
            case .access: 12
            case .control: 8
            }
        }
    }

    /// The kind of message.
    package var content: Content
    /// The low 13 bits of the sequence number of the first segment.
    package var seqZero: UInt16
    /// SegO: the number of this segment, 0 to 31.
    package var offset: UInt8
    /// SegN: the number of the last segment, 0 to 31.
    package var last: UInt8
    /// Octets of the upper transport PDU: 12 of an access message, 8 of a control message, at least one in the last
    /// segment.
    package var bytes: [UInt8]

    /// A segment; only the low 13 bits of `seqZero` and the low 5 bits of `offset` and `last` count.
    package init(content: Content, seqZero: UInt16, offset: UInt8, last: UInt8, bytes: [UInt8]) {
        self.content = content
        self.seqZero = seqZero & 0x1FFF
        self.offset = offset & 0x1F
        self.last = last & 0x1F
        self.bytes = bytes
    }

    init(first: UInt8, rest reader: inout ByteReader, isControl: Bool) throws(DecodeError) {
        let fields = try reader.readUInt24()
        if isControl {
            guard first & 0x7F != 0 else { throw .prohibited(field: "opcode", value: 0) }
            content = .control(opcode: first & 0x7F)
        } else {
            content = .access(aid: try LowerTransportPDU.aid(first), mic: fields >> 23 == 1 ? .bits64 : .bits32)
        }
        seqZero = UInt16(truncatingIfNeeded: fields >> 10) & 0x1FFF
        offset = UInt8(truncatingIfNeeded: fields >> 5) & 0x1F
        last = UInt8(truncatingIfNeeded: fields) & 0x1F
        guard offset <= last else { throw .prohibited(field: "SegO", value: UInt64(offset)) }
        let size = reader.remaining
        guard offset == last ? (1...content.segmentSize).contains(size) : size == content.segmentSize else {
            throw .length(4 + size)
        }
        bytes = Array(reader.readRest())
    }

    /// The lower transport PDU.
    package var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 4 + bytes.count)
        var fields = UInt32(seqZero & 0x1FFF) << 10 | UInt32(offset & 0x1F) << 5 | UInt32(last & 0x1F)
        switch content {
        case .access(let aid, let mic):
            writer.write(0x80 | LowerTransportPDU.octet(aid))
            if mic == .bits64 { fields |= 1 << 23 }
        case .control(let opcode): writer.write(0x80 | opcode & 0x7F)
        }
        writer.writeUInt24(fields)
        writer.write(bytes)
        return writer.bytes
    }

    /// Splits an upper transport PDU into 1 to 32 segments; nil if it needs another number.
    package static func segments(of upper: [UInt8], content: Content, sequence: UInt32) -> [Segment]? {
        let size = content.segmentSize
        let count = (upper.count + size - 1) / size
        guard (1...32).contains(count) else { return nil }
        return (0..<count).map { offset in
            Segment(
                content: content,
                seqZero: UInt16(truncatingIfNeeded: sequence & 0x1FFF),
                offset: UInt8(offset),
                last: UInt8(count - 1),
                bytes: Array(upper[offset * size..<min(upper.count, (offset + 1) * size)])
            )
        }
    }

    /// The sequence number of SeqAuth: the greatest one not above that of the PDU whose low bits are SeqZero. Nil if
    /// there is none.
    package static func sequence(ofFirst seqZero: UInt16, in sequence: UInt32) -> UInt32? {
        let behind = (sequence &- UInt32(seqZero)) & 0x1FFF
        return behind <= sequence ? sequence - behind : nil
    }
}
