import Bearers
import MeshCore

/// Counts what a hub does.
final class HubMetrics {
    private var gatewaysCame = 0
    private var gatewaysLeft = 0
    private var clientsJoined = 0
    private var clientsUnreached = 0
    private var refused = 0
    private let began: Timestamp

    /// Nothing has happened yet.
    init(at began: Timestamp) {
        self.began = began
    }

    func count(_ event: HubServer.Event) {
        switch event {
        case .came: gatewaysCame += 1
        case .left: gatewaysLeft += 1
        case .turnedAway: refused += 1
        case .joined: clientsJoined += 1
        case .unreached: clientsUnreached += 1
        case .parted: break
        }
    }

    /// The text for a collector.
    ///
    /// - Parameter hub: the hub at present; nil before it is made.
    func text(_ hub: HubServer?) -> String {
        var text = MetricsText()
        func add(_ name: String, _ kind: MetricsText.Kind, _ help: String, _ value: Int) {
            text.add("meshplan_hub_\(name)", kind, help, Double(value))
        }
        if let hub {
            let entries = hub.entries
            add("gateways", .gauge, "Gateways at present.", entries.count)
            add("clients", .gauge, "Clients at present, those that wait for their gateway included.", hub.clientCount)
            func each(_ name: String, _ help: String, _ value: (HubEntry) -> Double) {
                let samples: [MetricsText.Sample] = entries.map { (["gateway": $0.name.text], value($0)) }
                text.add("meshplan_hub_gateway_\(name)", .gauge, help, samples)
            }
            each("links", "Links of a gateway that are open or being made.") { Double($0.load.links) }
            each("links_most", "The most links of a gateway at once.") { Double($0.load.maximumLinks) }
            each("clients", "Clients of a gateway that come over the hub.") { Double($0.throughHub) }
            each("since_seconds", "Since when a gateway is connected.") { Double($0.since.rawValue) }
        }
        add("gateways_total", .counter, "How often a gateway came.", gatewaysCame)
        add("gateways_left_total", .counter, "How often a gateway left.", gatewaysLeft)
        add("clients_total", .counter, "Clients that were joined with a gateway.", clientsJoined)
        add("clients_unreached_total", .counter, "Clients that did not get to their gateway.", clientsUnreached)
        add("refused_total", .counter, "Connections that became nothing.", refused)
        if let traffic = hub?.traffic {
            add("floods_total", .counter, "Connections refused because too many came.", traffic.floods)
            add("calls_answered_total", .counter, "Calls that gateways have answered.", traffic.answers)
            text.add(
                "meshplan_hub_call_seconds_total",
                .counter,
                "From calls to the connections of their gateways.",
                Double(traffic.answerTime / .milliseconds(1)) / 1_000
            )
            text.counter(
                "meshplan_hub_octets_total",
                "Octets between clients and gateways.",
                sent: traffic.sent,
                received: traffic.received
            )
        }
        text.add("meshplan_hub_start_time_seconds", .gauge, "When the hub was started.", Double(began.rawValue))
        return text.text
    }
}
