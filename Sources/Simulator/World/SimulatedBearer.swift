package import MeshCore

/// A bearer into a simulated world of the same process. Waiting makes the world's time pass at once.
package final class SimulatedBearer: Bearer {
    /// The world, for tests that inspect it or inject faults.
    package let world: SimulatedWorld
    private var events: [BearerEvent] = []
    private var taken = 0
    /// The links that this bearer has opened or is connecting.
    private var links: Set<LinkIdentifier> = []
    private var isScanning = false

    package init(_ world: SimulatedWorld) {
        self.world = world
    }

    package var now: Instant { world.now }

    /// The number in the world's settings.
    package var maximumLinks: Int { max(world.settings.maximumLinks, 1) }

    /// Begins to connect; see ``SimulatedWorld/connect(to:)``.
    ///
    /// - Throws: ``BearerError`` if ``maximumLinks`` are in use.
    package func connect(to target: LinkTarget) throws(BearerError) -> LinkIdentifier {
        guard links.count < maximumLinks else {
            throw BearerError("all \(maximumLinks) links of the simulated bearer are in use")
        }
        let link = world.connect(to: target)
        links.insert(link)
        return link
    }

    /// Writes a packet to Data In; a closed link ignores it. It never throws.
    package func send(_ packet: [UInt8], on link: LinkIdentifier) throws(BearerError) {
        world.inject(packet, on: link)
    }

    /// Lets events happen until one of them is for the client. If none is left before the deadline, time jumps to the
    /// deadline. Without a deadline, and with nothing left to happen, it returns nil at once.
    package func next(until deadline: Instant) throws(BearerError) -> BearerEvent? {
        while true {
            if taken == events.count {
                events = world.drain()
                taken = 0
            }
            if taken < events.count {
                defer { taken += 1 }
                if case .closed(let link, _) = events[taken] { links.remove(link) }
                return events[taken]
            }
            guard let time = world.nextEventTime, time <= deadline else {
                if deadline != .distantFuture { world.advance(to: deadline) }
                return nil
            }
            world.advance(to: time)
        }
    }

    /// Ends a link. Packets that are under way on it are lost.
    package func close(_ link: LinkIdentifier) {
        links.remove(link)
        world.disconnect(link)
        // Events that were already taken from the world belong to a link that no longer exists.
        if taken < events.count {
            events = events[taken...].filter { $0.link != link }
            taken = 0
        }
    }

    /// Reports what advertises; see ``SimulatedWorld/addScanner()``.
    package func scan(_ isOn: Bool) throws(BearerError) {
        guard isOn != isScanning else { return }
        isScanning = isOn
        if isOn {
            world.addScanner()
        } else {
            world.removeScanner()
            events = events[taken...].filter { $0.link != nil }
            taken = 0
        }
    }

    deinit {
        if isScanning { world.removeScanner() }
    }
}
