import ArgumentParser
import Basics
import Bearers
import MeshCore
import SystemLayer
import TLS

/// `meshplan hub`
struct HubCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hub",
        abstract: "Keep the connections of gateways that dial in, and lead clients to them.",
        subcommands: [HubRunCommand.self, HubStatusCommand.self, HubPairCommand.self],
        defaultSubcommand: HubRunCommand.self
    )
}

/// `meshplan hub run`, or just `meshplan hub`
struct HubRunCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Serve gateways and clients until SIGINT or SIGTERM.",
        discussion: """
            Gateways in networks that nobody can connect to run meshplan gateway --dial. Clients on this machine reach \
            them by their names, with --via hub://NAME. What passes is encrypted and authenticated between clients and \
            nodes; the hub has neither keys nor a database, and passes octets on. A gateway has the name in its \
            certificate, so none can take the name of another.

            Standard output lists gateways and clients as they come and go. Standard input is not read.
            """
    )

    @Option(help: ArgumentHelp("Where gateways connect to: tcp:HOST:PORT or unix:PATH.", valueName: "address"))
    var listen: String

    @Option(
        help: ArgumentHelp(
            "Where clients connect to; only this machine may reach it: unix:PATH or tcp:127.0.0.1:PORT.",
            valueName: "address"
        )
    )
    var serve = BearerChoice.usualHub

    @Option(
        help: ArgumentHelp(
            "The hub's file of its pairing; only gateways with a file of that pairing are served. See meshplan hub pair.",
            valueName: "file"
        ),
        completion: Completion.files
    )
    var certificate: String

    @Option(
        help: ArgumentHelp(
            "Refuse the gateway whose certificate has this fingerprint, as long as the hub runs. May be repeated.",
            valueName: "fingerprint"
        )
    )
    var deny: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            A file with the fingerprints of denied gateways, one per line. It is read at each connection, and connected \
            gateways that are added to it are dropped within seconds.
            """,
            valueName: "file"
        ),
        completion: Completion.files
    )
    var denied: String?

    @OptionGroup var metrics: MetricsOption

    @Option(help: ArgumentHelp("The most gateways at once.", valueName: "count"))
    var gateways = 1_024

    @Option(help: ArgumentHelp("The most clients at once for each gateway.", valueName: "count"))
    var gatewayClients = 16

    func validate() throws {
        for text in [listen, serve] {
            do { _ = try SocketAddress(text) } catch { throw ValidationError("\(error).") }
        }
        guard listen != serve else { throw ValidationError("--listen and --serve need different addresses.") }
        for text in deny where Certificate.fingerprint(text) == nil {
            throw ValidationError("`\(text)` is not a fingerprint (64 hexadecimal digits).")
        }
        guard (1...8_192).contains(gateways) else { throw ValidationError("--gateways takes 1 to 8192.") }
        guard (1...256).contains(gatewayClients) else { throw ValidationError("--gateway-clients takes 1 to 256.") }
    }

    func run(in context: Context) throws -> ExitStatus {
        let (gatewayAddress, clientAddress) = (try SocketAddress(listen), try SocketAddress(serve))
        guard try clientAddress.isLocal() else {
            throw Failure(
                .refused,
                "\(clientAddress) can be reached by other machines, which could use the radios of all gateways",
                hint: "Serve clients at tcp:127.0.0.1:PORT or unix:PATH; on other machines, ssh -L leads to it."
            )
        }
        let metricsAddress = try metrics.address()
        let list = denied.map { DeniedClients(context: context, path: $0, of: "gateways") }
        // Errors in the list are reported now, not when the first gateway connects.
        _ = try list?.fingerprints()
        let identity = try GatewayPairing.identity(certificate, role: .server, in: context)
        let fixed = Set(deny.compactMap(Certificate.fingerprint))
        let security = ConnectionSecurity(
            try TLSContext(identity, role: .server, parties: .gatewayAndHub, denied: fixed),
            now: context.now,
            denied: { () throws(BearerError) in try list?.fingerprints() ?? [] }
        )
        var settings = HubServer.Settings()
        settings.maximumGateways = gateways
        settings.maximumClientsPerGateway = gatewayClients
        settings.program = programVersion
        let log = HubLog(context: context)
        let clock = BearerClock()
        let (counts, current) = (HubMetrics(at: context.now()), CurrentHub())
        let metricsServer = try metricsAddress.map { address throws(BearerError) in
            try MetricsServer(listeningAt: address.resolved(in: context), clock: clock) { counts.text(current.hub) }
        }
        let hub = try HubServer(
            gatewaysAt: gatewayAddress.resolved(in: context),
            clientsAt: clientAddress.resolved(in: context),
            settings: settings,
            security: security,
            clock: clock,
            metrics: metricsServer,
            wakeUp: context.interrupts.wakeUp,
            tell: {
                log.write($0)
                counts.count($0)
            }
        )
        current.hub = hub
        log.begin(
            gatewaysAt: gatewayAddress.isUnix ? gatewayAddress : hub.gatewayAddress,
            clientsAt: clientAddress.isUnix ? clientAddress : hub.clientAddress
        )
        if let metricsServer { log.write(metricsAt: metricsServer.address) }
        let before = context.interrupts.count()
        context.interrupts.arm()
        do {
            while context.interrupts.count() == before { try hub.turn(until: clock.now.advanced(by: .seconds(60))) }
        } catch {
            hub.close(BearerError("the hub has stopped: \(error.message)"))
            throw error
        }
        hub.close(BearerError("the hub was stopped", hint: "Start it again."))
        metricsServer?.close()
        log.end()
        return .success
    }

    /// The hub that the metrics tell of, which is made after their server.
    private final class CurrentHub {
        weak var hub: HubServer?
    }
}
