import Foundation
import Testing

@testable import MeshplanCLI

@Suite("meshplan sim run --air")
struct SimulatorAirTests {
    @Test("a real node that joins hears a beacon of the simulated network, and what it sends is taken for what it is")
    func joined() throws {
        let fixture = try CommandFixture.house()
        let simulator = SimulatorThread(
            beside: fixture,
            ["--listen", "unix:mesh.sock", "--air", "unix:air.sock", "--speed", "20"]
        )
        try waitForSocket("mesh.sock", in: fixture)
        let path = fixture.folder.appendingPathComponent("air.sock").path
        let node = try RealNode(at: path)
        node.send([])
        let beacon = try #require(node.next())
        // One structure of 23 octets: the AD type of mesh beacons, and a Secure Network beacon of 22 octets.
        #expect(beacon.count == 24 && beacon.prefix(3) == [0x17, 0x2B, 0x01])
        let hostile: [[UInt8]] = [[0x05, 0x2A, 1, 2, 3, 4], [0xFF], [0x02, 0x29, 0x00], [0x00]]
        for data in hostile + [[UInt8](repeating: 0x2A, count: 900)] {
            node.send(data)
        }
        let apply = fixture.run("apply", "--via", "unix:mesh.sock", "--auto-approve")
        #expect(apply.status == 0)
        // Real nodes also heard the messages that the apply sent to simulated nodes.
        var types: Set<UInt8> = []
        while let data = node.next(waiting: false) { types.insert(data[1]) }
        #expect(types.contains(0x2A))
        #expect(simulator.stop()?.status == 0)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("where real nodes cannot join is refused", arguments: ["tcp:127.0.0.1:4000", "air.sock", "unix:"])
    func refused(address: String) throws {
        let fixture = try CommandFixture.house()
        let result = fixture.run("sim", "--listen", "unix:mesh.sock", "--air", address)
        #expect(result.status == 64)
    }
}

/// A program in the role of a real node.
private final class RealNode {
    private let number: Int32
    private let folder: URL

    init(at path: String) throws {
        folder = URL(fileURLWithPath: "/tmp/meshplan-\(UInt32.random(in: 0...UInt32.max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        #if canImport(Darwin)
        number = socket(AF_UNIX, SOCK_DGRAM, 0)
        #else
        number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        #endif
        let number = self.number
        try #require(Self.address(folder.appendingPathComponent("node").path) { bind(number, $0, $1) } == 0)
        try #require(Self.address(path) { connect(number, $0, $1) } == 0)
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(number)
        try? FileManager.default.removeItem(at: folder)
    }

    func send(_ data: [UInt8]) { _ = write(number, data, data.count) }

    func next(waiting: Bool = true) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        #if canImport(Darwin)
        let flags = waiting ? 0 : MSG_DONTWAIT
        #else
        let flags = waiting ? 0 : Int32(MSG_DONTWAIT)
        #endif
        let count = recv(number, &buffer, buffer.count, flags)
        return count > 1 ? Array(buffer.prefix(count)) : nil
    }

    private static func address(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
