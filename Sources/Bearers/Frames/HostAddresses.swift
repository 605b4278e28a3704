@preconcurrency internal import Dispatch
internal import MeshCore
internal import Synchronization

/// The addresses of a host, once it was looked up.
///
/// The first look-up waits, and everything else in the process with it. A lost connection comes back without one, by what
/// is known; beside, in a thread of its own, the host is looked up anew, for it may have got another address meanwhile.
package final class HostAddresses {
    /// Finds the addresses; nil if there are none at present.
    typealias LookUp = @Sendable (SocketAddress) -> [Candidate]?

    private var known: [Candidate]?
    private var search: Search?
    private let again: LookUp

    /// A look-up in a thread of its own.
    private final class Search: Sendable {
        /// What it gave, once it is over.
        let outcome = Mutex<[Candidate]??>(nil)

        init(_ address: SocketAddress, _ lookUp: @escaping LookUp) {
            DispatchQueue.global(qos: .utility).async {
                let found = lookUp(address)
                self.outcome.withLock { $0 = .some(found) }
            }
        }
    }

    /// Nothing is known yet.
    package convenience init() {
        self.init { address in try? Bearers.candidates(for: address, passive: false) }
    }

    /// Nothing is known yet, and what was known is found anew so.
    init(again: @escaping LookUp) {
        self.again = again
    }

    /// What is known, or what a look-up gives now.
    ///
    /// - Parameter name: what an error calls the other side.
    /// - Throws: ``BearerError`` if the host is not found; the next call looks again.
    func candidates(for address: SocketAddress, called name: String) throws(BearerError) -> [Candidate] {
        if let outcome = search?.outcome.withLock({ $0 }) {
            search = nil
            known = outcome ?? known
        }
        if let known { return known }
        do throws(BearerError) {
            let found = try Bearers.candidates(for: address, passive: false)
            known = found
            return found
        } catch {
            throw BearerError("cannot connect to \(name): \(error.message)", hint: error.hint)
        }
    }

    /// Nobody answers at what is known, or does not any more.
    func lookAgain(for address: SocketAddress) {
        guard known != nil, search == nil, case .tcp = address else { return }
        search = Search(address, again)
    }
}
