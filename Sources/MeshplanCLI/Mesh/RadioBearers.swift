import Bearers
import MeshCore

/// Makes the bearers that lead out of this process.
struct RadioBearers {
    /// Gives the folder that paths start from, and shows which bearers do not answer.
    let context: Context
    let clock: BearerClock
    /// Where the hub of this folder serves clients; nil if the settings are wrong.
    private let hub: SocketAddress?

    init(context: Context, clock: BearerClock) {
        self.context = context
        self.clock = clock
        // Wrong settings were told before the command began.
        hub = try? Settings.hub(context)
    }

    /// The bearer of the only choice, or one that joins several.
    ///
    /// - Parameters:
    ///   - choices: at least one; none of them is the simulator in this process.
    ///   - names: the name of each choice in errors.
    ///   - interruption: ends the waits of the bearers.
    /// - Throws: ``Failure`` if the files of a pairing are not as they should be; ``BearerError`` if there are several
    ///   choices and none can be used. A single one reports that when it is first needed.
    func open(
        _ choices: [BearerChoice],
        _ names: [String],
        _ interruption: WaitInterruption
    ) throws -> any PolledBearer {
        if choices.count == 1, let choice = choices.first, let name = names.first {
            return try make(choice, name, try security(of: choice), isPatient: true, interruption)
        }
        return try ComposedBearer(
            try parts(choices, names),
            clock: clock,
            interruption: interruption,
            changed: { change in
                switch change {
                case .lost(_, let error):
                    FailureView(context).warn("\(error.message); continuing without it", hint: error.hint?.worded)
                case .back(let name):
                    if context.json == nil { context.errorOutput.line("\(name.printable) is available again.") }
                }
            }
        )
    }

    /// The parts of a ``ComposedBearer``.
    ///
    /// - Throws: ``Failure`` if the files of a pairing are not as they should be.
    func parts(_ choices: [BearerChoice], _ names: [String]) throws -> [ComposedBearer.Part] {
        try zip(choices, names).map { choice, name in
            let security: ConnectionSecurity?
            do {
                security = try self.security(of: choice)
            } catch let failure as Failure where choices.count > 1 {
                throw Failure(failure.status, "\(name): \(failure.message)", hint: failure.hint)
            }
            let addresses = HostAddresses()
            // While the others are waited for, bearers that are already connected get no signs of life from us; a
            // gateway bears 15 s of that.
            let timeout = Duration.seconds(max(2, 12 / choices.count))
            return ComposedBearer.Part(
                name: name,
                make: { () throws(BearerError) in
                    try make(
                        choice,
                        name,
                        security,
                        isPatient: false,
                        WaitInterruption(),
                        connectTimeout: timeout,
                        addresses
                    )
                },
                open: { bearer throws(BearerError) in try open(bearer) }
            )
        }
    }

    /// Tries whether a choice can be used at all.
    ///
    /// - Throws: ``BearerError`` if not; ``Failure`` if the files of a pairing are not as they should be.
    func probe(_ choice: BearerChoice, _ name: String) throws {
        let bearer = try make(choice, name, try security(of: choice), isPatient: true, WaitInterruption())
        try open(bearer)
    }

    private func open(_ bearer: any PolledBearer) throws(BearerError) {
        try (bearer as? SocketBearer)?.open()
        try (bearer as? BluetoothBearer)?.open()
    }

    private func security(of choice: BearerChoice) throws -> ConnectionSecurity? {
        guard case .gateway(let pairing, _) = choice else { return nil }
        return ConnectionSecurity(try GatewayCredentials.find(pairing, in: context).context, now: context.now)
    }

    private func make(
        _ choice: BearerChoice,
        _ name: String,
        _ security: ConnectionSecurity?,
        isPatient: Bool,
        _ interruption: WaitInterruption,
        connectTimeout: Duration = .seconds(10),
        _ addresses: HostAddresses = HostAddresses()
    ) throws(BearerError) -> any PolledBearer {
        switch choice {
        case .simulator: throw BearerError("--via simulator is in this process")
        case .hub(let gateway, let address):
            guard let address = address ?? hub else { throw BearerError("\(name): no address of a hub is known") }
            return SocketBearer(
                address: address.resolved(in: context),
                name: name,
                behindHub: gateway,
                connectTimeout: connectTimeout,
                isPatient: isPatient,
                clock: clock,
                interruption: interruption,
                addresses: addresses
            )
        case .socket(let address), .gateway(_, let address):
            return SocketBearer(
                address: address.resolved(in: context),
                name: security == nil ? nil : name,
                security: security,
                connectTimeout: connectTimeout,
                isPatient: isPatient,
                clock: clock,
                interruption: interruption,
                addresses: addresses
            )
        case .gatt(let adapter):
            return BluetoothBearer(
                adapter: try context.bluetooth().adapter(adapter),
                clock: clock,
                interruption: interruption
            )
        }
    }
}
