import Bearers
import MeshCore

/// Counts what a gateway does.
final class GatewayMetrics {
    private var clients = 0
    private var clientsCame = 0
    private var clientsTurnedAway = 0
    private var linksOpened = 0
    private var linksLost = 0
    private var bearersLost = 0
    private let began: Timestamp

    /// Nothing has happened yet.
    init(at began: Timestamp) {
        self.began = began
    }

    /// Counts an event between clients and the mesh.
    func count(_ event: GatewayRelay.Event) {
        switch event {
        case .came:
            clients += 1
            clientsCame += 1
        case .left: clients = max(clients - 1, 0)
        case .turnedAway: clientsTurnedAway += 1
        case .opened: linksOpened += 1
        case .lost: linksLost += 1
        case .closed, .scanning, .cannotScan, .hub: break
        }
    }

    func count(_ change: ComposedBearer.Change) {
        if case .lost = change { bearersLost += 1 }
    }

    /// The text for a collector.
    ///
    /// - Parameter relay: the relay at present; nil before it is made.
    func text(_ relay: GatewayRelay?) -> String {
        var text = MetricsText()
        text.gauge("meshplan_gateway_clients", "Clients at present.", clients)
        text.counter("meshplan_gateway_clients_total", "Clients that came.", clientsCame)
        text.counter("meshplan_gateway_refused_total", "Connections that did not become clients.", clientsTurnedAway)
        text.counter("meshplan_gateway_links_opened_total", "Links that were opened.", linksOpened)
        text.counter(
            "meshplan_gateway_links_lost_total",
            "Links that ended without the wish of their client.",
            linksLost
        )
        text.counter("meshplan_gateway_bearers_lost_total", "How often a bearer was lost.", bearersLost)
        if let relay {
            text.gauge("meshplan_gateway_links", "Links that are open or being made.", relay.linkCount)
            text.gauge("meshplan_gateway_links_most", "The most links at once.", relay.maximumLinks)
            text.add("meshplan_gateway_scanning", .gauge, "Whether the gateway scans.", relay.scans ? 1 : 0)
            let carried = relay.carried
            text.counter(
                "meshplan_gateway_packets_total",
                "Packets that links have carried.",
                sent: carried.sent,
                received: carried.received
            )
        }
        text.add("meshplan_gateway_start_time_seconds", .gauge, "When the gateway was started.", Double(began.rawValue))
        return text.text
    }
}
