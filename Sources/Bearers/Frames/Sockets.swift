package import MeshCore

#if canImport(Darwin)
import Darwin
#else
import CLinux
import Glibc
#endif
#if canImport(CBluetooth)
// Its headers include those of sockets. In whole-module builds these types may count as this module's own.
import CBluetooth
#endif

#if canImport(Darwin)
let streamType = SOCK_STREAM
#else
let streamType = Int32(SOCK_STREAM.rawValue)
#endif

/// A socket that no started process inherits; negative if the system refuses.
func openSocket(_ family: Int32, _ type: Int32) -> Int32 {
    #if os(Linux)
    socket(family, type | Int32(SOCK_CLOEXEC.rawValue), 0)
    #else
    // `Descriptor` sets it right afterwards, which is the best that other systems offer.
    socket(family, type, 0)
    #endif
}

/// Starts to listen at `address`. It replaces a Unix socket file at which nobody listens any more.
///
/// - Parameter backlog: the most connections that the system keeps until they are accepted.
/// - Returns: the listening socket and its address, with the port that the system chose for port 0.
/// - Throws: ``BearerError`` if the address is in use or may not be used.
func listenStream(
    at address: SocketAddress,
    backlog: Int32 = 16
) throws(BearerError) -> (Descriptor, SocketAddress) {
    if case .unix(let path) = address { try removeStaleSocket(at: path, address: address) }
    var last = SystemError(number: EADDRNOTAVAIL)
    for candidate in try candidates(for: address, passive: true) {
        let number = openSocket(candidate.family, streamType)
        guard number >= 0 else {
            last = .last
            continue
        }
        let descriptor = Descriptor(adopting: number)
        if candidate.family != AF_UNIX {
            var on: Int32 = 1
            _ = setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        }
        // Only the owner may speak to a simulated mesh. On Linux the file gets the mode of the socket; other systems
        // need the change after `bind`. (A umask would be simpler, but all threads share it.)
        _ = fchmod(number, 0o600)
        let bound = candidate.withAddress { bind(number, $0, $1) }
        last = .last
        if bound == 0, case .unix(let path) = address { _ = chmod(path, 0o600) }
        guard bound == 0 else { continue }
        guard listen(number, backlog) == 0 else {
            last = .last
            continue
        }
        if case .tcp(let host, 0) = address, let port = localPort(of: descriptor) {
            return (descriptor, .tcp(host: host, port: port))
        }
        return (descriptor, address)
    }
    throw BearerError("cannot listen at \(address): \(last.text)")
}

/// The next client that waits at a listening socket; nil if there is none.
func acceptStream(from listener: Descriptor) throws(SystemError) -> Descriptor? {
    #if os(Linux)
    let number = clinux_accept(listener.number)
    #else
    let number = accept(listener.number, nil, nil)
    #endif
    if number >= 0 {
        let descriptor = Descriptor(adopting: number)
        var on: Int32 = 1
        // This fails on Unix sockets, which do not delay anyway.
        _ = setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        return descriptor
    }
    let error = SystemError.last
    if [EAGAIN, EWOULDBLOCK, EINTR, ECONNABORTED].contains(error.number) { return nil }
    throw error
}

extension SocketAddress {
    /// Whether only this machine can reach a listener at this address.
    package func isLocal() throws(BearerError) -> Bool {
        try candidates(for: self, passive: true).allSatisfy(\.isLocal)
    }
}

/// Removes the file of a Unix socket that a finished process has left.
func removeSocketFile(at path: String) {
    _ = unlink(path)
}

/// One of the system's addresses for a ``SocketAddress``.
struct Candidate {
    /// The address family, such as `AF_INET6`.
    var family: Int32
    /// The system's form of the address.
    var storage: [UInt8]

    /// Calls `body` with the address in the form of system calls.
    func withAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var aligned = sockaddr_storage()
        return withUnsafeMutableBytes(of: &aligned) { target in
            target.copyBytes(from: storage.prefix(target.count))
            return target.withMemoryRebound(to: sockaddr.self) { rebound in
                // The memory has the size of sockaddr_storage, so there is a first sockaddr.
                body(UnsafePointer(rebound.baseAddress.unsafelyUnwrapped), socklen_t(storage.count))
            }
        }
    }

    /// Whether only this machine can reach the address (RFC 1122, 3.2.1.3; RFC 4291, 2.5.3).
    var isLocal: Bool {
        switch family {
        case AF_UNIX: return true
        case AF_INET:
            // The address follows the family and the port.
            return storage.dropFirst(4).first == 127
        case AF_INET6:
            // The flow label comes before the address.
            return Array(storage.dropFirst(8).prefix(16)) == [UInt8](repeating: 0, count: 15) + [1]
        default: return false
        }
    }

    /// Makes the system send small frames at once.
    func disableDelay(on descriptor: Descriptor) {
        guard family != AF_UNIX else { return }
        var on: Int32 = 1
        _ = setsockopt(descriptor.number, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }
}

/// Looks the addresses of a name up, which may take time.
///
/// - Parameter passive: whether they are for listening.
func candidates(for address: SocketAddress, passive: Bool) throws(BearerError) -> [Candidate] {
    switch address {
    case .unix(let path):
        var unix = sockaddr_un()
        unix.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: unix.sun_path)
        let octets = Array(path.utf8)
        guard octets.count < room else {
            throw BearerError(
                "the socket path is too long: \(octets.count) octets; at most \(room - 1) are allowed",
                hint: "Choose a shorter one, such as unix:mesh.sock."
            )
        }
        withUnsafeMutableBytes(of: &unix.sun_path) { $0.copyBytes(from: octets) }
        return [Candidate(family: AF_UNIX, storage: withUnsafeBytes(of: &unix) { Array($0) })]
    case .tcp(let host, let port):
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = streamType
        hints.ai_flags = AI_NUMERICSERV | (passive ? AI_PASSIVE : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else {
            let reason = gai_strerror(code).map { String(cString: $0) } ?? "unknown"
            throw BearerError(
                "cannot find the host \(host): \(reason)",
                hint: code == EAI_AGAIN
                    ? "The name server does not answer; is this machine online? An IP address works without one."
                    : "Check the name; an IP address works, too."
            )
        }
        defer { if let list { freeaddrinfo(list) } }
        var found: [Candidate] = []
        var next = list
        while let entry = next {
            if let pointer = entry.pointee.ai_addr {
                let bytes = UnsafeRawBufferPointer(start: pointer, count: Int(entry.pointee.ai_addrlen))
                found.append(Candidate(family: entry.pointee.ai_family, storage: Array(bytes)))
            }
            next = entry.pointee.ai_next
        }
        return found
    }
}

private func removeStaleSocket(at path: String, address: SocketAddress) throws(BearerError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
        throw BearerError("cannot listen at \(address): the file exists and is not a socket")
    }
    let isAlive: Bool
    do {
        isAlive = try isListening(at: address)
    } catch {
        isAlive = false
    }
    guard !isAlive else { throw BearerError("cannot listen at \(address): another process already listens there") }
    _ = unlink(path)
}

/// Whether somebody listens, even with a full backlog.
private func isListening(at address: SocketAddress) throws(BearerError) -> Bool {
    guard let candidate = try candidates(for: address, passive: false).first else { return false }
    let number = openSocket(candidate.family, streamType)
    guard number >= 0 else { return false }
    let descriptor = Descriptor(adopting: number)
    if candidate.withAddress({ connect(descriptor.number, $0, $1) }) == 0 { return true }
    return [EAGAIN, EINPROGRESS].contains(errno)
}

/// The other end of a socket: its address and port, or `a local process` at a Unix socket.
func peerName(of descriptor: Descriptor) -> String {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
    let result = withUnsafeMutablePointer(to: &storage) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int32 in
            guard getpeername(descriptor.number, address, &size) == 0 else { return -1 }
            guard Int32(address.pointee.sa_family) != AF_UNIX else { return -1 }
            return getnameinfo(
                address,
                size,
                &host,
                socklen_t(host.count),
                &port,
                socklen_t(port.count),
                NI_NUMERICHOST | NI_NUMERICSERV
            )
        }
    }
    guard result == 0 else { return "a local process" }
    let texts = [host, port].map { String(decoding: $0.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) }
    return texts[0].contains(":") ? "[\(texts[0])]:\(texts[1])" : "\(texts[0]):\(texts[1])"
}

private func localPort(of descriptor: Descriptor) -> UInt16? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor.number, $0, &size) }
    }
    guard result == 0 else { return nil }
    // The port follows the family in both sockaddr_in and sockaddr_in6, most significant octet first.
    return withUnsafeBytes(of: &storage) { UInt16($0[2]) << 8 | UInt16($0[3]) }
}
