/// Config Node Reset (Mesh Protocol 4.3.2.53): the node forgets its network.
package struct ConfigNodeReset: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = ConfigNodeResetStatus
    package static let opcode: Opcode = 0x8049

    package init() {}
}

/// Config Node Reset Status (Mesh Protocol 4.3.2.54). The node forgets its keys after sending it and so cannot repeat
/// it. A missing answer therefore does not mean that the node was not reset.
package struct ConfigNodeResetStatus: ParameterlessMessage, ConfigurationMessage {
    package static let opcode: Opcode = 0x804A

    package init() {}
}
