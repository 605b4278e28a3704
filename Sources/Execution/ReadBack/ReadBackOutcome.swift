package import MeshCore
package import Planning

/// What came of reading a node back.
package struct ReadBackOutcome: Hashable, Sendable {
    /// How many Gets the node answered.
    package var reports: Int
    /// What it refused to tell; that stays as it was recorded.
    package var refused: [NodeReading]
    /// What could not be read because its answer was odd or never came; that stays as it was recorded, too.
    package var unread: [UnreadValue]
    /// Whether it was asked one by one because it did not take several Gets in one message, or another node of the same
    /// product did not, although it has the Opcodes Aggregator Server.
    package var isAskedSingly: Bool
    /// Whether everything was asked; not if the node fell silent or the run ended.
    package var isComplete: Bool
    /// Whether it is made otherwise than recorded, as after a change of its firmware.
    package var isCompositionNew: Bool
    /// What is otherwise than recorded and was not known to be, sorted.
    package var newlyDrifted: [NodeResource]
    /// What is otherwise than recorded, sorted.
    package var drifted: [NodeResource]
    /// What was otherwise and is as recorded again, sorted.
    package var returned: [NodeResource]
}
