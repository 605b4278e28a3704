import Bearers
import MeshCore
import Simulator

/// Carries the advertising bearer between a simulated world and real nodes on this machine. A datagram is the
/// advertising data of one packet: AD structures of a length, a type and data (Core Vol 3 Part C 11).
final class SimulatorAir {
    private let port: DatagramPort
    private let world: SimulatedWorld
    private var nextBeacons: Instant

    private static let meshMessage: UInt8 = 0x2A
    private static let meshBeacon: UInt8 = 0x2B
    /// The most octets of legacy advertising data.
    private static let maximumSize = 31

    /// Opens a socket through which real nodes join the radio of a world.
    ///
    /// - Throws: ``BearerError`` if the socket cannot be opened.
    init(_ address: SocketAddress, _ world: SimulatedWorld) throws {
        guard case .unix(let path) = address else {
            throw BearerError("real nodes join by a Unix socket only, not at \(address)")
        }
        port = try DatagramPort(path: path)
        self.world = world
        nextBeacons = world.now
        world.onAir = { [port] packet in
            if let data = Self.encoded(packet) { port.send(data) }
        }
    }

    /// The descriptor that becomes readable when a real node has sent something.
    var descriptor: Int32? { port.descriptor }

    /// Delivers what real nodes have sent to the world, and sends them the beacons that are due.
    func poll() {
        while let data = port.receive() {
            for packet in Self.packets(data) { world.hear(packet) }
        }
        guard port.peerCount > 0, world.now >= nextBeacons else { return }
        nextBeacons = world.now.advanced(by: SimulatedWorld.beaconInterval)
        world.sendBeaconsToStrangers()
    }

    func close() {
        world.onAir = nil
        port.close()
    }

    private static func encoded(_ packet: AirPacket) -> [UInt8]? {
        let (type, data) =
            switch packet {
            case .message(let pdu): (meshMessage, pdu)
            case .beacon(let beacon): (meshBeacon, beacon)
            }
        guard data.count + 2 <= maximumSize else { return nil }
        return [UInt8(data.count + 1), type] + data
    }

    private static func packets(_ data: [UInt8]) -> [AirPacket] {
        var packets: [AirPacket] = []
        var reader = ByteReader(data)
        // A length of 0 ends the data early.
        while let length = try? reader.readUInt8(), length > 0, let structure = try? reader.read(Int(length)) {
            switch structure.first {
            case meshMessage: packets.append(.message(Array(structure.dropFirst())))
            case meshBeacon: packets.append(.beacon(Array(structure.dropFirst())))
            default: break
            }
        }
        return packets
    }
}
