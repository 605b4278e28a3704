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
package enum ClientFrame: Hashable, Sendable {
    /// The first frame: the client speaks this version, and sends something at least once in so many milliseconds.
    case hello(silence: UInt16)
    /// The first frame of a client that speaks another version.
    case otherVersion(UInt16)
    /// Begin to connect.
    case connect(LinkIdentifier, LinkTarget)
    /// Write a packet to Data In.
    case packet(LinkIdentifier, [UInt8])
    /// Close a link, or stop connecting.
    case close(LinkIdentifier)
    /// Begin to report what advertises, or stop.
    case scan(Bool)
    /// Nothing to say; the client is still there.
    case alive

    /// Reads the content of a frame.
    ///
    /// - Throws: ``FrameError`` for an unknown type, a hello of another protocol, or a malformed body.
    package init(decoding content: [UInt8]) throws(FrameError) {
        guard let type = content.first else { throw .empty }
        var reader = ByteReader(content[1...])
        do {
            switch type {
            case 0x01:
                guard try reader.readUInt32() == Frame.magic else { throw FrameError.foreign }
                let version = try reader.readUInt16()
                self = version == Frame.version ? .hello(silence: try reader.readSilence()) : .otherVersion(version)
                return
            case 0x02:
                let link = LinkIdentifier(rawValue: try reader.readUInt32())
                self = .connect(link, try ClientFrame.target(from: &reader))
            case 0x03:
                let link = LinkIdentifier(rawValue: try reader.readUInt32())
                self = .packet(link, try reader.readPacket())
            case 0x04: self = .close(LinkIdentifier(rawValue: try reader.readUInt32()))
            case 0x05:
                let value = try reader.readUInt8()
                guard value <= 1 else { throw DecodeError.prohibited(field: "scan", value: UInt64(value)) }
                self = .scan(value == 1)
            case 0x06: self = .alive
            default: throw FrameError.unknownType(type)
            }
            try reader.expectEnd()
        } catch let error as FrameError {
            throw error
        } catch {
            throw .malformed(type)
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

    /// The content of the frame.
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
            writer.write(UInt8(isOn ? 1 : 0))
        case .alive: writer.write(UInt8(0x06))
        }
        return writer.bytes
    }
}

extension ByteReader {
    /// Reads the rest as a packet.
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
