import Bearers
import MeshCore

/// A bearer whose events and failures a test decides; it has no descriptors and its time is the clock's.
final class FakeBearer: PolledBearer {
    let clock: BearerClock
    let interruption = WaitInterruption()
    var maximumLinks: Int
    /// What was asked of it, in order.
    private(set) var calls: [Call] = []
    var events: [BearerEvent] = []
    /// What the next call throws.
    var failure: BearerError?
    /// What the next attempt to scan throws.
    var scanFailure: BearerError?
    var waiting: [LinkIdentifier: Int] = [:]
    private var nextLink: UInt32 = 0

    enum Call: Hashable {
        case connect(LinkIdentifier, LinkTarget)
        case send([UInt8], LinkIdentifier)
        case close(LinkIdentifier)
        case scan(Bool)
    }

    init(clock: BearerClock, maximumLinks: Int = 2) {
        self.clock = clock
        self.maximumLinks = maximumLinks
    }

    var nextDeadline: Instant? { failure == nil && events.isEmpty ? nil : .zero }
    var watched: [Watched] { [] }

    private func fail() throws(BearerError) {
        guard let failure else { return }
        self.failure = nil
        throw failure
    }

    func connect(to target: LinkTarget) throws(BearerError) -> LinkIdentifier {
        try fail()
        let link = LinkIdentifier(rawValue: nextLink)
        nextLink += 1
        calls.append(.connect(link, target))
        return link
    }

    func send(_ packet: [UInt8], on link: LinkIdentifier) throws(BearerError) {
        try fail()
        calls.append(.send(packet, link))
    }

    func close(_ link: LinkIdentifier) { calls.append(.close(link)) }

    func scan(_ isOn: Bool) throws(BearerError) {
        try fail()
        if let scanFailure {
            self.scanFailure = nil
            throw scanFailure
        }
        calls.append(.scan(isOn))
    }

    func advance(_ ready: ArraySlice<Watched>) throws(BearerError) { try fail() }

    func takeEvent() -> BearerEvent? { events.isEmpty ? nil : events.removeFirst() }

    func backlog(of link: LinkIdentifier) -> Int { waiting[link] ?? 0 }
}
