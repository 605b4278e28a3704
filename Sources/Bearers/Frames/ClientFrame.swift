package import MeshCore

/// A frame that a client sends to a gateway or a simulator process. Integers are big-endian. The client numbers its
/// links and uses no number twice.
///
/// Each type with its body; sizes in octets stand in parentheses:
///
/// - `0x01` hello: magic (4), version (2), then in this version: the longest silence in milliseconds (2: 1...65,535);
///   more octets may follow
/// - `0x02` connect: link (4), kind (1: 0 any proxy, 1 proxy, 2 provisioning), advertiser (0, or 1...32)
/// - `0x03` packet: link (4), packet (1...512)
/// - `0x04` close: link (4)
/// - `0x05` scan: 0 or 1 (1)
/// - `0x06` alive: nothing
package enum ClientFrame: FrameContent, Hashable, Sendable {
    /// The first frame: the client speaks this version, and sends something at least once in so many milliseconds.
    case hello(silence: UInt16)
    /// The first frame of a client that speaks another version.
    case otherVersion(UInt16)
    case connect(LinkIdentifier, LinkTarget)
    /// Write a packet to Data In.
    case packet(LinkIdentifier, [UInt8])
    /// Close a link, or stop connecting.
    case close(LinkIdentifier)
    /// Begin to report what advertises, or stop.
    case scan(Bool)
    /// Nothing to say; the client is still there.
    case alive

    package static func read(_ type: UInt8, _ reader: inout ByteReader) throws -> ClientFrame {
        switch type {
        case 0x01:
            let version = try reader.readVersion(Frame.magic, known: Frame.version)
            guard version == Frame.version else { return .otherVersion(version) }
            let silence = try reader.readSilence()
            _ = reader.readRest()
            return .hello(silence: silence)
        case 0x02:
            let link = try reader.readLink()
            return .connect(link, try target(from: &reader))
        case 0x03:
            let link = try reader.readLink()
            return .packet(link, try reader.readPacket())
        case 0x04: return .close(try reader.readLink())
        case 0x05: return .scan(try reader.readFlag())
        case 0x06: return .alive
        default: throw FrameError.unknownType(type)
        }
    }

    private static func target(from reader: inout ByteReader) throws(DecodeError) -> LinkTarget {
        let kind = try reader.readUInt8()
        let octets = Array(reader.readRest())
        switch kind {
        case 0 where octets.isEmpty: return .anyProxy
        case 1, 2:
            guard (1...Frame.maximumAdvertiserSize).contains(octets.count) else { throw .length(octets.count) }
            let advertiser = AdvertiserIdentifier(rawValue: octets)
            return kind == 1 ? .proxy(advertiser) : .provisioning(advertiser)
        default: throw .prohibited(field: "kind", value: UInt64(kind))
        }
    }

    package var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 40)
        switch self {
        case .hello(let silence):
            writer.write(UInt8(0x01))
            writer.write(Frame.magic)
            writer.write(Frame.version)
            writer.write(max(silence, 1))
        case .otherVersion(let version):
            writer.write(UInt8(0x01))
            writer.write(Frame.magic)
            writer.write(version)
        case .connect(let link, let target):
            writer.write(UInt8(0x02))
            writer.write(link.rawValue)
            switch target {
            case .anyProxy: writer.write(UInt8(0))
            case .proxy(let advertiser):
                writer.write(UInt8(1))
                writer.write(advertiser.rawValue)
            case .provisioning(let advertiser):
                writer.write(UInt8(2))
                writer.write(advertiser.rawValue)
            }
        case .packet(let link, let packet):
            writer.write(UInt8(0x03))
            writer.write(link.rawValue)
            writer.write(packet)
        case .close(let link):
            writer.write(UInt8(0x04))
            writer.write(link.rawValue)
        case .scan(let isOn):
            writer.write(UInt8(0x05))
            writer.write(isOn)
        case .alive: writer.write(UInt8(0x06))
        }
        return writer.bytes
    }
}

extension ByteReader {
    mutating func readPacket() throws(DecodeError) -> [UInt8] {
        let packet = Array(readRest())
        guard (1...Frame.maximumPacketSize).contains(packet.count) else { throw .length(packet.count) }
        return packet
    }

    /// Reads the longest silence in milliseconds.
    mutating func readSilence() throws(DecodeError) -> UInt16 {
        let silence = try readUInt16()
        guard silence > 0 else { throw .prohibited(field: "silence", value: 0) }
        return silence
    }
}
