package import MeshCore
package import TLS

/// By what a connection is secured with TLS, as client or as gateway.
package struct ConnectionSecurity {
    /// Who we are and whom we trust.
    package var context: TLSContext
    /// The calendar time, by which certificates are judged.
    package var now: () -> Timestamp

    /// Security of a context.
    package init(_ context: TLSContext, now: @escaping () -> Timestamp) {
        self.context = context
        self.now = now
    }

    /// The session of a new connection.
    func session() throws(BearerError) -> TLSSession {
        do {
            return try TLSSession(context, at: now())
        } catch {
            throw BearerError(error)
        }
    }
}

extension BearerError {
    /// What TLS says.
    init(_ error: TLSError) {
        self.init(error.message, hint: error.hint)
    }
}
