package import MeshCore

/// A bearer into a simulated world of the same process; waiting makes the world's time pass at once.
package final class SimulatedBearer: Bearer {
    /// The world, for tests that look into it or make things go wrong.
    package let world: SimulatedWorld
    private var events: [BearerEvent] = []
    private var taken = 0

    /// A bearer into that world.
    package init(_ world: SimulatedWorld) {
        self.world = world
    }

    /// The present of the world.
    package var now: Instant { world.now }

    /// Connects to the proxy node that the settings name, or to the first that is powered and has its GATT proxy on;
    /// the time that connecting takes passes.
    package func open() throws(BearerError) -> (link: LinkIdentifier, maximumPacketSize: Int) {
        world.advance(to: now.advanced(by: world.settings.connecting))
        return (try world.connect(), world.maximumPacketSize)
    }

    /// Writes a packet to Data In.
    package func send(_ packet: [UInt8], on link: LinkIdentifier) throws(BearerError) {
        world.inject(packet, on: link)
    }

    /// Lets events happen until one of them is for the client; if none is left before the deadline, time jumps to it.
    /// With no deadline and nothing left to happen it returns nil at once.
    package func next(until deadline: Instant) throws(BearerError) -> BearerEvent? {
        while true {
            if taken == events.count {
                events = world.drain()
                taken = 0
            }
            if taken < events.count {
                defer { taken += 1 }
                return events[taken]
            }
            guard let time = world.nextEventTime, time <= deadline else {
                if deadline != .distantFuture { world.advance(to: deadline) }
                return nil
            }
            world.advance(to: time)
        }
    }

    /// Ends a link; packets of it that are under way are lost.
    package func close(_ link: LinkIdentifier) {
        world.disconnect(link)
    }
}
