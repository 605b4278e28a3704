package import MeshCore

/// Several bearers as one: the gateways of several rooms, or a gateway and an adapter of this machine.
///
/// All of them scan. The composed bearer gives links numbers of its own. It puts the index of the bearer that heard an
/// advertiser in front of the advertiser's identifier, so that a connection goes through that bearer. If a bearer
/// fails, its links end with its error, and the others go on. The failed bearer is opened again after a wait that
/// doubles, as long as anybody scans or connects. The composed bearer gives up only when all of its bearers stay gone.
///
/// ## One advertiser that several bearers hear
/// Bearers identify an advertiser by its Bluetooth address, so the same octets from two bearers mean the same device.
/// The composed bearer reports it under one identifier: that of the bearer that hears it best, or that has a link to
/// it. Otherwise a caller would take it for two proxies and waste a second link on it. Another bearer takes over when
/// it hears the advertiser more strongly by ``Sightings/margin``, or when the first one has not heard it for
/// ``Sightings/lifetime``, is gone, or has no link left. If one part has a link to a proxy, a link to the same proxy
/// through another part fails; a caller may remember both identifiers.
package final class ComposedBearer: PolledBearer {
    /// Which part a link belongs to, and its number there.
    private struct Place {
        let member: Int
        let link: LinkIdentifier
        let advertiser: AdvertiserIdentifier?
    }

    /// The clock of ``now``, which all parts share.
    package let clock: BearerClock
    package let interruption: WaitInterruption
    private var members: [Member]
    private var places: [LinkIdentifier: Place] = [:]
    private var nextLink: UInt32 = 0
    private let endurance: Int?
    private let changed: (Change) -> Void
    private var hasBegun = false
    private var isScanning = false
    private var sightings = Sightings()
    /// Ends of links that no part reports.
    private var events = BearerEventQueue()
    /// Ends of links that are held back, earliest first.
    private var endings: [(at: Instant, event: BearerEvent)] = []
    /// The part that is asked first for the next event.
    private var turn = 0

    /// Makes all parts and waits until each can be used, one after the other.
    ///
    /// - Parameters:
    ///   - parts: 1...255 parts.
    ///   - clock: the clock of the parts.
    ///   - interruption: ends a wait, beside the parts' own descriptors.
    ///   - endurance: how often in a row all parts may fail before ``advance(_:)`` gives up; nil to never give up.
    ///   - changed: called when a part is lost or works again.
    /// - Throws: ``BearerError`` if no part can be used.
    package init(
        _ parts: [Part],
        clock: BearerClock,
        interruption: WaitInterruption = WaitInterruption(),
        endurance: Int? = 4,
        changed: @escaping (Change) -> Void = { _ in }
    ) throws(BearerError) {
        precondition((1...255).contains(parts.count), "1 to 255 parts")
        self.clock = clock
        self.interruption = interruption
        self.endurance = endurance
        self.changed = changed
        members = parts.map { Member(part: $0) }
        for place in members.indices {
            do throws(BearerError) {
                let bearer = try members[place].part.make()
                try members[place].part.open(bearer)
                members[place].bearer = bearer
                members[place].isUsed = true
            } catch {
                lose(place, error)
            }
        }
        guard members.contains(where: { $0.bearer != nil }) else { throw allGone }
        for member in members { if let error = member.error { changed(.lost(member.part.name, error)) } }
        hasBegun = true
    }

    /// The sum over the parts that are there, at least 1.
    package var maximumLinks: Int { max(members.reduce(0) { $0 + ($1.bearer?.maximumLinks ?? 0) }, 1) }

    // MARK: Links

    /// Begins to connect through the part that heard the target, or through the one with the fewest links.
    ///
    /// It never throws. A failure ends the link after ``failureDelay``. If it ended at once, a caller that chooses
    /// among what was heard would use up its attempts on other advertisers that the same part has heard.
    package func connect(to target: LinkTarget) throws(BearerError) -> LinkIdentifier {
        reviveDue()
        let link = LinkIdentifier(rawValue: nextLink)
        nextLink += 1
        do throws(BearerError) {
            try connect(link, to: target)
        } catch {
            endings.append((now.advanced(by: Self.failureDelay), .closed(link, error)))
        }
        return link
    }

    private func connect(_ link: LinkIdentifier, to target: LinkTarget) throws(BearerError) {
        let (place, inner) = resolve(target)
        guard let place else { throw members.contains { $0.bearer != nil } ? noRoom : allGone }
        guard let bearer = members[place].bearer else { throw members[place].error ?? allGone }
        let advertiser = inner.advertiser
        if case .proxy(let advertiser) = inner, let holder = sightings.holder(of: advertiser), holder != place {
            throw BearerError("\(members[holder].part.name) already has a link to this proxy")
        }
        let inside: LinkIdentifier
        do throws(BearerError) {
            inside = try bearer.connect(to: inner)
        } catch {
            throw named(error, place)
        }
        members[place].links[inside] = link
        places[link] = Place(member: place, link: inside, advertiser: advertiser)
        if let advertiser { sightings.hold(advertiser, by: place) }
    }

    /// How long to hold back the end of a link that could not be made.
    static let failureDelay = Duration.milliseconds(2_500)

    private var noRoom: BearerError { BearerError("all \(maximumLinks) links are in use") }

    /// The part that connects, and the target as that part knows it.
    private func resolve(_ target: LinkTarget) -> (place: Int?, target: LinkTarget) {
        guard let advertiser = target.advertiser, members.count > 1 else {
            let free = members.indices.filter { members[$0].hasRoom }
            return (free.min { members[$0].links.count < members[$1].links.count }, target)
        }
        guard let first = advertiser.rawValue.first, Int(first) < members.count else { return (nil, target) }
        let inner = AdvertiserIdentifier(rawValue: Array(advertiser.rawValue.dropFirst()))
        if case .provisioning = target { return (Int(first), .provisioning(inner)) }
        return (Int(first), .proxy(inner))
    }

    /// Writes one packet.
    package func send(_ packet: [UInt8], on link: LinkIdentifier) throws(BearerError) {
        guard let place = places[link] else { return }
        do throws(BearerError) {
            try members[place.member].bearer?.send(packet, on: place.link)
        } catch {
            throw named(error, place.member)
        }
    }

    /// The backlog that the part reports.
    package func backlog(of link: LinkIdentifier) -> Int {
        places[link].flatMap { members[$0.member].bearer?.backlog(of: $0.link) } ?? 0
    }

    /// Closes a link, or stops connecting.
    package func close(_ link: LinkIdentifier) {
        events.drop(link)
        endings.removeAll { $0.event.link == link }
        guard let place = forget(link) else { return }
        members[place.member].bearer?.close(place.link)
    }

    @discardableResult
    private func forget(_ link: LinkIdentifier) -> Place? {
        guard let place = places.removeValue(forKey: link) else { return nil }
        members[place.member].links[place.link] = nil
        if let advertiser = place.advertiser { sightings.release(advertiser, by: place.member) }
        return place
    }

    // MARK: Scanning

    /// Makes all parts scan or stop. A part that is gone begins when it is back.
    package func scan(_ isOn: Bool) throws(BearerError) {
        guard isOn != isScanning else { return }
        isScanning = isOn
        if isOn { reviveDue() }
        for place in members.indices {
            do throws(BearerError) {
                try members[place].bearer?.scan(isOn)
            } catch {
                lose(place, error)
            }
        }
    }

    // MARK: Waiting

    /// The earliest deadline of the parts, or when to try a lost part again.
    package var nextDeadline: Instant? {
        let dues = members.compactMap { $0.bearer?.nextDeadline } + endings.prefix(1).map(\.at)
        var deadline = dues.min()
        guard isScanning else { return deadline }
        for retry in members.compactMap(\.nextRetry) { deadline = min(deadline ?? retry, retry) }
        return deadline
    }

    /// What all parts wait for.
    package var watched: [Watched] {
        var all: [Watched] = []
        for place in members.indices {
            let own = members[place].bearer?.watched ?? []
            members[place].watchedCount = own.count
            all += own
        }
        return all
    }

    /// Lets each part read and write, and tries lost parts again.
    ///
    /// - Throws: ``BearerError`` if all parts are gone and stay gone.
    package func advance(_ ready: ArraySlice<Watched>) throws(BearerError) {
        var rest = ready
        for place in members.indices {
            let own = rest.prefix(members[place].watchedCount)
            rest = rest.dropFirst(own.count)
            guard let bearer = members[place].bearer else { continue }
            let isDue = bearer.nextDeadline.map { $0 <= now } ?? false
            guard isDue || own.contains(where: \.isReady) else { continue }
            do throws(BearerError) {
                try bearer.advance(own)
                if !members[place].isUsed, bearer.isReady { recovered(place) }
            } catch {
                lose(place, error)
            }
        }
        if isScanning { reviveDue() }
        guard let endurance, members.allSatisfy({ $0.bearer == nil && $0.failures >= endurance }) else { return }
        isScanning = false
        throw allGone
    }

    /// The next event of the parts, each in turn.
    package func takeEvent() -> BearerEvent? {
        if let ending = endings.first, ending.at <= now { return endings.removeFirst().event }
        if let event = events.popFirst() { return event }
        for offset in members.indices {
            let place = (turn + offset) % members.count
            while let event = members[place].bearer?.takeEvent() {
                guard let own = translate(event, of: place) else { continue }
                turn = (place + 1) % members.count
                return own
            }
        }
        return nil
    }

    private func translate(_ event: BearerEvent, of place: Int) -> BearerEvent? {
        switch event {
        case .opened(let link, let size, let times):
            return members[place].links[link].map { .opened($0, maximumPacketSize: size, times) }
        case .received(let link, let packet): return members[place].links[link].map { .received($0, packet) }
        case .closed(let inside, let error):
            guard let link = members[place].links[inside] else { return nil }
            forget(link)
            return .closed(link, named(error, place))
        case .heard(var advertisement):
            guard members.count > 1 else { return event }
            let isFull = { [members] (place: Int) in !members[place].hasRoom }
            guard sightings.takes(advertisement, by: place, isFull: isFull, at: now) else { return nil }
            // Without room for the index in front, nobody could connect to this advertiser.
            guard advertisement.advertiser.rawValue.count < Frame.maximumAdvertiserSize else { return nil }
            advertisement.advertiser = AdvertiserIdentifier(
                rawValue: [UInt8(place)] + advertisement.advertiser.rawValue
            )
            return .heard(advertisement)
        }
    }

    // MARK: Parts that are gone

    /// Ends the links of a part with its error.
    private func lose(_ place: Int, _ error: BearerError) {
        let error = named(error, place)
        if hasBegun, members[place].isUsed { changed(.lost(members[place].part.name, error)) }
        let last = members[place].lost(error, at: now)
        // Events that arrived before the loss count.
        while let event = last?.takeEvent() { if let own = translate(event, of: place) { events.append(own) } }
        for link in members[place].links.values.sorted() {
            forget(link)
            events.append(.closed(link, error))
        }
        sightings.forget(place)
    }

    private func recovered(_ place: Int) {
        members[place].recovered()
        changed(.back(members[place].part.name))
    }

    /// Makes lost parts again whose time has come.
    private func reviveDue() {
        for place in members.indices where members[place].isDue(at: now) {
            do throws(BearerError) {
                let bearer = try members[place].part.make()
                if isScanning { try bearer.scan(true) }
                members[place].bearer = bearer
                if bearer.isReady { recovered(place) }
            } catch {
                lose(place, error)
            }
        }
    }

    private func named(_ error: BearerError, _ place: Int) -> BearerError {
        let name = members[place].part.name
        guard members.count > 1, !error.message.contains(name) else { return error }
        return BearerError("\(name): \(error.message)", hint: error.hint)
    }

    /// Why waiting is pointless; nil while a part is there or may come back.
    package var failure: BearerError? { members.contains { $0.bearer != nil } ? nil : allGone }

    /// Why nothing can be heard at present. A part that is connecting again does not hear anything yet.
    package var deafness: BearerError? { members.contains(where: \.isUsed) ? nil : allGone }

    /// The error that names what is wrong with each part.
    private var allGone: BearerError {
        let failures = members.compactMap { member in member.error.map { (member.part.name, $0) } }
        guard failures.count > 1 else {
            return failures.first?.1 ?? BearerError("no gateway or adapter is left to carry messages")
        }
        let hints = Set(failures.compactMap(\.1.hint))
        let all = failures.compactMap { name, error in error.hint.map { "For \(name): \($0)" as Advice } }
        return BearerError(
            failures.map(\.1.message).joined(separator: "; "),
            hint: hints.count == 1 ? hints.first : all.dropFirst().reduce(all.first) { "\($0 ?? "") \($1)" }
        )
    }
}

extension LinkTarget {
    /// The advertiser to connect to; nil for any.
    fileprivate var advertiser: AdvertiserIdentifier? {
        switch self {
        case .anyProxy: nil
        case .proxy(let advertiser), .provisioning(let advertiser): advertiser
        }
    }
}

extension ComposedBearer {
    /// A part and its present state.
    struct Member {
        let part: Part
        /// Nil while the part is gone.
        var bearer: (any PolledBearer)?
        /// Maps the part's links to those of the composed bearer.
        var links: [LinkIdentifier: LinkIdentifier] = [:]
        /// The error of the last loss or failed attempt; nil while it works.
        private(set) var error: BearerError?
        /// Whether it works, as last reported.
        var isUsed = false
        /// How often in a row it was lost or failed.
        private(set) var failures = 0
        private var retryAt = Instant.zero
        /// How many descriptors it last asked to wait for.
        var watchedCount = 0

        private static let firstWait = Duration.seconds(2)
        private static let longestWait = Duration.seconds(30)

        /// A part that has not been made yet.
        init(part: Part) {
            self.part = part
        }

        /// Whether it has room for another link.
        var hasRoom: Bool { bearer.map { links.count < $0.maximumLinks } ?? false }

        /// When to make it again; nil while it is there.
        var nextRetry: Instant? { bearer == nil ? retryAt : nil }

        /// Whether it is time to make it again.
        func isDue(at now: Instant) -> Bool { nextRetry.map { $0 <= now } ?? false }

        /// It is gone or could not be made. The next attempt waits twice as long as the last.
        ///
        /// - Returns: the lost bearer, which may still have events.
        mutating func lost(_ error: BearerError, at now: Instant) -> (any PolledBearer)? {
            isUsed = false
            let wait = min(Self.firstWait * (1 << min(failures, 8)), Self.longestWait)
            retryAt = now.advanced(by: wait)
            failures += 1
            self.error = error
            watchedCount = 0
            defer { bearer = nil }
            return bearer
        }

        mutating func recovered() {
            isUsed = true
            failures = 0
            error = nil
        }
    }
}

/// The parts of a composed bearer, and what it reports about them.
extension ComposedBearer {
    /// One of the bearers, and how to make it.
    package struct Part {
        /// Its name in errors, as the user gave it.
        package var name: String
        /// Makes the bearer, at first and again after a loss.
        package var make: () throws(BearerError) -> any PolledBearer
        /// Waits until the bearer can be used, so that problems show at the start.
        package var open: (any PolledBearer) throws(BearerError) -> Void

        package init(
            name: String,
            make: @escaping () throws(BearerError) -> any PolledBearer,
            open: @escaping (any PolledBearer) throws(BearerError) -> Void = { _ in }
        ) {
            self.name = name
            self.make = make
            self.open = open
        }
    }

    /// What happens to a part while the others go on.
    package enum Change: Hashable, Sendable {
        /// A part is lost, or could not be used from the start.
        case lost(String, BearerError)
        /// A lost part works again.
        case back(String)
    }
}
