package import MeshCore

/// What the sides of a hub agree on. Hub, gateways and clients exchange frames (``Frame``), until the hub joins a
/// client with its gateway; from then on the hub passes octets on and looks at none of them.
package enum HubProtocol {
    /// The version that this program speaks. Different versions refuse each other.
    package static let version: UInt16 = 1
    /// The start of the first frame to a hub, `mhub`, which tells this protocol from others.
    static let magic: UInt32 = 0x6D68_7562
    /// The most octets of the name of a program's version.
    package static let maximumProgramSize = 32
    /// The most octets of the name of a client.
    package static let maximumPeerSize = 80
}

/// A frame that a gateway or a client sends to a hub. Integers are big-endian.
///
/// Each type with its body; sizes in octets stand in parentheses. The first three begin a connection, and start with:
/// magic (4), version (2).
///
/// - `0x21` announce: the longest silence in milliseconds (2: 1...65,535), name (1 + 1...48), the program's version
///   (1 + 0...32)
/// - `0x22` reach: name (1 + 1...48)
/// - `0x23` list: nothing
/// - `0x24` carry: call (8), the first frame of a gateway's connection for a client
/// - `0x25` load: clients (2), links (2), the most links (2); it is also a sign of life
package enum HubRequest: FrameContent, Hashable, Sendable {
    /// The gateway with that name is there. It sends something at least once in so many milliseconds.
    case announce(HubName, program: String, silence: UInt16)
    /// Join this connection with the gateway with that name.
    case reach(HubName)
    /// Tell which gateways are there.
    case list
    /// Join this connection with the client of a call.
    case carry(HubCall)
    case load(HubLoad)
    /// The first frame of a side that speaks another version.
    case otherVersion(UInt16)

    package static func read(_ type: UInt8, _ reader: inout ByteReader) throws -> HubRequest {
        switch type {
        case 0x21, 0x22, 0x23:
            let version = try reader.readVersion(HubProtocol.magic, known: HubProtocol.version)
            guard version == HubProtocol.version else { return .otherVersion(version) }
            switch type {
            case 0x21:
                let silence = try reader.readSilence()
                let name = try reader.readHubName()
                return .announce(name, program: try reader.readLabel(HubProtocol.maximumProgramSize), silence: silence)
            case 0x22: return .reach(try reader.readHubName())
            default: return .list
            }
        case 0x24: return .carry(HubCall(rawValue: try reader.readUInt64()))
        case 0x25: return .load(try reader.readHubLoad())
        default: throw FrameError.unknownType(type)
        }
    }

    package var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 64)
        func begin(_ type: UInt8) {
            writer.write(type)
            writer.write(HubProtocol.magic)
            writer.write(HubProtocol.version)
        }
        switch self {
        case .announce(let name, let program, let silence):
            begin(0x21)
            writer.write(max(silence, 1))
            writer.write(label: name.text, HubName.maximumSize)
            writer.write(label: program, HubProtocol.maximumProgramSize)
        case .reach(let name):
            begin(0x22)
            writer.write(label: name.text, HubName.maximumSize)
        case .list: begin(0x23)
        case .carry(let call):
            writer.write(UInt8(0x24))
            writer.write(call.rawValue)
        case .load(let load):
            writer.write(UInt8(0x25))
            writer.write(load)
        case .otherVersion(let version):
            writer.write(UInt8(0x23))
            writer.write(HubProtocol.magic)
            writer.write(version)
        }
        return writer.bytes
    }
}

extension ByteReader {
    mutating func readLabel(_ limit: Int) throws(DecodeError) -> String {
        try readText(Int(try readUInt8()), atMost: limit)
    }

    mutating func readHubName() throws(DecodeError) -> HubName {
        let text = try readLabel(HubName.maximumSize)
        guard let name = HubName(text) else { throw .length(text.utf8.count) }
        return name
    }

    mutating func readHubLoad() throws(DecodeError) -> HubLoad {
        HubLoad(clients: try readUInt16(), links: try readUInt16(), maximumLinks: try readUInt16())
    }
}

extension ByteWriter {
    /// Writes a short text, cut to fit.
    mutating func write(label: String, _ limit: Int) {
        let octets = label.octets(atMost: limit)
        write(UInt8(octets.count))
        write(octets)
    }

    mutating func write(_ load: HubLoad) {
        write(load.clients)
        write(load.links)
        write(load.maximumLinks)
    }
}
