import ArgumentParser
import Bearers
import MeshCore
import TLS

/// `meshplan gateway`
struct GatewayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Let meshplan on other machines use the Bluetooth of this one.",
        subcommands: [GatewayRunCommand.self, GatewayPairCommand.self],
        defaultSubcommand: GatewayRunCommand.self
    )
}

/// `meshplan gateway run`, or just `meshplan gateway`
struct GatewayRunCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Serve clients until SIGINT or SIGTERM.",
        discussion: """
            Clients run meshplan with --via. Through this machine they scan, and open links to proxies and devices. \
            What passes is encrypted and authenticated between clients and nodes; this machine has neither keys nor a \
            database. Several clients at once share the links, which are given out in the order of requests, up to \
            each client's limit.

            Standard output lists clients and links as they come and go; nothing is written while nothing happens. \
            Standard input is not read. Without certificates only this machine can connect.
            """
    )

    @Option(help: ArgumentHelp("Where to listen: tcp:HOST:PORT or unix:PATH.", valueName: "address"))
    var listen: String

    @Option(
        help: ArgumentHelp(
            "The gateway's file of a pairing; only clients with a file of that pairing are served. See meshplan gateway pair.",
            valueName: "file"
        ),
        completion: Completion.files
    )
    var certificate: String?

    @Option(
        help: ArgumentHelp(
            "Refuse the client whose certificate has this fingerprint, as long as the gateway runs. May be repeated.",
            valueName: "fingerprint"
        )
    )
    var deny: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            A file with the fingerprints of denied clients, one per line. It is read at each connection, and connected \
            clients that are added to it are dropped within seconds.
            """,
            valueName: "file"
        ),
        completion: Completion.files
    )
    var denied: String?

    @Option(
        help: ArgumentHelp(
            """
            How messages continue from here: gatt, a Bluetooth adapter of this machine (gatt:ADAPTER for a specific \
            one), or another gateway or a simulator process, as in --via of other commands. May be repeated.
            """,
            valueName: "bearer"
        )
    )
    var via = [BearerChoice.gattName]

    @OptionGroup var adapter: AdapterOptions

    @Option(
        help: ArgumentHelp(
            """
            Serve metrics for Prometheus over HTTP at tcp:HOST:PORT of this machine, or only PORT for tcp:127.0.0.1:PORT; \
            path /metrics.
            """,
            valueName: "address"
        )
    )
    var metrics: String?

    @Option(
        help: ArgumentHelp(
            "The most links at once for all clients together. (default: as many as the bearer has)",
            valueName: "count"
        )
    )
    var connections: Int?

    @Option(help: ArgumentHelp("The most links at once for each client. (default: all)", valueName: "count"))
    var clientConnections: Int?

    @Option(help: ArgumentHelp("The most clients at once.", valueName: "count"))
    var clients = 16

    func validate() throws {
        do {
            _ = try SocketAddress(listen)
        } catch {
            throw ValidationError("\(error).")
        }
        do { _ = try metricsAddress } catch { throw ValidationError("\(error).") }
        try adapter.check(for: via)
        guard try !BearerChoice.all(adapter.routes(via)).contains(.simulator) else {
            throw ValidationError("--via simulator needs no gateway: meshplan sim --listen serves clients itself.")
        }
        for (option, value) in [("--connections", connections), ("--client-connections", clientConnections)] {
            if let value, !(1...64).contains(value) { throw ValidationError("\(option) takes 1 to 64.") }
        }
        if !deny.isEmpty || denied != nil, certificate == nil {
            let option = deny.isEmpty ? "--denied" : "--deny"
            throw ValidationError("\(option) needs --certificate.")
        }
        for text in deny where Certificate.fingerprint(text) == nil {
            throw ValidationError("`\(text)` is not a fingerprint (64 hexadecimal digits).")
        }
        guard (1...256).contains(clients) else { throw ValidationError("--clients takes 1 to 256.") }
    }

    /// Where metrics are served; nil for nowhere.
    private var metricsAddress: SocketAddress? {
        get throws(SocketAddressError) {
            guard let metrics else { return nil }
            return try SocketAddress(UInt16(metrics) == nil ? metrics : "tcp:127.0.0.1:\(metrics)")
        }
    }

    func run(in context: Context) throws -> ExitStatus {
        let address = try SocketAddress(listen)
        let metricsAddress = try self.metricsAddress
        if let metricsAddress, try !metricsAddress.isLocal() {
            throw Failure(
                .refused,
                "\(metricsAddress) can be reached by other machines, and metrics are not secured",
                hint: "Serve them at tcp:127.0.0.1:PORT, and let a proxy of your own pass them on."
            )
        }
        let list = denied.map { DeniedClients(context: context, path: $0) }
        // Errors in the list are reported now, not when the first client connects.
        _ = try list?.fingerprints()
        let security = try certificate.map { path in
            let identity = try GatewayPairing.identity(path, role: .server, in: context)
            let fixed = Set(deny.compactMap(Certificate.fingerprint))
            return ConnectionSecurity(
                try TLSContext(identity, role: .server, denied: fixed),
                now: context.now,
                denied: { () throws(BearerError) in try list?.fingerprints() ?? [] }
            )
        }
        if security == nil, try !address.isLocal() {
            throw Failure(
                .refused,
                "\(address) can be reached by other machines, which could use the radio",
                hint:
                    "Make a pairing with meshplan gateway pair NAME in the office, and pass the gateway's file with "
                    + "--certificate; or listen on tcp:127.0.0.1:PORT or unix:PATH."
            )
        }
        let gateway = try Gateway(
            listeningAt: address,
            choices: try BearerChoice.all(adapter.routes(via)),
            names: adapter.routes(via),
            metricsAddress: metricsAddress,
            security: security,
            limits: Gateway.Limits(connections: connections, clientConnections: clientConnections, clients: clients),
            in: context
        )
        return try gateway.run()
    }
}
