/// Packets on a byte stream: each frame is the packet's length as two octets, most significant first, and then the
/// packet, one Proxy PDU segment as it is written to Data In or notified on Data Out.
package enum Frame {
    /// The largest packet, the longest value that a GATT characteristic can have (Core Vol 3 Part F 3.2.9).
    package static let maximumPacketSize = 512

    /// The frame of a packet.
    ///
    /// - Throws: ``FrameError`` for an empty packet or one above ``maximumPacketSize``.
    package static func encode(_ packet: [UInt8]) throws(FrameError) -> [UInt8] {
        guard !packet.isEmpty else { throw .empty }
        guard packet.count <= maximumPacketSize else { throw .tooLong(packet.count) }
        var frame: [UInt8] = []
        frame.reserveCapacity(packet.count + 2)
        frame.append(UInt8(packet.count >> 8))
        frame.append(UInt8(packet.count & 0xFF))
        frame.append(contentsOf: packet)
        return frame
    }
}

/// Why a byte stream is not a sequence of frames; there is no way to find the next frame after it.
package enum FrameError: Error, Hashable, Sendable {
    /// A frame of length 0.
    case empty
    /// A frame that claims that many octets.
    case tooLong(Int)
}

extension FrameError: CustomStringConvertible {
    /// What is wrong, for people.
    package var description: String {
        switch self {
        case .empty: "a frame without content"
        case .tooLong(let length): "a frame of \(length) octets, \(Frame.maximumPacketSize) are the most"
        }
    }
}

/// Takes a byte stream apart into packets, whatever pieces it arrives in.
package struct FrameDecoder: Sendable {
    private var buffer: [UInt8] = []
    private var start = 0

    /// A decoder at the start of a stream.
    package init() {}

    /// Octets that are held and belong to no packet returned yet.
    package var pending: Int { buffer.count - start }

    /// Takes the next piece of the stream. Memory stays bounded when ``next()`` is called until nil before each piece.
    package mutating func append(_ bytes: some Collection<UInt8>) {
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next whole packet, nil until more of the stream is there.
    ///
    /// - Throws: ``FrameError``, and again at every further call.
    package mutating func next() throws(FrameError) -> [UInt8]? {
        guard pending >= 2 else { return nil }
        let length = Int(buffer[start]) << 8 | Int(buffer[start + 1])
        guard length > 0 else { throw .empty }
        guard length <= Frame.maximumPacketSize else { throw .tooLong(length) }
        guard pending >= 2 + length else { return nil }
        let packet = Array(buffer[(start + 2)..<(start + 2 + length)])
        start += 2 + length
        return packet
    }
}
