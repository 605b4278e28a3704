import Foundation

/// The radio of the guest system that `Tests/KernelBluetooth` boots: `gatt_server.py`, which creates adapters of the
/// kernel.
enum KernelRadio {
    /// The socket of the radio; nil outside of such a guest.
    static let socket = ProcessInfo.processInfo.environment["MESHPLAN_TEST_RADIO"]
    /// Whether the tests run in the guest.
    static let isHere = socket != nil
    /// Whether bluetoothd runs in the guest, too.
    static let isBesideDaemon = ProcessInfo.processInfo.environment["MESHPLAN_TEST_BLUETOOTHD"] != nil
}

/// An adapter of the kernel in range of the nodes of a simulator.
final class VirtualAdapter {
    /// The kernel's name for the adapter, such as `hci0`.
    let name: String
    private var connection: Int32

    /// Creates an adapter. It is ready on return.
    ///
    /// - Parameters:
    ///   - simulator: the socket of the simulator.
    ///   - options: more options of `gatt_server.py`.
    init(simulator: URL, options: [String]) throws {
        guard let socket = KernelRadio.socket else { throw ScenarioError("there is no virtual radio here") }
        let connection = try Self.connect(to: socket)
        self.connection = connection
        name = Self.ask("--simulator \(simulator.path) \(options.joined(separator: " "))", on: connection)
        guard name.hasPrefix("hci") else {
            _ = close(connection)
            throw ScenarioError("the virtual radio says: \(name)")
        }
    }

    deinit {
        remove()
    }

    /// The current state of its controller, as in `not scanning, 0 links`.
    var state: String { Self.ask("state", on: connection) }

    /// The number of connections that nodes have had through it so far.
    var connections: Int { Int(Self.ask("connections", on: connection)) ?? 0 }

    /// Waits until its controller is in that state.
    func wait(for state: String) async throws {
        let deadline = ContinuousClock.now.advanced(by: .seconds(30))
        while self.state != state {
            guard ContinuousClock.now < deadline else {
                throw ScenarioError("\(name) is \(self.state), not \(state)")
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Blocks or unblocks its radio, as `rfkill` does.
    func block(_ isOn: Bool) throws {
        // Foundation does not list folders through links.
        let folder = URL(filePath: "/sys/class/bluetooth/\(name)").resolvingSymlinksInPath()
        let entries = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        guard let control = entries.first(where: { $0.hasPrefix("rfkill") }) else {
            throw ScenarioError("\(name) has no radio switch among \(entries)")
        }
        try Data((isOn ? "1" : "0").utf8).write(to: folder.appending(path: control).appending(path: "soft"))
    }

    /// Removes the adapter, as if somebody pulled it out.
    func remove() {
        guard connection >= 0 else { return }
        _ = close(connection)
        connection = -1
    }

    private static func ask(_ question: String, on connection: Int32) -> String {
        let line = Array((question + "\n").utf8)
        _ = line.withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
        var answer: [UInt8] = []
        var byte: UInt8 = 0
        while read(connection, &byte, 1) == 1, byte != UInt8(ascii: "\n") { answer.append(byte) }
        return String(decoding: answer, as: UTF8.self)
    }

    private static func connect(to path: String) throws -> Int32 {
        let connection = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let size = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < size else { throw ScenarioError("the path \(path) is too long for a socket") }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(connection, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard connection >= 0, status == 0 else { throw ScenarioError("nobody listens at \(path)") }
        return connection
    }
}
