import Bearers
import MeshCore
import SystemLayer

/// The gateways through which the networks of a fleet are reached by way of a hub: who is there, and in which version.
struct FleetGateways {
    /// A gateway that a network's list of ways names.
    struct Found {
        var network: String
        /// The gateway's name.
        var gateway: String
        /// What the hub says of it; nil if it is not connected, or the hub does not answer.
        var entry: HubEntry?
        /// Why the hub was not asked; nil if it has answered.
        var problem: BearerError?
    }

    /// The gateways, in the order of the networks.
    let all: [Found]

    /// Asks each hub once. Without a way over a hub, nobody is asked.
    ///
    /// - Throws: the errors of ``Settings``.
    init(of networks: [FleetNetwork], in context: Context) throws {
        var listings: [String: Result<HubListing, BearerError>] = [:]
        var found: [Found] = []
        for network in networks {
            for way in network.via {
                guard case .hub(let name, let own)? = try? BearerChoice(way) else { continue }
                let address = try own ?? Settings.hub(context)
                let answer = listings[address.description] ?? Self.ask(address, context)
                listings[address.description] = answer
                var gateway = Found(network: network.name, gateway: name.text)
                switch answer {
                case .success(let listing): gateway.entry = listing.gateways.first { $0.name == name }
                case .failure(let problem): gateway.problem = problem
                }
                found.append(gateway)
            }
        }
        all = found
    }

    private static func ask(_ address: SocketAddress, _ context: Context) -> Result<HubListing, BearerError> {
        do throws(BearerError) {
            return .success(try HubListing.ask(address.resolved(in: context), wakeUp: context.interrupts.wakeUp))
        } catch {
            return .failure(error)
        }
    }

    /// Shows them as a table, or a line of JSON each; nothing if there are none.
    func show(in context: Context) {
        guard !all.isEmpty else { return }
        if let json = context.json {
            for gateway in all {
                json.write([
                    "type": "fleet_gateway", "network": gateway.network.json, "gateway": gateway.gateway.json,
                    "connected": .bool(gateway.entry != nil), "version": gateway.entry?.program.json,
                    "since": gateway.entry?.since.text.json,
                    "links": gateway.entry.map { .integer(Int($0.load.links)) },
                    "maximum_links": gateway.entry.map { .integer(Int($0.load.maximumLinks)) },
                    "problem": gateway.problem?.message.json,
                ])
            }
            return
        }
        var table = Table(["Network", "Gateway", "Connected since", "Version", "Links"], rightAligned: [4])
        table.rows = all.map { gateway in
            [gateway.network.printable, gateway.gateway]
                + (gateway.entry.map {
                    [$0.since.text, $0.program.printable, "\($0.load.links)/\($0.load.maximumLinks)"]
                } ?? [gateway.problem == nil ? "not connected" : "(not known)", "–", "–"])
        }
        context.output.line()
        context.output.write(table.render(context.style))
        var told: Set<String> = []
        for problem in all.compactMap(\.problem) where told.insert(problem.message).inserted {
            let failure = Failure(explaining: problem)
            FailureView(context).warn("the gateways are not known: \(failure.message)", hint: failure.hint)
        }
    }
}
