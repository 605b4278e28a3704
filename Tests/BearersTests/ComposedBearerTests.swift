import MeshCore
import Testing

@testable import Bearers

private let red = AdvertiserIdentifier(rawValue: [9, 9])
private func link(_ number: UInt32) -> LinkIdentifier { LinkIdentifier(rawValue: number) }
private func heard(_ advertiser: AdvertiserIdentifier, _ signal: Int8?) -> BearerEvent {
    .heard(Advertisement(advertiser: advertiser, content: .proxy(.networkID(7)), signal: signal))
}
private func composed(_ place: UInt8, _ advertiser: AdvertiserIdentifier) -> AdvertiserIdentifier {
    AdvertiserIdentifier(rawValue: [place] + advertiser.rawValue)
}

@Suite("Several bearers as one")
struct ComposedBearerTests {
    /// Two fakes, joined; each is made anew when it was gone.
    private final class Pair {
        let clock = BearerClock()
        var made: [[FakeBearer]] = [[], []]
        /// What making a part throws.
        var failures: [BearerError?] = [nil, nil]
        var changes: [ComposedBearer.Change] = []

        func join(endurance: Int? = 4) throws -> ComposedBearer {
            try ComposedBearer(
                [part(0), part(1)],
                clock: clock,
                endurance: endurance,
                changed: { self.changes.append($0) }
            )
        }

        private func part(_ place: Int) -> ComposedBearer.Part {
            ComposedBearer.Part(name: ["basement", "roof"][place]) { () throws(BearerError) in
                if let failure = self.failures[place] { throw failure }
                let bearer = FakeBearer(clock: self.clock)
                self.made[place].append(bearer)
                return bearer
            }
        }

        subscript(place: Int) -> FakeBearer { made[place][made[place].count - 1] }
    }

    /// All events that there are at present.
    private func events(_ bearer: ComposedBearer) -> [BearerEvent] {
        var events: [BearerEvent] = []
        while let event = bearer.takeEvent() { events.append(event) }
        return events
    }

    /// Why a link does not come about, which is told after a while.
    private func ending(of link: LinkIdentifier, _ bearer: ComposedBearer) throws -> BearerError? {
        #expect(bearer.takeEvent() == nil, "it is held back")
        let deadline = bearer.now.advanced(by: .seconds(10))
        guard case .closed(link, let error)? = try bearer.next(until: deadline) else { return nil }
        return error
    }

    @Test("links are numbered anew, go to who has the fewest, and what each says keeps its link")
    func links() throws {
        let pair = Pair()
        let bearer = try pair.join()
        #expect(bearer.maximumLinks == 4)
        let all = try (0..<4).map { _ in try bearer.connect(to: .anyProxy) }
        #expect(all == (0..<4).map(link))
        #expect(pair[0].calls == [.connect(link(0), .anyProxy), .connect(link(1), .anyProxy)])
        #expect(pair[1].calls == pair[0].calls)
        let times = GATTTimes(
            wait: .zero,
            connection: .milliseconds(1),
            mtuExchange: .milliseconds(2),
            discovery: .milliseconds(3),
            subscription: .milliseconds(4)
        )
        pair[0].events = [.opened(link(1), maximumPacketSize: 20, times)]
        pair[1].events = [.opened(link(1), maximumPacketSize: 66), .received(link(0), [1])]
        #expect(
            events(bearer) == [
                .opened(link(2), maximumPacketSize: 20, times), .opened(link(3), maximumPacketSize: 66),
                .received(link(1), [1]),
            ]
        )
        try bearer.send([7], on: link(3))
        #expect(pair[1].calls.last == .send([7], link(1)))
        pair[1].waiting = [link(1): 300]
        #expect(bearer.backlog(of: link(3)) == 300 && bearer.backlog(of: link(2)) == 0)
        // All are used up.
        let surplus = try bearer.connect(to: .anyProxy)
        #expect(try ending(of: surplus, bearer) == BearerError("all 4 links are in use"))
        bearer.close(link(3))
        #expect(pair[1].calls.last == .close(link(1)))
        pair[1].events = [.received(link(1), [2])]
        #expect(events(bearer).isEmpty, "nothing comes of a closed link")
        try bearer.send([8], on: link(3))
        #expect(pair[1].calls.last == .close(link(1)))
        #expect(try bearer.connect(to: .anyProxy) == link(5))
        #expect(pair[1].calls.last == .connect(link(2), .anyProxy), "there is room again")
    }

    @Test("none starves, however much another tells")
    func fairness() throws {
        let pair = Pair()
        let bearer = try pair.join()
        _ = try bearer.connect(to: .anyProxy)
        _ = try bearer.connect(to: .anyProxy)
        pair[0].events = (0..<100).map { .received(link(0), [$0]) }
        pair[1].events = [.received(link(0), [200]), .received(link(0), [201])]
        let first = (0..<4).compactMap { _ in bearer.takeEvent() }
        #expect(
            first == [
                .received(link(0), [0]), .received(link(1), [200]), .received(link(0), [1]), .received(link(1), [201]),
            ]
        )
        #expect(events(bearer).count == 98)
    }

    @Test("connecting goes back to who heard the advertiser, with its own identifier")
    func targets() throws {
        let pair = Pair()
        let bearer = try pair.join()
        try bearer.scan(true)
        #expect(pair[0].calls == [.scan(true)] && pair[1].calls == [.scan(true)])
        pair[1].events = [heard(red, -60)]
        #expect(events(bearer) == [heard(composed(1, red), -60)])
        _ = try bearer.connect(to: .provisioning(composed(1, red)))
        #expect(pair[1].calls.last == .connect(link(0), .provisioning(red)))
        let nobody = try bearer.connect(to: .proxy(AdvertiserIdentifier(rawValue: [7, 1])))
        #expect(try ending(of: nobody, bearer) != nil)
        // An identifier that has no room for the place cannot be connected to, and is not told of.
        pair[1].events = [heard(AdvertiserIdentifier(rawValue: [UInt8](repeating: 1, count: 32)), -60)]
        #expect(events(bearer).isEmpty)
    }

    @Test("an advertiser that both hear comes from one: who hears it clearly better, or has a link to it")
    func oneSpeaker() throws {
        let pair = Pair()
        let bearer = try pair.join()
        try bearer.scan(true)
        func tell(_ place: Int, _ signal: Int8?) -> [BearerEvent] {
            pair[place].events = [heard(red, signal)]
            return events(bearer)
        }
        #expect(tell(0, -70) == [heard(composed(0, red), -70)])
        #expect(tell(1, -70).isEmpty)
        #expect(tell(1, -63).isEmpty, "that much signals sway")
        #expect(tell(1, -62) == [heard(composed(1, red), -62)])
        #expect(tell(0, -70).isEmpty)
        // Somebody remembers the first identifier and connects to it; the second is silent then, and gets no link.
        let first = try bearer.connect(to: .proxy(composed(0, red)))
        #expect(tell(1, -20).isEmpty)
        #expect(tell(0, -80) == [heard(composed(0, red), -80)])
        let second = try bearer.connect(to: .proxy(composed(1, red)))
        #expect(try ending(of: second, bearer) == BearerError("basement already has a link to this proxy"))
        bearer.close(first)
        #expect(tell(1, -20) == [heard(composed(1, red), -20)])
        // Who has no link left leaves it to the other.
        _ = try bearer.connect(to: .proxy(AdvertiserIdentifier(rawValue: [1, 5])))
        _ = try bearer.connect(to: .proxy(AdvertiserIdentifier(rawValue: [1, 6])))
        #expect(tell(0, -90) == [heard(composed(0, red), -90)])
        #expect(tell(1, -20).isEmpty)
    }

    @Test("one that is gone ends its links with its name, what has come before counts, and the others go on")
    func oneGone() throws {
        let pair = Pair()
        let bearer = try pair.join()
        try bearer.scan(true)
        let first = try bearer.connect(to: .anyProxy)
        let second = try bearer.connect(to: .anyProxy)
        pair.failures[0] = BearerError("no adapter hci0")
        pair[0].events = [.received(link(0), [1])]
        pair[0].failure = BearerError("adapter hci0 is gone", hint: "Plug it in.")
        try bearer.advance([])
        let gone = BearerError("basement: adapter hci0 is gone", hint: "Plug it in.")
        #expect(events(bearer) == [.received(first, [1]), .closed(first, gone)])
        #expect(pair.changes == [.lost("basement", gone)])
        #expect(bearer.maximumLinks == 2)
        pair[1].events = [.received(link(0), [2])]
        #expect(events(bearer) == [.received(second, [2])])
        // What only the first has heard is out of reach.
        let lost = try bearer.connect(to: .proxy(composed(0, red)))
        #expect(bearer.nextDeadline.map { $0 > bearer.now } == true, "it is tried again later")
        #expect(try ending(of: lost, bearer)?.message.hasPrefix("basement: ") == true)
    }

    @Test("one that is gone is made anew after a wait that doubles, scans, and is told to be back")
    func back() throws {
        let pair = Pair()
        let bearer = try pair.join()
        try bearer.scan(true)
        pair.failures[0] = BearerError("no adapter")
        pair[0].failure = BearerError("gone")
        try bearer.advance([])
        let first = try #require(bearer.nextDeadline)
        #expect((Duration.milliseconds(1_500)...Duration.seconds(2)).contains(bearer.now.duration(to: first)))
        #expect(pair.made[0].count == 1)
        pair.failures[0] = nil
        let deadline = bearer.now.advanced(by: .seconds(10))
        while pair.made[0].count == 1, bearer.now < deadline {
            _ = try bearer.next(until: bearer.now.advanced(by: .milliseconds(300)))
        }
        #expect(pair[0].calls == [.scan(true)])
        #expect(pair.changes.last == .back("basement"))
        #expect(bearer.maximumLinks == 4)
    }

    @Test("only when all are gone does connecting fail, with what each says")
    func allGone() throws {
        let pair = Pair()
        let bearer = try pair.join()
        let first = try bearer.connect(to: .anyProxy)
        pair.failures = [BearerError("nobody"), BearerError("nobody")]
        pair[0].failure = BearerError("gone")
        pair[1].failure = BearerError("roof fell down")
        try bearer.advance([])
        let gone = BearerError("basement: gone")
        #expect(events(bearer) == [.closed(first, gone)])
        // They are tried again meanwhile, and it may be said what comes of that.
        let second = try bearer.connect(to: .anyProxy)
        #expect(
            try ending(of: second, bearer) == BearerError("basement: gone; roof fell down"),
            "a name is not said twice"
        )
        try bearer.scan(true)
        #expect(bearer.nextDeadline != nil, "one may come back")
    }

    @Test("when all stay gone while scanning it is given up, unless it is to be waited for ever", arguments: [1, nil])
    func endurance(_ endurance: Int?) throws {
        let pair = Pair()
        let bearer = try pair.join(endurance: endurance)
        try bearer.scan(true)
        for place in 0..<2 { pair[place].failure = BearerError("gone") }
        if endurance == nil {
            try bearer.advance([])
            #expect(bearer.nextDeadline != nil)
        } else {
            #expect(throws: BearerError("basement: gone; roof: gone")) { try bearer.advance([]) }
        }
    }

    @Test("one that cannot be used at the start is named; none at all is an error")
    func atTheStart() throws {
        let pair = Pair()
        pair.failures[1] = BearerError("nobody listens")
        let bearer = try pair.join()
        #expect(pair.changes == [.lost("roof", BearerError("roof: nobody listens"))])
        #expect(bearer.maximumLinks == 2)
        pair.failures[0] = BearerError("no radio")
        let error = #expect(throws: BearerError.self) { try pair.join() }
        #expect(error?.message == "basement: no radio; roof: nobody listens")
    }
}
