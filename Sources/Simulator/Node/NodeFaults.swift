package import MeshCore

/// What is wrong with a node, for tests of those who must cope with it.
package struct NodeFaults: Hashable, Sendable {
    /// A status that a node gives instead of acting.
    package struct Answer: Hashable, Sendable {
        /// The opcode of the request.
        package var opcode: Opcode
        /// The status; requests whose answers have no status field are not affected.
        package var status: ConfigStatusCode
        /// How many requests get it; nil for all.
        package var remaining: Int?

        /// That status to the next `count` requests, to all if nil.
        package init(opcode: Opcode, status: ConfigStatusCode, count: Int? = nil) {
            self.opcode = opcode
            self.status = status
            remaining = count
        }
    }

    /// Without power: hears, relays and says nothing, and cannot be a proxy.
    package var isOff: Bool
    /// Hears nothing over the air.
    package var isDeaf: Bool
    /// Says nothing over the air or a link, though it hears and acts.
    package var isMute: Bool
    /// Statuses given instead of acting.
    package var answers: [Answer]
    /// What it does with Opcodes Aggregator Sequences under its DeviceKey instead of answering them in full.
    package var sequences: SequenceFault?
    /// Requests that are lost inside the node before it acts on them.
    package var requestsToDrop: Int
    /// The share of copies lost on the way to and from the node, 0...1, instead of that of its links.
    package var copyLoss: Double?
    /// What goes wrong while it is provisioned.
    package var provisioning: ProvisioningFaults
    /// What it does otherwise than others.
    package var habits: Set<DeviceHabit>

    /// Faults of those kinds, none by default.
    package init(
        isOff: Bool = false,
        isDeaf: Bool = false,
        isMute: Bool = false,
        answers: [Answer] = [],
        sequences: SequenceFault? = nil,
        requestsToDrop: Int = 0,
        copyLoss: Double? = nil,
        provisioning: ProvisioningFaults = ProvisioningFaults(),
        habits: Set<DeviceHabit> = []
    ) {
        self.isOff = isOff
        self.isDeaf = isDeaf
        self.isMute = isMute
        self.answers = answers
        self.sequences = sequences
        self.requestsToDrop = requestsToDrop
        self.copyLoss = copyLoss
        self.provisioning = provisioning
        self.habits = habits
    }

    /// The status to give instead of acting on a request, counting it off.
    mutating func answer(to opcode: Opcode) -> ConfigStatusCode? {
        guard let index = answers.firstIndex(where: { $0.opcode == opcode && $0.remaining != 0 }) else { return nil }
        if let remaining = answers[index].remaining { answers[index].remaining = remaining - 1 }
        return answers[index].status
    }
}
