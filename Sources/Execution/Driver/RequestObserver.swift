import MeshCore
import Planning

/// Turns the outputs of a client into reports: which request is meant, and how long it took.
struct RequestObserver {
    private struct Asked {
        let request: MeshReport.Request
        /// When it was sent first, or made as long as it is not sent.
        var since: Instant
        var attempts = 0
    }

    /// Requests that were withdrawn are forgotten when there are more than this.
    private static let limit = 256

    private let report: (MeshReport, Instant) -> Void
    private var asked: [RequestIdentifier: Asked] = [:]

    init(reporting report: @escaping (MeshReport, Instant) -> Void) {
        self.report = report
    }

    /// Remembers a request that the client has just got. It may never be sent.
    mutating func begin(
        _ identifier: RequestIdentifier,
        _ inquiry: ConfigurationInquiry,
        to destination: UnicastAddress,
        _ client: MeshClient,
        at now: Instant
    ) {
        let payload = inquiry.payload(at: now)
        var reader = ByteReader(payload[...])
        guard let opcode = try? Opcode(decoding: &reader) else { return }
        if asked.count >= Self.limit {
            asked = asked.filter { client.exchanges.exchange($0.key) != nil }
        }
        let request = MeshReport.Request(node: destination, opcode: opcode, octets: payload.count)
        asked[identifier] = Asked(request: request, since: now)
    }

    mutating func note(_ output: MeshClient.Output, of client: MeshClient, at now: Instant) {
        switch output {
        case .connect(let target): report(.connecting(target), now)
        case .scan(true): report(.listening, now)
        case .linkUp(let proxy, let times): report(.linkUp(proxy, isDirect: false, times), now)
        case .directLinkUp(let node, let times): report(.linkUp(node, isDirect: true, times), now)
        case .linkDown(let failure, let delay): report(.linkDown(reason: failure.reason, retryIn: delay), now)
        case .directLinkDown(_, let failure):
            report(.linkDown(reason: failure?.reason ?? "no longer needed", retryIn: nil), now)
        case .sent(let identifier, let attempt): noteSent(identifier, attempt, at: now)
        case .answered(let identifier, let verdict, let attempts):
            guard let asked = asked.removeValue(forKey: identifier) else { return }
            report(
                .answered(
                    asked.request,
                    Self.answer(verdict),
                    attempts: attempts,
                    after: asked.since.duration(to: now)
                ),
                now
            )
        case .unanswered(let identifier):
            guard let asked = asked.removeValue(forKey: identifier) else { return }
            report(.unanswered(asked.request, attempts: asked.attempts, after: asked.since.duration(to: now)), now)
        case .unreachable(let identifier, let failure):
            guard let asked = asked.removeValue(forKey: identifier) else { return }
            report(.unreachable(asked.request, reason: failure.reason), now)
        case .unsendable(let identifier, let error):
            guard let asked = asked.removeValue(forKey: identifier) else { return }
            report(.unsendable(asked.request, reason: "\(error)"), now)
        case .ivIndexChanged(let ivIndex, _): report(.ivIndex(ivIndex), now)
        case .send, .closeLink, .scan(false), .quirk, .said, .watch, .keyRefreshPhaseChanged: break
        }
    }

    private mutating func noteSent(_ identifier: RequestIdentifier, _ attempt: Int, at now: Instant) {
        guard var asked = asked[identifier] else { return }
        if asked.attempts == 0 { asked.since = now }
        asked.attempts = attempt
        self.asked[identifier] = asked
        report(.sent(asked.request, attempt: attempt), now)
    }

    private static func answer(_ verdict: ConfigurationVerdict) -> MeshReport.Answer {
        switch verdict {
        case .refused(let status): .refused(status)
        case .differs, .doesNotHold, .featureNotSupported: .other
        case .odd: .odd
        case .holds, .composition, .relayRetransmit, .continues, .report, .reports, .told: .expected
        }
    }
}
