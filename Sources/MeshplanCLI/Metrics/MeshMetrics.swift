import Execution
import MeshCore

/// Counts what happens between this program and the mesh.
struct MeshMetrics {
    private var sent = 0
    private var retries = 0
    private var expected = 0
    private var refused = 0
    private var other = 0
    private var odd = 0
    private var lost = 0
    private var unreachable = 0
    private var links: Int { max(linksMade - linksEnded, 0) }
    private var linksMade = 0
    private var linksEnded = 0
    private var packets = (sent: 0, received: 0)
    private var octets = (sent: 0, received: 0)
    private var roundTrips = MetricsText.Histogram(bounds: [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30])

    mutating func count(_ report: MeshReport) {
        switch report {
        case .sent(_, let attempt):
            sent += 1
            if attempt > 1 { retries += 1 }
        case .answered(_, let answer, let attempts, let time):
            switch answer {
            case .expected: expected += 1
            case .refused: refused += 1
            case .other: other += 1
            case .odd: odd += 1
            }
            // After a repetition nobody knows which of the messages was answered.
            if attempts == 1 { roundTrips.add(Double(time.microseconds) / 1e6) }
        case .unanswered: lost += 1
        case .unreachable: unreachable += 1
        case .linkUp: linksMade += 1
        case .linkDown: linksEnded = min(linksEnded + 1, linksMade)
        case .packetSent(_, _, let count):
            packets.sent += 1
            octets.sent += count
        case .packetReceived(_, _, let count):
            packets.received += 1
            octets.received += count
        case .unsendable, .listening, .connecting, .ivIndex: break
        }
    }

    func write(to text: inout MetricsText) {
        text.counter("meshplan_messages_sent_total", "Messages sent, with repeated ones.", sent)
        text.counter("meshplan_retries_total", "Messages that repeated a request without an answer.", retries)
        let answers: [MetricsText.Sample] = [
            (["answer": "expected"], Double(expected)), (["answer": "refused"], Double(refused)),
            (["answer": "other"], Double(other)), (["answer": "odd"], Double(odd)),
        ]
        text.add(
            "meshplan_answers_total",
            .counter,
            "Requests that were answered, by what the answer says.",
            answers
        )
        text.counter("meshplan_unanswered_total", "Requests given up without an answer.", lost)
        text.counter(
            "meshplan_unreachable_total",
            "Requests given up because no proxy serves the node's subnets.",
            unreachable
        )
        text.add(
            "meshplan_round_trip_seconds",
            "Time from a request that was sent once to its answer.",
            roundTrips
        )
        text.gauge("meshplan_links", "Proxy links that carry messages.", links)
        text.counter("meshplan_links_made_total", "Proxy links that were made.", linksMade)
        text.counter("meshplan_links_lost_total", "Proxy links that were lost.", linksEnded)
        text.counter(
            "meshplan_packets_total",
            "Packets over proxy links.",
            sent: packets.sent,
            received: packets.received
        )
        text.counter("meshplan_octets_total", "Octets over proxy links.", sent: octets.sent, received: octets.received)
    }
}
