/// Config Node Reset (Mesh Protocol 4.3.2.53): the node forgets its network.
package struct ConfigNodeReset: ParameterlessMessage, ConfigurationRequest {
    /// The message that answers it.
    package typealias Status = ConfigNodeResetStatus
    /// In front of the parameters.
    package static let opcode: Opcode = 0x8049

    /// Resets the node.
    package init() {}
}

/// Config Node Reset Status (Mesh Protocol 4.3.2.54). The node forgets its keys after sending it, so that it may get
/// lost for good: no answer does not mean that the node was not reset.
package struct ConfigNodeResetStatus: ParameterlessMessage, ConfigurationMessage {
    /// In front of the parameters.
    package static let opcode: Opcode = 0x804A

    /// The node is about to reset.
    package init() {}
}
