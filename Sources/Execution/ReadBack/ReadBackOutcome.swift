package import MeshCore
package import Planning

/// The result of reading a node back.
package struct ReadBackOutcome: Hashable, Sendable {
    /// How many Gets the node answered.
    package var reports: Int
    /// The readings that it refused; they stay as recorded.
    package var refused: [NodeReading]
    /// The values that could not be read because the answer was odd or never came; they stay as recorded, too.
    package var unread: [UnreadValue]
    /// Whether it was asked one by one although it has the Opcodes Aggregator Server, because it or another node of the
    /// same product did not accept several Gets in one message.
    package var isAskedSingly: Bool
    /// Whether everything was asked; false if the node fell silent or the run ended.
    package var isComplete: Bool
    /// Whether its composition differs from the record, for example after a change of its firmware.
    package var isCompositionNew: Bool
    /// What differs from the record and was not known to differ, sorted.
    package var newlyDrifted: [NodeResource]
    /// What differs from the record, sorted.
    package var drifted: [NodeResource]
    /// What the node itself has moved: its record goes with it, and nobody else has changed it; sorted.
    package var moved: [NodeResource] = []
    /// What differed before and agrees with the record again, sorted.
    package var returned: [NodeResource]
}
