import Bearers
import Foundation
import MeshCore
import Testing

/// A Unix address for system calls.
private func withUnixAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
}

private func unixSocket() -> Int32 {
    #if canImport(Darwin)
    socket(AF_UNIX, SOCK_STREAM, 0)
    #else
    socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #endif
}

/// Writes to a socket whose other end may be gone, which must not end the tests' process.
private func say(_ octets: [UInt8], to number: Int32) {
    #if canImport(Darwin)
    _ = send(number, octets, octets.count, 0)
    #else
    _ = send(number, octets, octets.count, Int32(MSG_NOSIGNAL))
    #endif
}

/// A client that sends whatever octets a test wants.
final class RawConnection {
    private let number: Int32

    init(_ address: SocketAddress?) throws {
        guard case .unix(let path)? = address else { throw BearerError("a Unix socket is needed") }
        number = unixSocket()
        let number = self.number
        try #require(withUnixAddress(path) { connect(number, $0, $1) } == 0)
    }

    deinit {
        close(number)
    }

    func send(_ octets: [UInt8]) {
        say(octets, to: number)
    }

    /// What can be read at once; nil when the other side has closed the connection.
    var available: [UInt8]? {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        #if canImport(Darwin)
        let flags = MSG_DONTWAIT
        #else
        let flags = Int32(MSG_DONTWAIT)
        #endif
        while true {
            let count = recv(number, &buffer, buffer.count, flags)
            if count < 0 { return errno == ECONNRESET ? nil : all }
            if count == 0 { return all.isEmpty ? nil : all }
            all += buffer[..<count]
        }
    }

    /// All frames that come until the other side closes the connection.
    func frames() throws -> [ServerFrame] {
        var decoder = FrameDecoder()
        var frames: [ServerFrame] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(number, &buffer, buffer.count)
            guard count > 0 else { return frames }
            decoder.append(buffer.prefix(count))
            while let content = try decoder.next() { frames.append(try ServerFrame(decoding: content)) }
        }
    }
}

/// A server that sends whatever octets a test wants to the first client.
final class RawListener: @unchecked Sendable {
    let address: SocketAddress
    private let path: String
    private let number: Int32

    init() throws {
        path = "/tmp/meshplan-\(UInt32.random(in: 0...UInt32.max)).sock"
        address = .unix(path: path)
        number = unixSocket()
        let number = self.number
        try #require(withUnixAddress(path) { bind(number, $0, $1) } == 0)
        try #require(listen(number, 4) == 0)
    }

    deinit {
        close(number)
        unlink(path)
    }

    /// Sends `octets` to the first client and, once it has said something after its hello, `further`; then waits for
    /// its end.
    func acceptInThread(sending octets: [UInt8], then further: [UInt8] = []) {
        let listener = number
        Thread {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            defer { close(client) }
            var buffer = [UInt8](repeating: 0, count: 4096)
            // The hello is one frame of eleven octets.
            var received = 0
            say(octets, to: client)
            var isWaiting = !further.isEmpty
            while true {
                let count = read(client, &buffer, buffer.count)
                guard count > 0 else { return }
                received += count
                if isWaiting, received > 11 {
                    isWaiting = false
                    say(further, to: client)
                }
            }
        }.start()
    }
}

/// A datagram socket of a test.
final class RawDatagramSocket {
    private let number: Int32

    /// One that is bound to a path, if any, and sends to another.
    init(_ path: String?, to other: String) throws {
        number = Self.make()
        let number = self.number
        if let path { try #require(withUnixAddress(path) { bind(number, $0, $1) } == 0) }
        try #require(withUnixAddress(other) { connect(number, $0, $1) } == 0)
        _ = fcntl(number, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(number)
    }

    func send(_ octets: [UInt8]) {
        say(octets, to: number)
    }

    /// What can be read at once; nil when the other side has closed the connection.
    var available: [UInt8]? {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        #if canImport(Darwin)
        let flags = MSG_DONTWAIT
        #else
        let flags = Int32(MSG_DONTWAIT)
        #endif
        while true {
            let count = recv(number, &buffer, buffer.count, flags)
            if count < 0 { return errno == ECONNRESET ? nil : all }
            if count == 0 { return all.isEmpty ? nil : all }
            all += buffer[..<count]
        }
    }

    /// What has arrived.
    func received() -> [[UInt8]] {
        var datagrams: [[UInt8]] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(number, &buffer, buffer.count, 0)
            guard count >= 0 else { return datagrams }
            datagrams.append(Array(buffer.prefix(count)))
        }
    }

    /// Leaves the file of a socket that nobody uses.
    static func leaveFile(at path: String) {
        let number = make()
        _ = withUnixAddress(path) { bind(number, $0, $1) }
        close(number)
    }

    private static func make() -> Int32 {
        #if canImport(Darwin)
        socket(AF_UNIX, SOCK_DGRAM, 0)
        #else
        socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        #endif
    }
}
