package import MeshCore

/// A frame that a hub sends to a gateway or a client. Integers are big-endian.
///
/// Each type with its body; sizes in octets stand in parentheses:
///
/// - `0x87` end: as in ``ServerFrame``, so that clients that reach no gateway are told why
/// - `0xA1` welcome: magic (4), version (2), then in this version: the longest silence in milliseconds (2: 1...65,535)
/// - `0xA2` call: call (8), the client's name (1 + 0...80)
/// - `0xA3` alive: nothing
/// - `0xA4` refused: the version that the hub speaks (2)
/// - `0xA5` gateway: name (1 + 1...48), address (1 + 0...80), seconds since 1970 (8), the program's version
///   (1 + 0...32), clients through the hub (2), clients (2), links (2), the most links (2)
/// - `0xA6` listed: seconds since 1970 at which the hub started (8), the program's version (1 + 0...32)
package enum HubReply: FrameContent, Hashable, Sendable {
    /// The gateway is known now. The hub sends something at least once in so many milliseconds.
    case welcome(silence: UInt16)
    /// Another version than ours, in the hub's first frame.
    case otherVersion(UInt16)
    /// Connect for a client, and begin with ``HubRequest/carry(_:)``.
    case call(HubCall, peer: String)
    /// Nothing to say; the hub is still there.
    case alive
    /// The hub speaks that version, and not the other side's.
    case refused(version: UInt16)
    case gateway(HubEntry)
    case listed(since: Timestamp, program: String)
    case end(BearerError)

    package static func read(_ type: UInt8, _ reader: inout ByteReader) throws -> HubReply {
        switch type {
        case 0x87: return .end(try reader.readBearerError())
        case 0xA1:
            let version = try reader.readVersion(HubProtocol.magic, known: HubProtocol.version)
            guard version == HubProtocol.version else { return .otherVersion(version) }
            return .welcome(silence: try reader.readSilence())
        case 0xA2:
            let call = HubCall(rawValue: try reader.readUInt64())
            return .call(call, peer: try reader.readLabel(HubProtocol.maximumPeerSize))
        case 0xA3: return .alive
        case 0xA4: return .refused(version: try reader.readUInt16())
        case 0xA5: return .gateway(try reader.readHubEntry())
        case 0xA6:
            let since = try reader.readTimestamp()
            return .listed(since: since, program: try reader.readLabel(HubProtocol.maximumProgramSize))
        default: throw FrameError.unknownType(type)
        }
    }

    package var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 64)
        switch self {
        case .end(let error):
            writer.write(UInt8(0x87))
            writer.write(error)
        case .welcome(let silence):
            writer.write(UInt8(0xA1))
            writer.write(HubProtocol.magic)
            writer.write(HubProtocol.version)
            writer.write(max(silence, 1))
        case .otherVersion(let version):
            writer.write(UInt8(0xA1))
            writer.write(HubProtocol.magic)
            writer.write(version)
        case .call(let call, let peer):
            writer.write(UInt8(0xA2))
            writer.write(call.rawValue)
            writer.write(label: peer, HubProtocol.maximumPeerSize)
        case .alive: writer.write(UInt8(0xA3))
        case .refused(let version):
            writer.write(UInt8(0xA4))
            writer.write(version)
        case .gateway(let entry):
            writer.write(UInt8(0xA5))
            writer.write(entry)
        case .listed(let since, let program):
            writer.write(UInt8(0xA6))
            writer.write(UInt64(bitPattern: since.rawValue))
            writer.write(label: program, HubProtocol.maximumProgramSize)
        }
        return writer.bytes
    }
}

extension ByteReader {
    /// Reads seconds since 1970.
    fileprivate mutating func readTimestamp() throws(DecodeError) -> Timestamp {
        Timestamp(rawValue: Int64(bitPattern: try readUInt64()))
    }

    fileprivate mutating func readHubEntry() throws(DecodeError) -> HubEntry {
        HubEntry(
            name: try readHubName(),
            peer: try readLabel(HubProtocol.maximumPeerSize),
            since: try readTimestamp(),
            program: try readLabel(HubProtocol.maximumProgramSize),
            throughHub: try readUInt16(),
            load: try readHubLoad()
        )
    }
}

extension ByteWriter {
    fileprivate mutating func write(_ entry: HubEntry) {
        write(label: entry.name.text, HubName.maximumSize)
        write(label: entry.peer, HubProtocol.maximumPeerSize)
        write(UInt64(bitPattern: entry.since.rawValue))
        write(label: entry.program, HubProtocol.maximumProgramSize)
        write(entry.throughHub)
        write(entry.load)
    }
}
