import Bearers
import Foundation
import MeshCore
import Testing

@Suite("DatagramPort")
struct DatagramPortTests {
    @Test("Everybody who has sent something hears what is sent, and nobody else")
    func peers() throws {
        let room = try Room()
        let port = try DatagramPort(path: room.path("port"))
        let first = try RawDatagramSocket(room.path("first"), to: room.path("port"))
        let second = try RawDatagramSocket(room.path("second"), to: room.path("port"))
        #expect(port.receive() == nil)
        port.send([0])
        first.send([])
        #expect(port.receive() == [])
        #expect(port.peerCount == 1)
        port.send([1, 2])
        second.send([7])
        #expect(port.receive() == [7])
        port.send([3])
        #expect(first.received() == [[1, 2], [3]])
        #expect(second.received() == [[3]])
        first.send([8])
        #expect(port.receive() == [8] && port.peerCount == 2, "who speaks again is known already")
    }

    @Test("Who is gone is forgotten, and who does not read loses what there is no room for")
    func gone() throws {
        let room = try Room()
        let port = try DatagramPort(path: room.path("port"))
        var peer: RawDatagramSocket? = try RawDatagramSocket(room.path("peer"), to: room.path("port"))
        peer?.send([1])
        #expect(port.receive() == [1])
        for _ in 0..<20_000 { port.send([UInt8](repeating: 9, count: 31)) }
        #expect(port.peerCount == 1)
        peer = nil
        port.send([2])
        #expect(port.peerCount == 0)
        // Who has no address cannot be sent to.
        try RawDatagramSocket(nil, to: room.path("port")).send([5])
        #expect(port.receive() == [5] && port.peerCount == 0)
    }

    @Test("Of too many peers the one that was silent longest is forgotten")
    func crowd() throws {
        let room = try Room()
        let port = try DatagramPort(path: room.path("port"))
        let peers = try (0...DatagramPort.maximumPeers).map {
            try RawDatagramSocket(room.path("\($0)"), to: room.path("port"))
        }
        for peer in peers {
            peer.send([1])
            _ = port.receive()
        }
        #expect(port.peerCount == DatagramPort.maximumPeers)
        port.send([2])
        #expect(peers[0].received() == [] && peers[1].received() == [[2]])
    }

    @Test("The file has mode 0600, is replaced if nobody uses it, and goes with the port; others' files stay")
    func file() throws {
        let room = try Room()
        let path = room.path("port")
        var port: DatagramPort? = try DatagramPort(path: path)
        #expect(try room.mode("port") == 0o600)
        #expect(throws: BearerError("cannot listen at unix:\(path): another process already listens there")) {
            _ = try DatagramPort(path: path)
        }
        port?.close()
        port = nil
        #expect(!FileManager.default.fileExists(atPath: path))
        // As a killed process leaves it.
        RawDatagramSocket.leaveFile(at: path)
        port = try DatagramPort(path: path)
        port = nil
        try Data("text".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: BearerError("cannot listen at unix:\(path): the file exists and is not a socket")) {
            _ = try DatagramPort(path: path)
        }
        #expect(throws: BearerError.self) { _ = try DatagramPort(path: room.path("no/such/folder")) }
    }
}

/// A folder for sockets, whose paths must be short.
private final class Room {
    private let folder = "/tmp/meshplan-\(UInt32.random(in: 0...UInt32.max))"

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
    }
}
