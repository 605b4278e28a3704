package import MeshCore

/// A frame that a gateway or a simulator process sends to a client. Integers are big-endian. A text is its length (2)
/// and then UTF-8, 400 octets at most.
///
/// Each type with its body; sizes in octets stand in parentheses:
///
/// - `0x81` hello: magic (4), version (2), then in this version: the longest silence in milliseconds (2: 1...65,535),
///   links at once (1: 1...255), whether it can scan (1); more octets may follow
/// - `0x82` opened: link (4), largest packet (2: 1...512), then over Bluetooth how long it took, in milliseconds (2
///   each, 65,535 for more): waiting, connection, MTU exchange, discovery, subscription
/// - `0x83` packet: link (4), packet (1...512)
/// - `0x84` closed: link (4), message (text), hint (text, empty if there is none)
/// - `0x85` heard: advertiser (1 + 1...32), signal known (1), signal in dBm (1), hash known (1), URI hash (4), kind (1:
///   0 unprovisioned, 1 proxy), service data (the rest)
/// - `0x86` refused: version that the server speaks (2); the connection ends
/// - `0x87` end: message (text), hint (text); the connection ends
/// - `0x88` alive: nothing
package enum ServerFrame: Hashable, Sendable {
    /// The first frame if the versions are the same. The server sends something at least once in so many milliseconds.
    case hello(silence: UInt16, maximumLinks: UInt8, canScan: Bool)
    /// The first frame of a server that speaks another version and did not notice the client's version.
    case otherVersion(UInt16)
    /// A link is open. Links over Bluetooth also tell how long that took.
    case opened(LinkIdentifier, maximumPacketSize: Int, GATTTimes? = nil)
    /// A packet was notified on Data Out.
    case packet(LinkIdentifier, [UInt8])
    /// A link has ended or failed.
    case closed(LinkIdentifier, BearerError)
    /// Something that advertises was heard.
    case heard(Advertisement)
    /// The first and last frame if the versions differ.
    case refused(version: UInt16)
    /// The last frame: why the connection ends.
    case end(BearerError)
    /// Nothing has happened; the server is still there.
    case alive

    /// Reads the content of a frame.
    ///
    /// - Throws: ``FrameError`` for an unknown type, a hello of another protocol, or a malformed body.
    package init(decoding content: [UInt8]) throws(FrameError) {
        guard let type = content.first else { throw .empty }
        var reader = ByteReader(content[1...])
        do {
            switch type {
            case 0x81:
                guard try reader.readUInt32() == Frame.magic else { throw FrameError.foreign }
                let version = try reader.readUInt16()
                guard version == Frame.version else {
                    self = .otherVersion(version)
                    return
                }
                let silence = try reader.readSilence()
                let links = try reader.readUInt8()
                guard links > 0 else { throw DecodeError.prohibited(field: "links", value: 0) }
                self = .hello(silence: silence, maximumLinks: links, canScan: try reader.readFlag())
                return
            case 0x82:
                let link = LinkIdentifier(rawValue: try reader.readUInt32())
                let size = Int(try reader.readUInt16())
                guard (1...Frame.maximumPacketSize).contains(size) else { throw DecodeError.length(size) }
                self = .opened(link, maximumPacketSize: size, reader.isAtEnd ? nil : try reader.readGATTTimes())
            case 0x83:
                let link = LinkIdentifier(rawValue: try reader.readUInt32())
                self = .packet(link, try reader.readPacket())
            case 0x84:
                let link = LinkIdentifier(rawValue: try reader.readUInt32())
                self = .closed(link, try reader.readBearerError())
            case 0x85: self = .heard(try reader.readAdvertisement())
            case 0x86: self = .refused(version: try reader.readUInt16())
            case 0x87: self = .end(try reader.readBearerError())
            case 0x88: self = .alive
            default: throw FrameError.unknownType(type)
            }
            try reader.expectEnd()
        } catch let error as FrameError {
            throw error
        } catch {
            throw .malformed(type)
        }
    }

    /// The content of the frame. Texts are cut to fit, and sizes are limited to their range.
    package var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 80)
        switch self {
        case .hello(let silence, let maximumLinks, let canScan):
            writer.write(UInt8(0x81))
            writer.write(Frame.magic)
            writer.write(Frame.version)
            writer.write(max(silence, 1))
            writer.write(max(maximumLinks, 1))
            writer.write(UInt8(canScan ? 1 : 0))
        case .otherVersion(let version):
            writer.write(UInt8(0x81))
            writer.write(Frame.magic)
            writer.write(version)
        case .opened(let link, let size, let times):
            writer.write(UInt8(0x82))
            writer.write(link.rawValue)
            writer.write(UInt16(min(max(size, 1), Frame.maximumPacketSize)))
            if let times { writer.write(times) }
        case .packet(let link, let packet):
            writer.write(UInt8(0x83))
            writer.write(link.rawValue)
            writer.write(packet)
        case .closed(let link, let error):
            writer.write(UInt8(0x84))
            writer.write(link.rawValue)
            writer.write(error)
        case .heard(let advertisement):
            writer.write(UInt8(0x85))
            writer.write(advertisement)
        case .refused(let version):
            writer.write(UInt8(0x86))
            writer.write(version)
        case .end(let error):
            writer.write(UInt8(0x87))
            writer.write(error)
        case .alive: writer.write(UInt8(0x88))
        }
        return writer.bytes
    }
}

extension ByteReader {
    fileprivate mutating func readFlag() throws(DecodeError) -> Bool {
        let value = try readUInt8()
        guard value <= 1 else { throw .prohibited(field: "flag", value: UInt64(value)) }
        return value == 1
    }

    /// Reads a text for people. Invalid UTF-8 and characters that move a terminal's cursor become U+FFFD.
    private mutating func readText() throws(DecodeError) -> String {
        let count = Int(try readUInt16())
        guard count <= Frame.maximumTextSize else { throw .length(count) }
        var text = String.UnicodeScalarView()
        for scalar in String(decoding: try read(count), as: UTF8.self).unicodeScalars {
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            text.append(isControl ? "\u{FFFD}" : scalar)
        }
        return String(text)
    }

    /// Reads an error in words.
    mutating func readBearerError() throws(DecodeError) -> BearerError {
        let message = try readText()
        let hint = try readText()
        return BearerError(message, hint: hint.isEmpty ? nil : Advice(hint))
    }

    fileprivate mutating func readGATTTimes() throws(DecodeError) -> GATTTimes {
        GATTTimes(
            wait: .milliseconds(Int(try readUInt16())),
            connection: .milliseconds(Int(try readUInt16())),
            mtuExchange: .milliseconds(Int(try readUInt16())),
            discovery: .milliseconds(Int(try readUInt16())),
            subscription: .milliseconds(Int(try readUInt16()))
        )
    }

    fileprivate mutating func readAdvertisement() throws(DecodeError) -> Advertisement {
        let count = Int(try readUInt8())
        guard (1...Frame.maximumAdvertiserSize).contains(count) else { throw .length(count) }
        let advertiser = AdvertiserIdentifier(rawValue: Array(try read(count)))
        let isSignalKnown = try readFlag()
        let signal = Int8(bitPattern: try readUInt8())
        let isHashKnown = try readFlag()
        let hash = try readUInt32()
        let kind = try readUInt8()
        let data = Array(readRest())
        let content: Advertisement.Content
        switch kind {
        case 0:
            content = .unprovisioned(try ProvisioningAdvertisement(decoding: data), uriHash: isHashKnown ? hash : nil)
        case 1: content = .proxy(try ProxyAdvertisement(decoding: data))
        default: throw .prohibited(field: "kind", value: UInt64(kind))
        }
        return Advertisement(advertiser: advertiser, content: content, signal: isSignalKnown ? signal : nil)
    }
}

extension ByteWriter {
    private mutating func write(text: String) {
        var octets: [UInt8] = []
        for scalar in text.unicodeScalars {
            let encoded = UTF8.encode(scalar).map(Array.init) ?? []
            guard octets.count + encoded.count <= Frame.maximumTextSize else { break }
            octets += encoded
        }
        write(UInt16(octets.count))
        write(octets)
    }

    /// Writes an error in words, cut to fit.
    mutating func write(_ error: BearerError) {
        write(text: error.message)
        write(text: error.hint?.text ?? "")
    }

    fileprivate mutating func write(_ times: GATTTimes) {
        for time in [times.wait, times.connection, times.mtuExchange, times.discovery, times.subscription] {
            write(UInt16(clamping: time.microseconds / 1_000))
        }
    }

    fileprivate mutating func write(_ advertisement: Advertisement) {
        let advertiser = advertisement.advertiser.rawValue.prefix(Frame.maximumAdvertiserSize)
        write(UInt8(advertiser.count))
        write(advertiser)
        write(UInt8(advertisement.signal == nil ? 0 : 1))
        write(UInt8(bitPattern: advertisement.signal ?? 0))
        switch advertisement.content {
        case .unprovisioned(let data, let hash):
            write(UInt8(hash == nil ? 0 : 1))
            write(hash ?? 0)
            write(UInt8(0))
            write(data.encoded)
        case .proxy(let data):
            write(UInt8(0))
            write(UInt32(0))
            write(UInt8(1))
            write(data.encoded)
        }
    }
}
