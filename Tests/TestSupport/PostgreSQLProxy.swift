import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A Unix socket between a client and the server, which can cut the connection at a chosen transaction.
package final class PostgreSQLProxy: Sendable {
    /// The moment of the cut.
    package enum Cut: Sendable, CaseIterable {
        /// The client's COMMIT never reaches the server.
        case beforeCommit
        /// The server has committed, but its answer never reaches the client.
        case afterCommit
    }

    private struct State {
        var remaining: Int?
        var cut = Cut.beforeCommit
        var refusals = 0
        var commits = 0
        var turns = 0
        var connections = 0
    }

    /// The folder of the socket.
    package let folder: String
    private let listener: Int32
    private let state = Mutex(State())

    /// Starts a proxy in front of a server.
    package init(of server: PostgreSQLServer) throws {
        folder = server.folder + "/\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let accepting = socket(AF_UNIX, PostgreSQLProxy.stream, 0)
        listener = accepting
        let path = folder + "/.s.PGSQL.5432"
        guard PostgreSQLProxy.withAddress(path, { bind(accepting, $0, $1) }) == 0, listen(accepting, 16) == 0 else {
            throw PostgreSQLServer.Failure(description: "the proxy cannot listen: errno \(errno)")
        }
        let upstreamPath = server.folder + "/.s.PGSQL.5432"
        Thread { [weak self] in
            while true {
                let client = accept(accepting, nil, nil)
                guard client >= 0 else { return }
                guard let self, !self.isRefusing() else {
                    close(client)
                    continue
                }
                let upstream = socket(AF_UNIX, PostgreSQLProxy.stream, 0)
                guard PostgreSQLProxy.withAddress(upstreamPath, { connect(upstream, $0, $1) }) == 0 else {
                    close(client)
                    close(upstream)
                    continue
                }
                Thread { [weak self] in self?.carry(client, upstream) }.start()
            }
        }.start()
    }

    deinit {
        shutdown(listener, 2)
        close(listener)
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Cuts the connection at the n-th commit of data from now on, counted from 1.
    ///
    /// - Parameter refusals: the number of connection attempts that fail after the cut.
    package func cut(atCommit number: Int, _ cut: Cut, refusing refusals: Int = 0) {
        state.withLock { state in
            state.remaining = number
            state.cut = cut
            state.refusals = refusals
        }
    }

    /// Lets all connections through again.
    package func mend() {
        state.withLock { state in
            state.remaining = nil
            state.refusals = 0
        }
    }

    /// The number of commits of data that went to the server so far.
    package var commits: Int { state.withLock(\.commits) }

    /// How often a client has waited for the server so far: round trips, whatever each of them carries.
    package var turns: Int { state.withLock(\.turns) }

    /// Whether the requested cut has happened.
    package var hasCut: Bool { state.withLock { $0.remaining == 0 } }

    private func isRefusing() -> Bool {
        state.withLock { state in
            guard state.remaining == 0 || state.remaining == nil, state.refusals > 0 else { return false }
            state.refusals -= 1
            return true
        }
    }

    /// The cut to make at these octets to the server; nil if they contain no commit of data to cut at.
    private func cutting(_ octets: [UInt8]) -> Cut? {
        // The statement that sets the revision is in the same packet as its COMMIT, unless the packet is very long.
        let text = Data(octets)
        guard text.range(of: Data("SET revision".utf8)) != nil else { return nil }
        return state.withLock { state in
            state.commits += 1
            guard let remaining = state.remaining, remaining > 0 else { return nil }
            state.remaining = remaining - 1
            return remaining == 1 ? state.cut : nil
        }
    }

    /// Carries octets in both directions until one side closes or the connection is cut.
    private func carry(_ client: Int32, _ upstream: Int32) {
        defer {
            close(client)
            close(upstream)
        }
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        var isMute = false
        var isClientsTurn = true
        while true {
            var polled = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: upstream, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&polled, 2, -1) >= 0 || errno == EINTR else { return }
            if polled[0].revents != 0 {
                let count = recv(client, &buffer, buffer.count, 0)
                guard count > 0 else { return }
                // Nobody waits for an answer to the message that ends a connection.
                if isClientsTurn, buffer[0] != UInt8(ascii: "X") { state.withLock { $0.turns += 1 } }
                isClientsTurn = false
                switch cutting(Array(buffer[..<count])) {
                case .beforeCommit?: return
                case .afterCommit?: isMute = true
                case nil: break
                }
                guard PostgreSQLProxy.sendAll(Array(buffer[..<count]), to: upstream) else { return }
            }
            if polled[1].revents != 0 {
                let count = recv(upstream, &buffer, buffer.count, 0)
                guard count > 0 else { return }
                isClientsTurn = true
                if isMute {
                    // `ReadyForQuery` is the server's last message, so the transaction is over.
                    if buffer[count - 6] == UInt8(ascii: "Z"), buffer[count - 1] == UInt8(ascii: "I") { return }
                    continue
                }
                guard PostgreSQLProxy.sendAll(Array(buffer[..<count]), to: client) else { return }
            }
        }
    }

    private static func sendAll(_ octets: [UInt8], to socket: Int32) -> Bool {
        var rest = octets[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, noSignal) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    #if canImport(Darwin)
    private static let stream = SOCK_STREAM
    private static let noSignal: Int32 = 0
    #else
    private static let stream = Int32(SOCK_STREAM.rawValue)
    private static let noSignal = Int32(truncatingIfNeeded: MSG_NOSIGNAL)
    #endif

    private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8.prefix($0.count - 1))) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
