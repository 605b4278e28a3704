import DefinitionModel
import MeshCore

/// A bearer whose process dies at a given moment: from then on nothing passes, and the database's files are kept as
/// they were at that moment.
final class MortalBearer: Bearer {
    private let inner: any Bearer
    private let die: () throws -> DatabaseFolder
    /// Packets sent or events received until death; nil lives for ever.
    private var remaining: Int?
    /// Whether it dies before the last packet has left rather than after.
    private let losesLast: Bool
    private(set) var count = 0
    private(set) var files: DatabaseFolder?
    private(set) var failure: (any Error)?
    private var lingering: [LinkIdentifier] = []

    init(_ inner: any Bearer, remaining: Int?, losesLast: Bool = false, die: @escaping () throws -> DatabaseFolder) {
        self.inner = inner
        self.remaining = remaining
        self.losesLast = losesLast
        self.die = die
    }

    var isDead: Bool { files != nil }
    var now: Instant { inner.now }

    var maximumLinks: Int { inner.maximumLinks }

    func connect(to target: LinkTarget) throws(BearerError) -> LinkIdentifier { try inner.connect(to: target) }

    func scan(_ isOn: Bool) throws(BearerError) { try inner.scan(isOn) }

    func send(_ packet: [UInt8], on link: LinkIdentifier) throws(BearerError) {
        if !isDead, !(remaining == 1 && losesLast) { try inner.send(packet, on: link) }
        pass()
    }

    func next(until deadline: Instant) throws(BearerError) -> BearerEvent? {
        guard !isDead, let event = try inner.next(until: deadline) else { return nil }
        pass()
        return isDead ? nil : event
    }

    /// What a process sent before it died still arrives, so the links of a dead one stay until ``bury()``.
    func close(_ link: LinkIdentifier) {
        if isDead { lingering.append(link) } else { inner.close(link) }
    }

    func bury() {
        for link in lingering { inner.close(link) }
    }

    private func pass() {
        guard !isDead else { return }
        count += 1
        guard let left = remaining else { return }
        remaining = left - 1
        guard left <= 1 else { return }
        do { files = try die() } catch { failure = error }
    }
}
