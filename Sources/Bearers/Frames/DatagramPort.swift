package import MeshCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif
#if canImport(CBluetooth)
// See Sockets.swift: in whole-module builds these types may count as this module's own.
import CBluetooth
#endif

#if canImport(Darwin)
private let datagramType = SOCK_DGRAM
#else
private let datagramType = Int32(SOCK_DGRAM.rawValue)
#endif

/// A Unix datagram socket that everybody hears who has sent something. It is like a room: each peer hears the port, and
/// the port hears each peer. To hear the port, a peer binds a socket of its own and sends a datagram, which may be
/// empty.
///
/// Like radio, it loses what a receiver cannot take at that moment. The file has mode 0600.
package final class DatagramPort {
    /// The largest datagram in octets; the rest of a larger one is cut off.
    package static let maximumSize = 2_048
    /// The most peers. One more makes the port forget the peer that was silent longest.
    package static let maximumPeers = 64

    private let path: String
    private var socketDescriptor: Descriptor?
    /// The paths of the peers, in the order in which they were last heard.
    private var peers: [String] = []

    /// Makes the socket. It replaces a file that a finished process has left.
    ///
    /// - Throws: ``BearerError`` if something else is at the path, if somebody uses the socket, or if the path is not
    ///   allowed.
    package init(path: String) throws(BearerError) {
        self.path = path
        let address = SocketAddress.unix(path: path)
        try removeStaleDatagramSocket(at: address, path: path)
        let number = openSocket(AF_UNIX, datagramType)
        guard number >= 0 else { throw BearerError("cannot listen at \(address): \(SystemError.last.text)") }
        let descriptor = Descriptor(adopting: number)
        // On Linux the file gets the mode of the socket. Other systems need the change after `bind`.
        _ = fchmod(number, 0o600)
        for candidate in try candidates(for: address, passive: true) {
            guard candidate.withAddress({ bind(number, $0, $1) }) == 0 else {
                throw BearerError("cannot listen at \(address): \(SystemError.last.text)")
            }
        }
        _ = chmod(path, 0o600)
        socketDescriptor = descriptor
    }

    deinit {
        close()
    }

    /// The descriptor, readable when somebody has sent something; nil once it is closed.
    package var descriptor: Int32? { socketDescriptor?.number }

    package var peerCount: Int { peers.count }

    /// Removes the socket and its file. A second call does nothing.
    package func close() {
        guard socketDescriptor != nil else { return }
        socketDescriptor = nil
        peers = []
        removeSocketFile(at: path)
    }

    /// Takes the next datagram; nil if none waits. From now on its sender is a peer.
    package func receive() -> [UInt8]? {
        guard let number = socketDescriptor?.number else { return nil }
        var buffer = [UInt8](repeating: 0, count: Self.maximumSize)
        var sender = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let count = withUnsafeMutablePointer(to: &sender) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                recvfrom(number, &buffer, buffer.count, 0, $0, &size)
            }
        }
        guard count >= 0 else { return nil }
        let name = withUnsafeBytes(of: &sender.sun_path) { Array($0.prefix { $0 != 0 }) }
        // A sender without a bound socket cannot be sent to.
        if !name.isEmpty, Int(size) > MemoryLayout<sa_family_t>.size { meet(String(decoding: name, as: UTF8.self)) }
        return Array(buffer.prefix(count))
    }

    /// Sends a datagram to all peers, and forgets those that are gone.
    package func send(_ datagram: [UInt8]) {
        guard let number = socketDescriptor?.number else { return }
        peers.removeAll { peer in
            guard let address = try? candidates(for: .unix(path: peer), passive: false).first else { return true }
            let sent = address.withAddress { sendto(number, datagram, datagram.count, 0, $0, $1) }
            // A full queue loses this datagram. Every other failure means that the peer is gone.
            return sent < 0 && ![EAGAIN, EWOULDBLOCK, ENOBUFS, EINTR].contains(SystemError.last.number)
        }
    }

    private func meet(_ peer: String) {
        guard peers.last != peer else { return }
        peers.removeAll { $0 == peer }
        if peers.count == Self.maximumPeers { peers.removeFirst() }
        peers.append(peer)
    }
}

private func removeStaleDatagramSocket(at address: SocketAddress, path: String) throws(BearerError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
        throw BearerError("cannot listen at \(address): the file exists and is not a socket")
    }
    let number = openSocket(AF_UNIX, datagramType)
    guard number >= 0 else { return }
    let probe = Descriptor(adopting: number)
    for candidate in try candidates(for: address, passive: false) {
        let isAlive = candidate.withAddress { connect(probe.number, $0, $1) } == 0
        // A socket of another type belongs to somebody, too.
        guard !isAlive, SystemError.last.number == ECONNREFUSED else {
            throw BearerError("cannot listen at \(address): another process already listens there")
        }
    }
    removeSocketFile(at: path)
}
