package import MeshCore

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif
#if canImport(CBluetooth)
// As in the file of sockets: where the module is compiled as a whole, the types may count as its own.
internal import CBluetooth
#endif

#if canImport(Darwin)
private let datagramType = SOCK_DGRAM
#else
private let datagramType = Int32(SOCK_DGRAM.rawValue)
#endif

/// A Unix datagram socket that everybody who has sent something hears: a room in which each hears the port, and the port
/// hears each. Whoever wants to hear binds a socket of its own and sends a datagram, which may be empty.
///
/// Like the air it stands for it loses what nobody can take at that moment. The file has mode 0600.
package final class DatagramPort {
    /// What a datagram is at most, in octets; more of it is cut off.
    package static let maximumSize = 2_048
    /// Who is heard at most; when another comes, the one that was silent longest is forgotten.
    package static let maximumPeers = 64

    private let path: String
    private var socketDescriptor: Descriptor?
    /// The paths of those who have sent something, who was heard last at the end.
    private var peers: [String] = []

    /// Makes the socket. A file that a finished process has left is replaced.
    ///
    /// - Throws: ``BearerError`` if something else is there, somebody uses it, or the path is not allowed.
    package init(path: String) throws(BearerError) {
        self.path = path
        let address = SocketAddress.unix(path: path)
        try removeStaleDatagramSocket(at: address, path: path)
        let number = socket(AF_UNIX, datagramType, 0)
        guard number >= 0 else { throw BearerError("cannot listen at \(address): \(SystemError.last.text)") }
        let descriptor = Descriptor(adopting: number)
        // Linux gives the file that bind makes the mode of the socket; others need the change afterwards.
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

    /// What becomes readable when somebody has sent something; nil once it is closed.
    package var descriptor: Int32? { socketDescriptor?.number }

    /// How many are sent to.
    package var peerCount: Int { peers.count }

    /// Removes the socket and its file. Doing it twice does nothing.
    package func close() {
        guard socketDescriptor != nil else { return }
        socketDescriptor = nil
        peers = []
        removeSocketFile(at: path)
    }

    /// Takes the next datagram, nil if none waits. Whoever sent it is sent to from now on.
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
        // Whoever has not bound a socket cannot be sent to.
        if !name.isEmpty, Int(size) > MemoryLayout<sa_family_t>.size { meet(String(decoding: name, as: UTF8.self)) }
        return Array(buffer.prefix(count))
    }

    /// Sends a datagram to everybody who has sent something, and forgets who is gone.
    package func send(_ datagram: [UInt8]) {
        guard let number = socketDescriptor?.number else { return }
        peers.removeAll { peer in
            guard let address = try? candidates(for: .unix(path: peer), passive: false).first else { return true }
            let sent = address.withAddress { sendto(number, datagram, datagram.count, 0, $0, $1) }
            // A full queue loses this datagram; every other failure says that there is nobody any more.
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
    let number = socket(AF_UNIX, datagramType, 0)
    guard number >= 0 else { return }
    let probe = Descriptor(adopting: number)
    for candidate in try candidates(for: address, passive: false) {
        let isAlive = candidate.withAddress { connect(probe.number, $0, $1) } == 0
        // Another type of socket is somebody's, too.
        guard !isAlive, SystemError.last.number == ECONNREFUSED else {
            throw BearerError("cannot listen at \(address): somebody listens there already")
        }
    }
    removeSocketFile(at: path)
}
