internal import MeshCore

/// The addresses of a host, once it was looked up: a look-up waits, and everything else in the process with it, so a lost
/// connection comes back without one.
package final class HostAddresses {
    private var known: [Candidate]?

    /// Nothing is known yet.
    package init() {}

    /// What is known, or what a look-up gives now.
    ///
    /// - Throws: ``BearerError`` if the host is not found; the next call looks again.
    func candidates(for address: SocketAddress) throws(BearerError) -> [Candidate] {
        if let known { return known }
        let found = try Bearers.candidates(for: address, passive: false)
        known = found
        return found
    }
}
