package import MeshCore

/// Frames on a byte stream. Each is the length of its content (2, big-endian) and then the content: a type (1) and a
/// body; see ``ClientFrame`` and ``ServerFrame``.
package enum Frame {
    /// The version of the frames that this program speaks. Different versions refuse each other.
    package static let version: UInt16 = 2
    /// The start of the first frame in each direction, `mesh`, which tells this protocol from others.
    static let magic: UInt32 = 0x6D65_7368
    /// The most octets of a frame's content.
    package static let maximumContentSize = 1_024
    /// The most octets of a packet: the longest value of a GATT characteristic (Core Vol 3 Part F 3.2.9).
    package static let maximumPacketSize = 512
    /// The most octets of a message or a hint in UTF-8; longer ones are cut.
    package static let maximumTextSize = 400
    /// The most octets of an ``AdvertiserIdentifier``.
    package static let maximumAdvertiserSize = 32

    /// The frame with a content.
    ///
    /// - Throws: ``FrameError`` for an empty content or one above ``maximumContentSize``.
    package static func encode(_ content: [UInt8]) throws(FrameError) -> [UInt8] {
        guard !content.isEmpty else { throw .empty }
        guard content.count <= maximumContentSize else { throw .tooLong(content.count) }
        var frame: [UInt8] = []
        frame.reserveCapacity(content.count + 2)
        frame.append(UInt8(content.count >> 8))
        frame.append(UInt8(content.count & 0xFF))
        frame.append(contentsOf: content)
        return frame
    }
}

/// What frames of one direction hold.
package protocol FrameContent {
    /// Reads the body of a frame of that type.
    ///
    /// - Throws: ``FrameError``, or `DecodeError` for a malformed body.
    static func read(_ type: UInt8, _ reader: inout ByteReader) throws -> Self

    /// The content of the frame. Texts are cut to fit, and sizes are limited to their range.
    var encoded: [UInt8] { get }
}

extension FrameContent {
    /// Reads the content of a frame.
    ///
    /// - Throws: ``FrameError`` for an unknown type, a first frame of another protocol, or a malformed body.
    package init(decoding content: [UInt8]) throws(FrameError) {
        guard let type = content.first else { throw .empty }
        var reader = ByteReader(content[1...])
        do {
            self = try Self.read(type, &reader)
            try reader.expectEnd()
        } catch let error as FrameError {
            throw error
        } catch {
            throw .malformed(type)
        }
    }
}

extension ByteReader {
    /// Reads the start of a first frame: the version that the other side speaks. Other versions may have any body.
    ///
    /// - Throws: ``FrameError/foreign`` for another protocol.
    mutating func readVersion(_ magic: UInt32, known: UInt16) throws -> UInt16 {
        guard try readUInt32() == magic else { throw FrameError.foreign }
        let version = try readUInt16()
        if version != known { _ = readRest() }
        return version
    }

    mutating func readLink() throws(DecodeError) -> LinkIdentifier {
        LinkIdentifier(rawValue: try readUInt32())
    }

    /// Reads so many octets of text. Invalid UTF-8 and characters that move a terminal's cursor become U+FFFD.
    mutating func readText(_ count: Int, atMost limit: Int) throws(DecodeError) -> String {
        guard count <= limit else { throw .length(count) }
        var text = String.UnicodeScalarView()
        for scalar in String(decoding: try read(count), as: UTF8.self).unicodeScalars {
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            text.append(isControl ? "\u{FFFD}" : scalar)
        }
        return String(text)
    }
}

extension String {
    /// The text in UTF-8, cut behind the last character that fits.
    func octets(atMost limit: Int) -> [UInt8] {
        var octets: [UInt8] = []
        for scalar in unicodeScalars {
            let encoded = UTF8.encode(scalar).map(Array.init) ?? []
            guard octets.count + encoded.count <= limit else { break }
            octets += encoded
        }
        return octets
    }
}

/// Why a byte stream is not a valid sequence of frames. The stream cannot go on after it.
package enum FrameError: Error, Hashable, Sendable {
    /// A frame of length 0.
    case empty
    /// A frame with that length, which is too large.
    case tooLong(Int)
    /// A frame of a type that does not exist, or not in this direction.
    case unknownType(UInt8)
    /// A frame of that type with a malformed body.
    case malformed(UInt8)
    /// A hello that begins with other octets: the other side speaks another protocol.
    case foreign
    /// The start of TLS, on a connection without TLS.
    case secured
}

extension FrameError: CustomStringConvertible {
    /// What is wrong, as the end of “the other side sent …”.
    package var description: String {
        switch self {
        case .empty: "a frame without content"
        case .tooLong(let length): "a frame of \(length) octets (at most \(Frame.maximumContentSize) are allowed)"
        case .unknownType(let type): "a frame of the unknown type 0x\(String(type, radix: 16))"
        case .malformed(let type): "a malformed frame of type 0x\(String(type, radix: 16))"
        case .secured: "the beginning of TLS, which this connection does not have"
        case .foreign: "data other than meshplan's frames"
        }
    }
}

/// Splits a byte stream into the contents of frames, whatever pieces it arrives in.
package struct FrameDecoder: Sendable {
    private var buffer: [UInt8] = []
    private var start = 0

    package init() {}

    /// How many octets wait for the rest of their frame.
    package var pending: Int { buffer.count - start }

    /// Takes out what has been added and not been returned, for a stream that goes on without frames.
    mutating func takeRest() -> [UInt8] {
        defer { (buffer, start) = ([], 0) }
        return Array(buffer[start...])
    }

    /// Adds the next piece of the stream. Memory stays bounded if ``next()`` is called until nil before each piece.
    package mutating func append(_ bytes: some Collection<UInt8>) {
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next whole content; nil until more of the stream has arrived.
    ///
    /// - Throws: ``FrameError`` if the stream is invalid; every further call throws it again.
    package mutating func next() throws(FrameError) -> [UInt8]? {
        guard pending >= 2 else { return nil }
        let length = Int(buffer[start]) << 8 | Int(buffer[start + 1])
        guard length > 0 else { throw .empty }
        guard length <= Frame.maximumContentSize else {
            // A TLS handshake record with the major version 3 (RFC 8446, 5.1).
            throw length == 0x1603 ? .secured : .tooLong(length)
        }
        guard pending >= 2 + length else { return nil }
        let content = Array(buffer[(start + 2)..<(start + 2 + length)])
        start += 2 + length
        return content
    }
}
