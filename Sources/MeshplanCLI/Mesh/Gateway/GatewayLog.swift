import Bearers
import MeshCore

/// Writes to standard output what a gateway does, one line per event.
final class GatewayLog {
    private let context: Context
    private var peers: [FrameServer.Client: String] = [:]
    private var totals: [FrameServer.Client: GatewayRelay.Carried] = [:]
    /// The open links. A lost link that is not among them never came about.
    private var open: Set<FrameServer.ClientLink> = []
    private var refusals = RefusalLines()
    /// Why the hub is not reached, as the log has it.
    private var hubLoss: String?

    init(context: Context) {
        self.context = context
    }

    /// Reports that the gateway listens, or connects to a hub, or both.
    func begin(
        listeningAt address: SocketAddress?,
        dialling hub: (address: SocketAddress, name: HubName)? = nil,
        via names: [String],
        links: Int
    ) {
        let ways = [
            address.map { "listening on \($0)" },
            hub.map { "dialling the hub at \($0.address) as \($0.name)" },
        ]
        let way = ways.compactMap(\.self).joined(separator: ", ")
        write("\(way), \(count(links, "link")) via \(names.joined(separator: " and "))")
    }

    /// Reports where collectors get metrics.
    func write(metricsAt address: SocketAddress) { write("metrics at \(address)") }

    func end() { write("stopped") }

    /// Reports that a bearer was lost or is back.
    func write(_ change: ComposedBearer.Change) {
        switch change {
        case .lost(let name, let error): write("\(name) is lost: \(text(error))")
        case .back(let name): write("\(name) is back")
        }
    }

    /// Reports an event between clients and the mesh.
    func write(_ event: GatewayRelay.Event) {
        switch event {
        case .came(let client, let peer, let fingerprint):
            peers[client] = "client \(client.rawValue + 1) (\(peer))"
            totals[client] = GatewayRelay.Carried()
            // The form that `--denied` takes. The name alone is not enough: an older file may have the same one.
            let certificate = fingerprint.map { " with the certificate \(Hexadecimal.encode($0))" }
            write("\(name(client)) came\(certificate ?? "")")
        case .left(let client, let reason):
            write("\(name(client)) left: \(reason); \(totals[client, default: .init()].text)")
            peers[client] = nil
            totals[client] = nil
        case .turnedAway(let peer, let reason): writeTurnedAway("refused \(peer): \(reason)")
        case .opened(let link, let target, let times):
            open.insert(link)
            let duration = times.map { "; \($0.text)" } ?? ""
            write("\(name(link.client)): link \(link.link.rawValue) to \(target.text) is open\(duration)")
        case .lost(let link, let error, let carried):
            let end =
                open.remove(link) == nil
                ? "failed: \(text(error))" : "ended: \(text(error)); \(carried.text)"
            write("\(name(link.client)): link \(link.link.rawValue) \(end)")
            add(carried, of: link.client)
        case .closed(let link, let carried):
            open.remove(link)
            write("\(name(link.client)): link \(link.link.rawValue) is closed; \(carried.text)")
            add(carried, of: link.client)
        case .scanning(let isOn): write(isOn ? "scanning" : "not scanning")
        case .cannotScan(let error): write("cannot scan: \(text(error))")
        case .hub(let event): write(event)
        }
    }

    /// A hub that is away for days gets one line, not one for each attempt.
    private func write(_ event: HubDialler.Event) {
        switch event {
        case .connected(let hub):
            hubLoss = nil
            write("connected to the hub “\(hub)”")
        case .lost(let error, _):
            guard hubLoss != error.message else { return }
            hubLoss = error.message
            write("\(text(error)); trying again until it is there")
        case .missed(let peer, let reason): writeTurnedAway("cannot connect through the hub for \(peer): \(reason)")
        }
    }

    private func writeTurnedAway(_ line: String) {
        for line in refusals.lines(line, at: context.now()) { write(line) }
    }

    private func add(_ carried: GatewayRelay.Carried, of client: FrameServer.Client) {
        totals[client] = totals[client, default: .init()] + carried
    }

    private func name(_ client: FrameServer.Client) -> String {
        peers[client] ?? "client \(client.rawValue + 1)"
    }

    private func text(_ error: BearerError) -> String {
        error.hint.map { "\(error.message) (\($0.worded))" } ?? error.message
    }

    private func write(_ line: String) { context.output.line(line.printable) }
}

extension GatewayRelay.Carried {
    fileprivate var text: String { "\(count(sent, "packet")) sent, \(received) received" }
}

extension GATTTimes {
    /// `waited 5 ms, connected within 120 ms, MTU 30 ms, discovery 240 ms, subscription 60 ms`.
    var text: String {
        func milliseconds(_ time: Duration) -> String { "\(time.microseconds / 1_000) ms" }
        return "waited \(milliseconds(wait)), connected within \(milliseconds(connection)), "
            + "MTU \(milliseconds(mtuExchange)), discovery \(milliseconds(discovery)), "
            + "subscription \(milliseconds(subscription))"
    }
}

extension LinkTarget {
    fileprivate var text: String {
        switch self {
        case .anyProxy, .proxy: "a proxy"
        case .provisioning: "a device to be provisioned"
        }
    }
}
