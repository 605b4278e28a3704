internal import MeshCore

/// The addresses of a host, once it was looked up: a look-up waits, and everything else in the process with it, so a lost
/// connection comes back without one.
package final class HostAddresses {
    private var known: [Candidate]?

    /// Nothing is known yet.
    package init() {}

    /// What is known, or what a look-up gives now.
    ///
    /// - Parameter name: what an error calls the other side.
    /// - Throws: ``BearerError`` if the host is not found; the next call looks again.
    func candidates(for address: SocketAddress, called name: String) throws(BearerError) -> [Candidate] {
        if let known { return known }
        do throws(BearerError) {
            let found = try Bearers.candidates(for: address, passive: false)
            known = found
            return found
        } catch {
            throw BearerError("cannot connect to \(name): \(error.message)", hint: error.hint)
        }
    }
}
