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
package enum ServerFrame: FrameContent, Hashable, Sendable {
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
    case heard(Advertisement)
    /// The first and last frame if the versions differ.
    case refused(version: UInt16)
    /// The last frame: why the connection ends.
    case end(BearerError)
    /// Nothing has happened; the server is still there.
    case alive

    package static func read(_ type: UInt8, _ reader: inout ByteReader) throws -> ServerFrame {
        switch type {
        case 0x81:
            let version = try reader.readVersion(Frame.magic, known: Frame.version)
            guard version == Frame.version else { return .otherVersion(version) }
            let silence = try reader.readSilence()
            let links = try reader.readUInt8()
            guard links > 0 else { throw DecodeError.prohibited(field: "links", value: 0) }
            let canScan = try reader.readFlag()
            _ = reader.readRest()
            return .hello(silence: silence, maximumLinks: links, canScan: canScan)
        case 0x82:
            let link = try reader.readLink()
            let size = Int(try reader.readUInt16())
            guard (1...Frame.maximumPacketSize).contains(size) else { throw DecodeError.length(size) }
            return .opened(link, maximumPacketSize: size, reader.isAtEnd ? nil : try reader.readGATTTimes())
        case 0x83:
            let link = try reader.readLink()
            return .packet(link, try reader.readPacket())
        case 0x84:
            let link = try reader.readLink()
            return .closed(link, try reader.readBearerError())
        case 0x85: return .heard(try reader.readAdvertisement())
        case 0x86: return .refused(version: try reader.readUInt16())
        case 0x87: return .end(try reader.readBearerError())
        case 0x88: return .alive
        default: throw FrameError.unknownType(type)
        }
    }

    package var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 80)
        switch self {
        case .hello(let silence, let maximumLinks, let canScan):
            writer.write(UInt8(0x81))
            writer.write(Frame.magic)
            writer.write(Frame.version)
            writer.write(max(silence, 1))
            writer.write(max(maximumLinks, 1))
            writer.write(canScan)
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
    private mutating func readText() throws(DecodeError) -> String {
        try readText(Int(try readUInt16()), atMost: Frame.maximumTextSize)
    }

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
        let octets = text.octets(atMost: Frame.maximumTextSize)
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
