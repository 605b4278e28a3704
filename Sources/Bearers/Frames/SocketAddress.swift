/// Where a gateway or a simulator process listens.
package enum SocketAddress: Hashable, Sendable {
    /// A Unix domain socket at a path, at most 107 octets on Linux.
    case unix(path: String)
    /// A TCP port of a host. The host is a name, an IPv4 address or an IPv6 address without brackets.
    case tcp(host: String, port: UInt16)

    /// Reads `unix:PATH` or `tcp:HOST:PORT`. An IPv6 address has brackets, as in RFC 3986.
    package init(_ text: String) throws(SocketAddressError) {
        if let path = text.removing(prefix: "unix:") {
            guard !path.isEmpty else { throw SocketAddressError(text: text, problem: "the path is missing") }
            guard !path.utf8.contains(0) else {
                throw SocketAddressError(text: text, problem: "the path contains a NUL character")
            }
            self = .unix(path: path)
        } else if let rest = text.removing(prefix: "tcp:") {
            self = try SocketAddress(tcp: rest, of: text, defaultPort: nil)
        } else {
            throw SocketAddressError(text: text, problem: "it must begin with unix: or tcp:")
        }
    }

    /// Reads `HOST:PORT`, or only `HOST` if there is a default port. An IPv6 address has brackets.
    ///
    /// - Parameter text: the whole text, which an error names.
    package init(tcp rest: some StringProtocol, of text: String, defaultPort: UInt16?) throws(SocketAddressError) {
        var host = String(rest)
        var port = defaultPort
        if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") {
            guard let number = UInt16(host[host.index(after: colon)...]) else {
                throw SocketAddressError(text: text, problem: "the port is not a number from 0 to 65535")
            }
            port = number
            host = String(host[..<colon])
        }
        guard let port else { throw SocketAddressError(text: text, problem: "the port is missing") }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            throw SocketAddressError(text: text, problem: "write an IPv6 address in brackets")
        }
        guard !host.isEmpty else { throw SocketAddressError(text: text, problem: "the host is missing") }
        guard !host.utf8.contains(0) else {
            throw SocketAddressError(text: text, problem: "the host contains a NUL character")
        }
        self = .tcp(host: host, port: port)
    }
}

/// Why a text is not a socket address.
package struct SocketAddressError: Error, Hashable, Sendable, CustomStringConvertible {
    package var text: String
    /// What is wrong with it, as a clause.
    package var problem: String

    package init(text: String, problem: String) {
        self.text = text
        self.problem = problem
    }

    /// The error for people, without a full stop. `user:password@` is left out; no such address has it.
    package var description: String {
        var shown = text
        if let at = text.lastIndex(of: "@") {
            let start = text[..<at].firstRange(of: "://")?.upperBound ?? text.startIndex
            if text[start..<at].contains(":") { shown = text[..<start] + "…" + text[at...] }
        }
        return "`\(shown)` is not an address: \(problem)"
    }
}

extension SocketAddress {
    /// The same port at all addresses of this machine, to listen there.
    var everywhere: SocketAddress {
        switch self {
        case .unix: self
        // A listener at IPv4 addresses cannot be reached at an IPv6 address.
        case .tcp(let host, let port): .tcp(host: host.contains(":") ? "::" : "0.0.0.0", port: port)
        }
    }
}

extension SocketAddress: CustomStringConvertible {
    /// The text that this address can be read from.
    package var description: String {
        switch self {
        case .unix(let path): "unix:\(path)"
        case .tcp(let host, let port): host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
        }
    }
}

extension String {
    /// The rest after a prefix; nil if the text does not begin with it.
    fileprivate func removing(prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
