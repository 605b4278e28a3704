package import MeshCore
package import TLS

/// By what a connection is secured with TLS, as client or as gateway.
package struct ConnectionSecurity {
    /// Who we are and whom we trust.
    package var context: TLSContext
    /// The calendar time, by which certificates are judged.
    package var now: () -> Timestamp
    /// The fingerprints that are not accepted, beside those of the context; asked for whenever somebody connects.
    package var denied: () throws(BearerError) -> Set<[UInt8]>

    /// Security of a context.
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
    /// - Parameter denied: what ``denied`` has said just now.
    func session(denied: Set<[UInt8]> = []) throws(BearerError) -> TLSSession {
        do {
            return try TLSSession(context, at: now(), denied: denied)
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
