package import DefinitionModel
import MeshCore
package import Simulator

extension Rehearsal {
    /// The runs of a test: one for each of its variations and each seed. Nodes on which the test itself acts are not
    /// left without power.
    ///
    /// - Parameters:
    ///   - seed: the first seed.
    ///   - count: how many seeds.
    package func runs(of test: TestDefinition, seed: UInt64, count: Int) -> [TestVariant] {
        let seeds = (0..<UInt64(count)).map { seed &+ $0 }
        if let bindings = test.bindings(selectors, definition.nodes) {
            return bindings.flatMap { binding in
                seeds.map { TestVariant(test: test, without: nil, binding: binding, seed: $0) }
            }
        }
        let left: [NodeDefinition?]
        // Who is pressed needs power.
        let hands = Set(test.steps.compactMap { $0.action?.node?.value })
        switch test.variation {
        case nil, .tag, .node: left = [nil]
        case .withoutRelay: left = relays
        case .without(let selector): left = selectors.matches(selector).map { definition.nodes[$0] }
        }
        return left.filter { $0.map { !hands.contains($0.name.value) } ?? true }.flatMap { node in
            seeds.map { TestVariant(test: test, without: node, binding: nil, seed: $0) }
        }
    }

    /// Plays a run. A run that fails is played once more, by the same chances, to follow its messages; one that lacks a
    /// node also with that node, to see what it was needed for.
    package func play(_ run: TestVariant, _ settings: WorldSettings) -> TestOutcome {
        var player = TestPlayer(self, run, settings, follows: false)
        let outcome = player.play()
        guard !outcome.isPassed else { return outcome }
        var whole: [[HeardMessage]] = []
        if run.without != nil {
            var run = run
            run.without = nil
            var complete = TestPlayer(self, run, settings, follows: true)
            _ = complete.play()
            whole = complete.followed
        }
        var follower = TestPlayer(self, run, settings, follows: true, comparing: whole)
        let followed = follower.play()
        // Messages of our own have other sequence numbers the second time, and so other chances.
        return followed.isPassed ? outcome : followed
    }
}
