internal import Bearers
internal import MeshCore

/// A bearer of this machine with the server that lends it, from the start to a signal.
struct Gateway {
    /// What clients get.
    struct Limits {
        /// Links at once for all together; nil for as many as the bearer has.
        var connections: Int?
        /// Links at once for each; nil for all.
        var clientConnections: Int?
        /// Clients at once.
        var clients: Int
    }

    private let context: Context
    private let clock: BearerClock
    private let server: FrameServer
    private let relay: GatewayRelay
    private let log: GatewayLog

    /// Opens the bearer and begins to listen.
    ///
    /// - Parameters:
    ///   - choices: what carries messages on, at least one and no simulator.
    ///   - names: what messages call each.
    ///   - security: what clients are known by; without it whoever can connect is served.
    /// - Throws: ``BearerError`` if none of the bearers can be used, or the address cannot.
    init(
        listeningAt address: SocketAddress,
        choices: [BearerChoice],
        names: [String],
        security: ConnectionSecurity?,
        limits: Limits,
        in context: Context
    ) throws {
        self.context = context
        clock = BearerClock()
        let log = GatewayLog(context: context)
        self.log = log
        let bearer = try ComposedBearer(
            try RadioBearers(context: context, clock: clock).parts(choices, names),
            clock: clock,
            interruption: WaitInterruption(wakeUp: context.interrupts.wakeUp),
            // Whoever needs the radio learns why there is none; a gateway waits for it to come back.
            endurance: nil,
            changed: { log.write($0) }
        )
        let links = min(limits.connections ?? .max, bearer.maximumLinks)
        var settings = FrameServer.Settings()
        settings.maximumClients = limits.clients
        settings.maximumLinks = min(limits.clientConnections ?? .max, links)
        server = try FrameServer(
            listeningAt: address.resolved(in: context),
            settings: settings,
            security: security,
            clock: clock
        )
        relay = GatewayRelay(
            server: server,
            bearer: bearer,
            maximumLinks: limits.connections,
            failure: { bearer.failure },
            tell: { log.write($0) }
        )
        log.begin(
            listeningAt: address.isUnix ? address : server.address,
            via: names,
            links: links
        )
    }

    /// Serves clients until a signal.
    func run() throws -> ExitStatus {
        let before = context.interrupts.count()
        context.interrupts.arm()
        do {
            while context.interrupts.count() == before {
                try relay.turn(until: clock.now.advanced(by: .seconds(60)))
            }
        } catch {
            server.close(BearerError("the gateway has stopped: \(error.message)"))
            throw error
        }
        relay.close()
        server.close(BearerError("the gateway was stopped", hint: "Start it again, or use another one."))
        log.end()
        return .success
    }
}

extension SocketAddress {
    fileprivate var isUnix: Bool {
        if case .unix = self { return true }
        return false
    }
}
