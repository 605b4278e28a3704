import Bearers
import DefinitionModel
import Execution
import MeshCore
import Simulator
import Store
import SystemLayer

/// One `identify`: finds out whether a device or a node is meant, and makes it attract attention.
struct IdentifySession {
    var conversation: NodeConversation

    private var context: Context { conversation.context }
    private var knowledge: ScanKnowledge { conversation.knowledge }

    /// The most seconds for an unprovisioned device: it then ends a session without progress.
    private static let longestInvitation: UInt8 = 60

    /// Makes the device or node attract attention for some seconds.
    ///
    /// - Throws: ``Failure`` if the name is unknown or ambiguous, or if the device or node does not answer.
    func identify(_ name: String, seconds: UInt8) throws -> ExitStatus {
        let defined = knowledge.definition?.nodes.first { $0.name.value == name }?.uuid.value
        let known = try conversation.knownNode(name)
        if let node = known, node.unprovisionedSeenAt == nil { return try identify(node, seconds: seconds) }
        let pending = knowledge.network?.pendingProvisionings.first { $0.name == name }?.uuid
        guard let uuid = known?.uuid ?? defined ?? pending ?? DeviceUUID(name) else {
            throw Failure(
                .usage,
                "no device or node is called `\(name)`",
                hint:
                    "Use a name of the definition or the database, or a UUID; meshplan scan lists the devices in range."
            )
        }
        guard seconds <= Self.longestInvitation else {
            throw Failure(
                .usage,
                "an unprovisioned device draws attention to itself for at most 60 s",
                hint: "Use --time 60s."
            )
        }
        return try identify(device: uuid, named: knowledge.names.name(of: uuid) ?? name, seconds: seconds)
    }

    private func identify(device uuid: DeviceUUID, named name: String, seconds: UInt8) throws -> ExitStatus {
        let access = try conversation.open()
        let before = context.interrupts.count()
        var generator = context.randomNumbers
        let identification = DeviceIdentification(
            bearer: access.bearer,
            uuid: uuid,
            name: name.printable,
            seconds: seconds,
            isInterrupted: { context.interrupts.count() != before }
        )
        try identification.run(using: &generator) { capabilities in
            tell(
                "\(name.printable) draws attention to itself for \(count(Int(seconds), "second")). "
                    + "It has \(capabilities.text).",
                uuid,
                seconds,
                capabilities
            )
        }
        return context.interrupts.count() == before ? .success : .interrupted
    }

    private func identify(_ node: Node, seconds: UInt8) throws -> ExitStatus {
        let key = try conversation.key(for: .healthServer, of: node)
        let drawn = try conversation.ask(node, for: "identify") {
            $0.drawAttention(to: node, seconds: seconds, under: key)
        }
        let name = conversation.name(of: node)
        tell("\(name) draws attention to itself for \(count(Int(drawn), "second")).", node.uuid, drawn, nil)
        return .success
    }

    private func tell(
        _ text: String,
        _ uuid: DeviceUUID,
        _ seconds: UInt8,
        _ capabilities: ProvisioningCapabilities?
    ) {
        guard let lines = context.json else { return context.output.line(text) }
        lines.event([
            "type": "attention", "node_uuid": uuid.description.json, "seconds": .integer(Int(seconds)),
            "elements": capabilities.map { .integer(Int($0.elementCount)) },
        ])
    }
}
