import DefinitionModel
import MeshCore
import Planning
import Simulator
import TestSupport
import Testing

@testable import Execution

@Suite("How soon the first message leaves")
struct FirstMessageTests {
    /// Lamps that publish nothing, so that nobody's replay list is too short for them.
    private static func house(lamps: Int, ttl: Int) throws -> Definition {
        try House.definition(lamps: lamps) { text in
            let end = text.firstRange(of: "publications:")?.lowerBound ?? text.endIndex
            return String(text[..<end]).replacing("ttl: 7", with: "ttl: \(ttl)")
        }
    }

    /// What `apply` does over a network that is configured, with one value changed; when the first message left, and who
    /// was heard.
    private func change(_ site: Site) throws -> (first: Duration?, report: ListeningReport, recap: Recap) {
        site.definition = try Self.house(lamps: try site.network.nodes.count - 1, ttl: 9)
        let start = site.world.now
        var first: Instant?
        site.onEvent = { event in
            if case .stepSent = event, first == nil { first = site.world.now }
        }
        let (report, recap) = try site.execute { executor in
            (executor.listen(for: .seconds(3), enough: .milliseconds(1_500)), executor.apply(try site.plan()))
        }
        return (first.map { start.duration(to: $0) }, report, recap)
    }

    @Test("A change of one value is sent within 2 s of the command, in networks of any size", arguments: [3, 100])
    func withinTwoSeconds(lamps: Int) throws {
        let site = try Site(lamps: lamps, definition: Self.house(lamps: lamps, ttl: 7))
        let configured = try site.resolveAndApply()
        #expect(
            configured.isComplete,
            "\(configured.ending) \(configured.failed.prefix(2)) \(configured.pending.count)"
        )
        let (first, report, recap) = try change(site)
        #expect(recap.isComplete && recap.messagesSent > 0)
        #expect(try required(first) <= .seconds(2), "\(first ?? .zero)")
        #expect(report.ending == .completed && !report.sightings.isEmpty)
        let looked = site.events.filter { if case .seekingProxy = $0 { true } else { false } }
        #expect(looked.isEmpty, "what was heard while listening is not listened for again")
        #expect(site.events.contains { if case .connecting = $0 { true } else { false } })
    }
}
