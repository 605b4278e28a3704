import Bearers
import MeshCore
import SystemLayer

/// A bearer of this machine and the server that shares it with clients, from the start until a signal.
struct Gateway {
    /// The limits of what clients may use.
    struct Limits {
        /// The most links at once of all clients together; nil for as many as the bearer has.
        var connections: Int?
        /// The most links at once of each client; nil for no limit.
        var clientConnections: Int?
        var clients: Int
    }

    private let context: Context
    private let clock: BearerClock
    private let server: FrameServer
    private let relay: GatewayRelay
    private let log: GatewayLog
    private let metricsServer: MetricsServer?

    /// Opens the bearer and begins to listen.
    ///
    /// - Parameters:
    ///   - address: where clients come to; nil for nowhere.
    ///   - hub: the hub to connect to; nil for none.
    ///   - choices: the bearers that carry messages on, at least one, without the simulator.
    ///   - names: the name of each choice in messages.
    ///   - metricsAddress: where collectors get metrics; nil for nowhere.
    ///   - security: identifies clients. Without it, anybody who can connect is served.
    /// - Throws: ``BearerError`` if no bearer, or not the address, can be used; ``Failure`` if a file of a pairing is
    ///   wrong.
    init(
        listeningAt address: SocketAddress?,
        dialling hub: HubDialler.Settings? = nil,
        choices: [BearerChoice],
        names: [String],
        metricsAddress: SocketAddress? = nil,
        security: ConnectionSecurity?,
        limits: Limits,
        in context: Context
    ) throws {
        self.context = context
        clock = BearerClock()
        let log = GatewayLog(context: context)
        self.log = log
        let metrics = GatewayMetrics(at: context.now())
        let current = CurrentRelay()
        let bearer = try ComposedBearer(
            try RadioBearers(context: context, clock: clock).parts(choices, names),
            clock: clock,
            interruption: WaitInterruption(wakeUp: context.interrupts.wakeUp),
            // Without a limit: clients are told why there is no radio, and the gateway waits for it to come back.
            endurance: nil,
            changed: {
                log.write($0)
                metrics.count($0)
            }
        )
        let links = min(limits.connections ?? .max, bearer.maximumLinks)
        var settings = FrameServer.Settings()
        settings.maximumClients = limits.clients
        settings.maximumLinks = min(limits.clientConnections ?? .max, links)
        server = try FrameServer(
            listeningAt: address?.resolved(in: context),
            settings: settings,
            security: security,
            clock: clock
        )
        if let metricsAddress {
            let text = { metrics.text(current.relay) }
            let address = metricsAddress.resolved(in: context)
            metricsServer = try MetricsServer(listeningAt: address, clock: clock, text: text)
        } else {
            metricsServer = nil
        }
        let (clock, bits) = (self.clock, context.randomBits)
        let dialler = hub.map { hub in
            // The upper bits of a random number as a fraction.
            return HubDialler(hub, clock: clock) { Double(bits() >> 11) / Double(UInt64(1) << 53) }
        }
        relay = GatewayRelay(
            server: server,
            bearer: bearer,
            maximumLinks: limits.connections,
            metrics: metricsServer,
            dialler: dialler,
            failure: { bearer.failure },
            tell: {
                log.write($0)
                metrics.count($0)
            }
        )
        current.relay = relay
        log.begin(
            listeningAt: address?.isUnix == true ? address : server.address,
            dialling: hub.map { ($0.address, $0.name) },
            via: names,
            links: links
        )
        if let metricsServer { log.write(metricsAt: metricsServer.address) }
    }

    /// The relay that the metrics tell of, which is made after their server.
    private final class CurrentRelay {
        weak var relay: GatewayRelay?
    }

    /// Serves clients until a signal.
    ///
    /// - Throws: the error that ends the gateway, after the clients were told.
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
        metricsServer?.close()
        server.close(BearerError("the gateway was stopped", hint: "Start it again, or use another one."))
        log.end()
        return .success
    }
}

extension SocketAddress {
    var isUnix: Bool {
        if case .unix = self { return true }
        return false
    }
}
