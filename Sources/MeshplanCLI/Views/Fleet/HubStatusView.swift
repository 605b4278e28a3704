import Bearers
import MeshCore
import SystemLayer

/// The gateways that are connected to a hub.
struct HubStatusView {
    private let listing: HubListing

    init(_ listing: HubListing) {
        self.listing = listing
    }

    /// Shows them, as text or as JSON.
    func show(in context: Context) {
        guard let json = context.json else { return showText(in: context) }
        json.write([
            "type": "hub", "since": listing.since.text.json, "version": listing.program.json,
            "gateways": .integer(listing.gateways.count),
        ])
        for gateway in listing.gateways {
            json.write([
                "type": "hub_gateway", "name": gateway.name.text.json, "since": gateway.since.text.json,
                "version": gateway.program.json, "peer": gateway.peer.json,
                "hub_clients": .integer(Int(gateway.throughHub)), "clients": .integer(Int(gateway.load.clients)),
                "links": .integer(Int(gateway.load.links)), "maximum_links": .integer(Int(gateway.load.maximumLinks)),
            ])
        }
    }

    private func showText(in context: Context) {
        let since = listing.since.text
        let version = listing.program.isEmpty ? "" : ", version \(listing.program.printable)"
        guard !listing.gateways.isEmpty else {
            return context.output.line("No gateway is connected to the hub, which runs since \(since)\(version).")
        }
        context.output.line("\(count(listing.gateways.count, "gateway")) connected; hub since \(since)\(version)")
        var table = Table(["NAME", "SINCE", "VERSION", "CLIENTS", "LINKS", "FROM"], rightAligned: [3, 4])
        table.rows = listing.gateways.map { gateway in
            [
                gateway.name.text, gateway.since.text, gateway.program.printable,
                "\(max(gateway.load.clients, gateway.throughHub))",
                "\(gateway.load.links)/\(gateway.load.maximumLinks)", gateway.peer.printable,
            ]
        }
        context.output.write(table.render(context.style))
    }
}
