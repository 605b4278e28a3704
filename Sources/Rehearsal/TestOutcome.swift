package import DefinitionModel
import MeshCore

/// One run of a test: under which chances, for which room or node, and without which node.
package struct TestVariant: Hashable, Sendable {
    package let test: TestDefinition
    /// The node that has no power in this run; nil for none.
    package var without: NodeDefinition?
    /// What the variables of the test stand for; nil if it has none.
    package let binding: TestBinding?
    /// The seed of its chances; nil on a real mesh, whose chances nobody chooses.
    package let seed: UInt64?

    package init(
        test: TestDefinition,
        without: NodeDefinition? = nil,
        binding: TestBinding? = nil,
        seed: UInt64? = nil
    ) {
        self.test = test
        self.without = without
        self.binding = binding
        self.seed = seed
    }

    package var steps: [TestStep] { binding?.steps(test.steps) ?? test.steps }
}

/// What came of a run of a test.
package struct TestOutcome: Hashable, Sendable {
    package let run: TestVariant
    /// How long the slowest expectation took to come true; nil if nothing was expected.
    package var slowest: Duration?
    /// The step that did not go as expected; nil if all did.
    package var failure: TestFailure?

    /// A run in which nothing has gone wrong yet.
    package init(run: TestVariant) { self.run = run }

    package var isPassed: Bool { failure == nil }
}

/// A step that did not go as expected.
package struct TestFailure: Hashable, Sendable {
    /// The number of the step, counted from 1.
    package let number: Int
    /// The step, as it was in the run.
    package let step: TestStep
    /// What is wrong, as clauses without a full stop.
    package let problems: [Problem]

    /// A step that did not go as expected.
    package init(number: Int, step: TestStep, problems: [Problem]) {
        self.number = number
        self.step = step
        self.problems = problems
    }

    /// Something that is not as expected.
    package struct Problem: Hashable, Sendable {
        package let node: String?
        /// What it is: `onoff is off, not on`.
        package let text: String
        /// Why, as far as the simulation shows; what happened to the message, hop by hop.
        package let reason: String?

        /// Something that is not as expected.
        package init(node: String?, text: String, reason: String? = nil) {
            self.node = node
            self.text = text
            self.reason = reason
        }
    }
}
