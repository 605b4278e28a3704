import ArgumentParser
import Basics
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

            With --dial the gateway connects to a hub instead, or besides: from behind NAT, where nobody can connect to \
            it. Clients reach it there by its name, with --via hub://NAME. See meshplan hub.
            """
    )

    @Option(help: ArgumentHelp("Where to listen: tcp:HOST:PORT or unix:PATH.", valueName: "address"))
    var listen: String?

    @Option(
        help: ArgumentHelp(
            "The hub to connect to, again and again if it is lost: HOST[:PORT], port 7448 by default.",
            valueName: "address"
        )
    )
    var dial: String?

    @Option(
        help: ArgumentHelp(
            "The name of this gateway at the hub, which is the name in its certificate. (default: that name)",
            valueName: "name"
        )
    )
    var name: String?

    @Option(
        help: ArgumentHelp(
            """
            The gateway's file of a pairing; only clients with a file of that pairing are served. See meshplan gateway \
            pair. With --dial, this gateway's file of the hub's pairing; see meshplan hub pair. With --listen and --dial, \
            repeat it.
            """,
            valueName: "file"
        ),
        completion: Completion.files
    )
    var certificate: [String] = []

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

    @OptionGroup var metrics: MetricsOption

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
        guard listen != nil || dial != nil else {
            throw ValidationError("One of --listen and --dial is needed.")
        }
        do { _ = try listenAddress } catch { throw ValidationError("\(error).") }
        do { _ = try hubAddress } catch { throw ValidationError("\(error).") }
        if let name {
            guard dial != nil else { throw ValidationError("--name needs --dial.") }
            guard HubName(name) != nil else { throw ValidationError("`\(name)` cannot be the name of a gateway.") }
        }
        if dial != nil, certificate.isEmpty { throw ValidationError("--dial needs --certificate.") }
        guard certificate.count <= (listen != nil && dial != nil ? 2 : 1) else {
            throw ValidationError("--certificate is repeated only for --listen and --dial together, once each.")
        }
        try adapter.check(for: via)
        guard try !BearerChoice.all(adapter.routes(via)).contains(.simulator) else {
            throw ValidationError("--via simulator needs no gateway: meshplan sim --listen serves clients itself.")
        }
        for (option, value) in [("--connections", connections), ("--client-connections", clientConnections)] {
            if let value, !(1...64).contains(value) { throw ValidationError("\(option) takes 1 to 64.") }
        }
        if !deny.isEmpty || denied != nil, certificate.isEmpty {
            let option = deny.isEmpty ? "--denied" : "--deny"
            throw ValidationError("\(option) needs --certificate.")
        }
        for text in deny where Certificate.fingerprint(text) == nil {
            throw ValidationError("`\(text)` is not a fingerprint (64 hexadecimal digits).")
        }
        guard (1...256).contains(clients) else { throw ValidationError("--clients takes 1 to 256.") }
    }

    /// Where clients come to; nil for nowhere.
    private var listenAddress: SocketAddress? {
        get throws(SocketAddressError) {
            guard let listen else { return nil }
            return try SocketAddress(listen)
        }
    }

    private var hubAddress: SocketAddress? {
        get throws(SocketAddressError) {
            guard let dial else { return nil }
            if dial.hasPrefix("tcp:") || dial.hasPrefix("unix:") { return try SocketAddress(dial) }
            return try SocketAddress(tcp: dial, of: dial, defaultPort: BearerChoice.hubPorts.gateways)
        }
    }

    func run(in context: Context) throws -> ExitStatus {
        let address = try listenAddress
        let hub = try hubAddress
        let metricsAddress = try metrics.address()
        let list = denied.map { DeniedClients(context: context, path: $0) }
        // Errors in the list are reported now, not when the first client connects.
        _ = try list?.fingerprints()
        let files = try certificateFiles(context)
        func security(_ path: String, _ identity: TLSIdentity, _ parties: TLSParties) throws -> ConnectionSecurity {
            let fixed = Set(deny.compactMap(Certificate.fingerprint))
            return ConnectionSecurity(
                try TLSContext(identity, role: identity.role, parties: parties, denied: fixed),
                now: context.now,
                denied: { () throws(BearerError) in try list?.fingerprints() ?? [] }
            )
        }
        let listening = try files.listening.map { path in
            let identity = try GatewayPairing.identity(path, role: .server, in: context)
            return try security(path, identity, .clientAndGateway)
        }
        let dialling = try files.dialling.map { path in
            let identity = try GatewayPairing.identity(path, role: .client, isService: true, in: context)
            return (name: try hubName(identity, path), security: try security(path, identity, .gatewayAndHub))
        }
        if let address, listening == nil, try !address.isLocal() {
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
            dialling: hub.flatMap { hub in
                dialling.map { name, security in
                    HubDialler.Settings(
                        address: hub.resolved(in: context),
                        name: name,
                        program: programVersion,
                        security: security
                    )
                }
            },
            choices: try BearerChoice.all(adapter.routes(via)),
            names: adapter.routes(via),
            metricsAddress: metricsAddress,
            security: listening,
            limits: Gateway.Limits(connections: connections, clientConnections: clientConnections, clients: clients),
            in: context
        )
        return try gateway.run()
    }

    /// The file for the clients that come here, and the one for the hub. If both are wanted, the files themselves tell
    /// which is which.
    private func certificateFiles(_ context: Context) throws -> (listening: String?, dialling: String?) {
        guard dial != nil else { return (certificate.first, nil) }
        guard listen != nil else { return (nil, certificate.first) }
        var files: (listening: String?, dialling: String?)
        for path in certificate {
            switch try GatewayFile(context: context, path: path).identity().role {
            case .server: files.listening = path
            case .client: files.dialling = path
            }
        }
        guard files.dialling != nil else {
            throw Failure(
                .usage,
                "none of the files of --certificate is for the hub",
                hint: "Make one in the office, with: meshplan hub pair HUB --gateway NAME"
            )
        }
        guard certificate.count == 1 || files.listening != nil else {
            throw Failure(.usage, "both files of --certificate are for the hub", hint: "One is for --listen.")
        }
        return files
    }

    /// The name at the hub, which knows only that of the certificate.
    private func hubName(_ identity: TLSIdentity, _ path: String) throws(Failure) -> HubName {
        let certified = identity.certificate.name
        if let name, name != certified {
            throw Failure(
                .usage,
                "\(path.printable) is the file of “\(certified.printable)”, and the hub takes no other name with it",
                hint: "Leave --name out, or make a file for this gateway in the office, with: meshplan hub pair HUB "
                    + "--gateway \(name)"
            )
        }
        guard let found = HubName(certified) else {
            throw Failure(
                .failure,
                "\(path.printable) is the file of “\(certified.printable)”, which cannot be the name of a gateway",
                hint: "Make a file for this gateway in the office, with: meshplan hub pair HUB --gateway NAME"
            )
        }
        return found
    }
}
