package import DefinitionModel
import MeshCore

/// One run of a test: under which chances, and without which node.
package struct TestRun: Hashable, Sendable {
    /// The test.
    package let test: TestDefinition
    /// The node that has no power in this run; nil for none.
    package let without: NodeDefinition?
    /// The seed of its chances.
    package let seed: UInt64
}

/// What came of a run of a test.
package struct TestOutcome: Hashable, Sendable {
    /// The run.
    package let run: TestRun
    /// How long the slowest expectation took to come true; nil if nothing was expected.
    package var slowest: Duration?
    /// The step that did not go as expected; nil if all did.
    package var failure: TestFailure?

    /// Whether everything was as expected.
    package var isPassed: Bool { failure == nil }
}

/// A step that did not go as expected.
package struct TestFailure: Hashable, Sendable {
    /// The number of the step, counted from 1.
    package let number: Int
    /// The step.
    package let step: TestStep
    /// What is wrong, as clauses without a full stop.
    package let problems: [Problem]

    /// Something that is not as expected.
    package struct Problem: Hashable, Sendable {
        /// The node; nil if it is about none.
        package let node: String?
        /// What it is: `onoff is off, not on`.
        package let text: String
        /// Why, as far as the simulation shows; what happened to the message, hop by hop.
        package let reason: String?
    }
}
