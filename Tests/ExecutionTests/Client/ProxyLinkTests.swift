import MeshCore
import TestSupport
import Testing

@testable import Execution

@Suite("One proxy link and its times")
struct ProxyLinkTests {
    private let proxy = UnicastAddress.first

    /// A link that has heard a beacon and waits for the confirmation of its filter type.
    private func link() -> ProxyLink {
        var link = ProxyLink(to: .anyProxy, choice: nil, policy: LinkPolicy(), searchedSince: .zero, at: .zero)
        #expect(link.opened(maximumPacketSize: 69, nil, isIVIndexKnown: true, at: .zero) == [])
        let actions = link.authenticBeacon(of: .primary, isUnderOldKey: false, at: .zero)
        #expect(actions == [.setFilterType(attempt: 1)])
        link.sentTypeRequests([ProxyLink.ConfigurationKey(index: .primary)])
        return link
    }

    private func confirm(_ link: inout ProxyLink, isAcceptList: Bool, count: Int) -> [ProxyLink.Action] {
        link.filterStatus(
            from: proxy,
            in: .primary,
            knownIn: [.primary],
            isAcceptList: isAcceptList,
            count: count,
            at: .zero
        )
    }

    /// Lets time pass without a word from the proxy until the link is lost.
    private func silence(_ link: inout ProxyLink) -> [ProxyLink.Action] {
        var actions: [ProxyLink.Action] = []
        while let deadline = link.nextDeadline, actions.count < 20 {
            actions += link.advance(to: deadline, ivIndex: IVIndex(value: 0))
            if case .lost? = actions.last { break }
        }
        return actions
    }

    @Test("A proxy that keeps a reject list, or does not take our address, is tried with three messages")
    func trials() {
        let given: [ProxyLink.Action] = [.tryMessage, .tryMessage, .close, .lost(.deafFilter)]
        var reject = link()
        #expect(confirm(&reject, isAcceptList: false, count: 0) == [.tryMessage])
        #expect(silence(&reject) == given)
        var empty = link()
        #expect(confirm(&empty, isAcceptList: true, count: 0) == [.addAddresses])
        #expect(confirm(&empty, isAcceptList: true, count: 0) == [.tryMessage])
        #expect(silence(&empty) == given)
        var silent = link()
        #expect(confirm(&silent, isAcceptList: true, count: 0) == [.addAddresses])
        let clearing: [ProxyLink.Action] = [.setFilterType(attempt: 1), .addAddresses]
        let again = Array(repeating: ProxyLink.Action.setFilterType(attempt: 1), count: 2)
        #expect(silence(&silent) == clearing + again + [.tryMessage] + given)
        // A message of the mesh proves it in between.
        var carrying = link()
        #expect(confirm(&carrying, isAcceptList: false, count: 0) == [.tryMessage])
        #expect(carrying.carried(at: .zero) == [.ready] && carrying.isReady)
    }

    @Test("A proxy that does not add addresses is asked for its filter type until only the answer comes")
    func clearing() throws {
        var link = self.link()
        #expect(confirm(&link, isAcceptList: true, count: 0) == [.addAddresses])
        let due = try #require(link.nextDeadline)
        #expect(
            link.advance(to: due, ivIndex: IVIndex(value: 0)) == [.setFilterType(attempt: 1), .addAddresses]
        )
        for _ in 0..<3 {
            #expect(link.carried(at: .zero) == [])
            #expect(confirm(&link, isAcceptList: true, count: 0) == [.setFilterType(attempt: 1)])
        }
        #expect(confirm(&link, isAcceptList: true, count: 0) == [.tryMessage])
        #expect(link.carried(at: .zero) == [.ready])
    }

    @Test("A proxy from which something comes without end is tried with a message after all")
    func endlessClearing() throws {
        var link = self.link()
        _ = confirm(&link, isAcceptList: true, count: 0)
        let due = try #require(link.nextDeadline)
        var actions = link.advance(to: due, ivIndex: IVIndex(value: 0))
        var requests = 1
        while actions.last != .tryMessage, requests < 100 {
            _ = link.carried(at: .zero)
            actions = confirm(&link, isAcceptList: true, count: 0)
            requests += actions == [.setFilterType(attempt: 1)] ? 1 : 0
        }
        #expect(requests == 32)
    }

    @Test("The time-out follows round trips and their variation as in RFC 6298, and is backed off until the next one")
    func roundTrips() {
        var estimate = RoundTripEstimate()
        #expect(estimate.timeout == nil)
        estimate.measure(.milliseconds(800))
        #expect(estimate.timeout == .milliseconds(800 + 4 * 400))
        // Variation 3/4 of 400 and 1/4 of 320; 7/8 of 800 and 1/8 of 480.
        estimate.measure(.milliseconds(480))
        #expect(estimate.timeout == .milliseconds(760 + 4 * 380))
        estimate.backOff(to: .seconds(9))
        #expect(estimate.timeout == .seconds(9))
        // 3/4 of 380 and 1/4 of 40; 7/8 of 760 and 1/8 of 800.
        estimate.measure(.milliseconds(800))
        #expect(estimate.timeout == .milliseconds(765 + 4 * 295))
    }
}
