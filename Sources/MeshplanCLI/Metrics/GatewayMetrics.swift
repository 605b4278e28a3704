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

    /// Counts that a bearer was lost.
    func count(_ change: ComposedBearer.Change) {
        if case .lost = change { bearersLost += 1 }
    }

    /// The text for a collector.
    ///
    /// - Parameter relay: the relay at present; nil before it is made.
    func text(_ relay: GatewayRelay?) -> String {
        var text = MetricsText()
        func number(_ value: Int) -> Double { Double(value) }
        text.add("meshplan_gateway_clients", .gauge, "Clients at present.", number(clients))
        text.add("meshplan_gateway_clients_total", .counter, "Clients that came.", number(clientsCame))
        text.add(
            "meshplan_gateway_refused_total",
            .counter,
            "Connections that did not become clients.",
            number(clientsTurnedAway)
        )
        text.add("meshplan_gateway_links_opened_total", .counter, "Links that were opened.", number(linksOpened))
        text.add(
            "meshplan_gateway_links_lost_total",
            .counter,
            "Links that ended without the wish of their client.",
            number(linksLost)
        )
        text.add("meshplan_gateway_bearers_lost_total", .counter, "How often a bearer was lost.", number(bearersLost))
        if let relay {
            text.add("meshplan_gateway_links", .gauge, "Links that are open or being made.", number(relay.linkCount))
            text.add("meshplan_gateway_links_most", .gauge, "The most links at once.", number(relay.maximumLinks))
            text.add("meshplan_gateway_scanning", .gauge, "Whether the gateway scans.", relay.scans ? 1 : 0)
            let carried = relay.carried
            let packets: [MetricsText.Sample] = [
                (["direction": "sent"], number(carried.sent)), (["direction": "received"], number(carried.received)),
            ]
            text.add("meshplan_gateway_packets_total", .counter, "Packets that links have carried.", packets)
        }
        text.add("meshplan_gateway_start_time_seconds", .gauge, "When the gateway was started.", Double(began.rawValue))
        return text.text
    }
}
