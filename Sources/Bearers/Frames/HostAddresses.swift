@preconcurrency import Dispatch
import MeshCore
import Synchronization

/// The addresses of a host after a look-up.
///
/// The first look-up blocks, and the whole process waits. A lost connection does not wait for a look-up: it uses the
/// known addresses. Meanwhile a separate thread looks the host up again, because its address may have changed.
package final class HostAddresses {
    /// Looks the addresses up; nil if there are none at present.
    typealias LookUp = @Sendable (SocketAddress) -> [Candidate]?

    private var known: [Candidate]?
    private var search: Search?
    private let again: LookUp

    /// A look-up in a thread of its own.
    private final class Search: Sendable {
        /// The result, once the look-up is over.
        let outcome = Mutex<[Candidate]??>(nil)

        init(_ address: SocketAddress, _ lookUp: @escaping LookUp) {
            DispatchQueue.global(qos: .utility).async {
                let found = lookUp(address)
                self.outcome.withLock { $0 = .some(found) }
            }
        }
    }

    /// Knows no address yet.
    package convenience init() {
        self.init { address in try? Bearers.candidates(for: address, passive: false) }
    }

    /// Knows no address yet, and repeats look-ups with `again`.
    init(again: @escaping LookUp) {
        self.again = again
    }

    /// The known addresses, or the result of a look-up now.
    ///
    /// - Parameter name: the other side's name in errors.
    /// - Throws: ``BearerError`` if the host is not found; the next call looks it up again.
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

    /// Starts another look-up, because nobody answers at the known addresses.
    func lookAgain(for address: SocketAddress) {
        guard known != nil, search == nil, case .tcp = address else { return }
        search = Search(address, again)
    }
}
