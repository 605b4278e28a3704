package import MeshCore
package import TLS

/// What secures a connection with TLS, for a client or a gateway.
package struct ConnectionSecurity {
    /// The own identity and the trusted peers.
    package var context: TLSContext
    /// The calendar time, which decides whether a certificate is valid.
    package var now: () -> Timestamp
    /// The fingerprints that are denied, in addition to those of the context; asked for at each connection.
    package var denied: () throws(BearerError) -> Set<[UInt8]>

    package init(
        _ context: TLSContext,
        now: @escaping () -> Timestamp,
        denied: @escaping () throws(BearerError) -> Set<[UInt8]> = { [] }
    ) {
        self.context = context
        self.now = now
        self.denied = denied
    }

    /// The session of a new connection.
    ///
    /// - Parameter denied: the current result of ``denied``.
    func session(denied: Set<[UInt8]> = []) throws(BearerError) -> TLSSession {
        do {
            return try TLSSession(context, at: now(), denied: denied)
        } catch {
            throw BearerError(error)
        }
    }
}

extension BearerError {
    init(_ error: TLSError) {
        self.init(error.message, hint: error.hint)
    }
}
