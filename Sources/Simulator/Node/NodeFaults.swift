package import MeshCore

/// The faults of a node, for tests of programs that must cope with them.
package struct NodeFaults: Hashable, Sendable {
    /// A status that a node answers instead of acting.
    package struct Answer: Hashable, Sendable {
        package var opcode: Opcode
        /// The status. It does not affect requests whose answers have no status field.
        package var status: ConfigStatusCode
        /// How many more requests get it; nil for all.
        package var remaining: Int?

        /// Answers that status to the next `count` requests, or to all if nil.
        package init(opcode: Opcode, status: ConfigStatusCode, count: Int? = nil) {
            self.opcode = opcode
            self.status = status
            remaining = count
        }
    }

    /// Without power: it neither hears, relays nor sends, and cannot be a proxy.
    package var isOff: Bool
    /// Hears nothing over the air.
    package var isDeaf: Bool
    /// Sends nothing over the air or a link, although it hears and acts.
    package var isMute: Bool
    /// Statuses that it answers instead of acting.
    package var answers: [Answer]
    /// What it does with an Opcodes Aggregator Sequence under its DeviceKey, instead of answering it in full.
    package var sequences: SequenceFault?
    /// How many more requests the node loses before it acts on them.
    package var requestsToDrop: Int
    /// The share of copies lost on the way to and from the node, 0...1, instead of the share of its links.
    package var copyLoss: Double?
    /// What goes wrong while the device is provisioned.
    package var provisioning: ProvisioningFaults
    package var quirks: Set<DeviceQuirk>

    package init(
        isOff: Bool = false,
        isDeaf: Bool = false,
        isMute: Bool = false,
        answers: [Answer] = [],
        sequences: SequenceFault? = nil,
        requestsToDrop: Int = 0,
        copyLoss: Double? = nil,
        provisioning: ProvisioningFaults = ProvisioningFaults(),
        quirks: Set<DeviceQuirk> = []
    ) {
        self.isOff = isOff
        self.isDeaf = isDeaf
        self.isMute = isMute
        self.answers = answers
        self.sequences = sequences
        self.requestsToDrop = requestsToDrop
        self.copyLoss = copyLoss
        self.provisioning = provisioning
        self.quirks = quirks
    }

    /// The status to answer instead of acting on a request; uses up one of its count.
    mutating func answer(to opcode: Opcode) -> ConfigStatusCode? {
        guard let index = answers.firstIndex(where: { $0.opcode == opcode && $0.remaining != 0 }) else { return nil }
        if let remaining = answers[index].remaining { answers[index].remaining = remaining - 1 }
        return answers[index].status
    }
}
