/// How a state of a model is read, set and recognised, in octets only: neither plans nor executors need to know what
/// the state means, so states of vendor models are handled like those of the specifications.
package struct ModelStateForm: Hashable, Sendable, Comparable {
    /// The name, with its key if the model has several instances: `on-power-up`, `schedule.3`,
    /// `lc-property.light-control-time-run-on`.
    package let name: String
    /// The model that answers the Get.
    package let server: ModelIdentifier
    /// The model that takes the Set, often a setup server. The application key of the Set is bound to it.
    package let setServer: ModelIdentifier
    /// The message that reads the state: opcode and parameters.
    package let getPayload: [UInt8]
    /// The opcode of the message that reports the state.
    package let statusOpcode: Opcode
    /// Which parameters of the status say that it is of this instance; empty for a state of which there is one.
    package let instance: MaskedOctets
    /// The number under which a register lists the state, such as that of a scene; nil if the status shows the value
    /// itself. No message reads the value of such a state, so its record is what was stored.
    package let register: UInt16?

    package init(
        name: String,
        server: ModelIdentifier,
        setServer: ModelIdentifier,
        getPayload: [UInt8],
        statusOpcode: Opcode,
        instance: MaskedOctets = MaskedOctets(),
        register: UInt16? = nil
    ) {
        self.name = name
        self.server = server
        self.setServer = setServer
        self.getPayload = getPayload
        self.statusOpcode = statusOpcode
        self.instance = instance
        self.register = register
    }

    /// By name; forms of one name by their models.
    package static func < (left: ModelStateForm, right: ModelStateForm) -> Bool {
        (left.name, left.server, left.setServer) < (right.name, right.server, right.setServer)
    }
}

/// Octets of which only some bits count.
package struct MaskedOctets: Hashable, Sendable {
    package let octets: [UInt8]
    /// A 1 for each bit that counts; as long as ``octets``.
    package let mask: [UInt8]

    /// Nothing counts.
    package init() {
        octets = []
        mask = []
    }

    /// Octets with a mask; bits that do not count become 0, and octets at the end of which none counts are left out.
    package init(_ octets: [UInt8], mask: [UInt8]) {
        let count = min(octets.count, (mask.lastIndex { $0 != 0 } ?? -1) + 1)
        self.octets = (0..<count).map { octets[$0] & mask[$0] }
        self.mask = Array(mask.prefix(count))
    }

    /// Whether the bits that count are the same in `parameters`, which may be longer.
    package func match(_ parameters: [UInt8]) -> Bool {
        parameters.count >= mask.count && mask.indices.allSatisfy { parameters[$0] & mask[$0] == octets[$0] }
    }
}

/// A state of a model as a definition demands it.
package struct ModelState: Hashable, Sendable {
    package let form: ModelStateForm
    /// The acknowledged message that sets it: opcode and parameters.
    package let setPayload: [UInt8]
    /// The parameters of a status that shows it. Bits that the definition leaves open, or that the node may choose, do
    /// not count. For a state in a register it is what the record holds: its ``contents`` as octets.
    package let expected: MaskedOctets
    /// The values that must hold when the message is sent, because it stores them; empty for other states.
    package let contents: [ElementState]
    /// Whether the message removes the state, such as an entry of a schedule.
    package let isRemoval: Bool

    package init(form: ModelStateForm, setPayload: [UInt8], expected: MaskedOctets, isRemoval: Bool = false) {
        self.form = form
        self.setPayload = setPayload
        self.expected = expected
        self.isRemoval = isRemoval
        contents = []
    }

    /// A state in a register, which stores what holds on some elements.
    ///
    /// - Parameter contents: at least one and at most 255 values, in the order in which they are set.
    package init(form: ModelStateForm, setPayload: [UInt8], storing contents: [ElementState]) {
        self.form = form
        self.setPayload = setPayload
        self.contents = contents
        isRemoval = false
        let octets = contents.storedOctets
        expected = MaskedOctets(octets, mask: [UInt8](repeating: 0xFF, count: octets.count))
    }

    /// Whether the parameters of a status show the state. A node may leave out the value of what it no longer has.
    package func isShown(by status: [UInt8]) -> Bool {
        if isRemoval, status.count < expected.mask.count { return form.instance.match(status) }
        return expected.match(status)
    }
}

/// The value of a state of a model on one element of a node.
package struct ElementState: Hashable, Sendable {
    /// The element, counted from the primary one.
    package let element: UInt8
    package let state: ModelState

    package init(element: UInt8, state: ModelState) {
        self.element = element
        self.state = state
    }

    package var model: ModelAddress { ModelAddress(element: element, model: state.form.server) }
}

extension [ElementState] {
    /// What the record of a state in a register holds: the number of values, and of each the element, the length of the
    /// message that sets it, and the message.
    package var storedOctets: [UInt8] {
        var writer = ByteWriter()
        writer.write(UInt8(truncatingIfNeeded: count))
        for part in self {
            writer.write(part.element)
            writer.write(UInt8(truncatingIfNeeded: part.state.setPayload.count))
            writer.write(part.state.setPayload)
        }
        return writer.bytes
    }
}
