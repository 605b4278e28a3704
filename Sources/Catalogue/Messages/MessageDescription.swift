package import MeshCore

/// A message of the access layer as data: its opcode, its name, and the fields after the opcode.
package struct MessageDescription: Hashable, Sendable {
    package let opcode: Opcode
    /// The name in the specification: `Generic OnOff Set Unacknowledged`.
    package let title: String
    /// The name in commands and files: `generic-onoff-set-unacknowledged`.
    package let name: String
    /// Whether a client sends it to a server or a server answers or publishes it.
    package let direction: Direction
    /// The servers that receive it, or of which it is a status; of a status the one that keeps the state first.
    package let servers: [ModelIdentifier]
    /// The clients that send it or receive its status.
    package let clients: [ModelIdentifier]
    /// The forms of the parameters, which differ in length or in a fixed value; the first one that fits counts. Nil if
    /// the catalogue knows the message by its name only.
    package let forms: [[Part]]?

    /// Which way a message goes.
    package enum Direction: Hashable, Sendable {
        /// To a server, which answers with the message of that opcode; nil if it is not acknowledged.
        case request(answer: Opcode?)
        case status
    }

    /// One part of the parameters.
    package indirect enum Part: Hashable, Sendable {
        case field(Field)
        /// Bits that are reserved for future use, sent as 0.
        case reserved(bits: Int)
        /// Parts that are all there or all missing, at the end of the message.
        case optional([Part])
        /// A field that repeats up to the end of the message.
        case list(Field)
        /// Parts that repeat up to the end of the message.
        case records(name: String, [Part])
    }

    /// One field.
    package struct Field: Hashable, Sendable {
        /// The name, unique in the message: `target_lightness`.
        package let name: String
        /// Layout and meaning.
        package let type: FieldType
        /// The raw number that marks this form of the message; nil if any may stand there.
        package let fixed: Int64?

        package init(name: String, type: FieldType, fixed: Int64? = nil) {
            self.name = name
            self.type = type
            self.fixed = fixed
        }
    }

    package init(
        opcode: Opcode,
        title: String,
        direction: Direction,
        servers: [ModelIdentifier],
        clients: [ModelIdentifier],
        forms: [[Part]]?
    ) {
        self.opcode = opcode
        self.title = title
        name = Self.name(of: title)
        self.direction = direction
        self.servers = servers
        self.clients = clients
        self.forms = forms
    }

    /// The name in commands and files of a message with that title.
    package static func name(of title: String) -> String {
        String(title.lowercased().map { $0 == " " ? "-" : $0 })
    }

    /// The opcode of the status that answers the message; nil for a status and for an unacknowledged message.
    package var answer: Opcode? {
        guard case .request(let answer) = direction else { return nil }
        return answer
    }

    package var isStatus: Bool { direction == .status }

    /// Every field of every form by its name, with what stands in lists and records.
    package var fields: [Field] { (forms ?? []).flatMap { $0.flatMap(\.fields) } }

    /// The field with that name in any form; nil if there is none.
    package func field(named name: String) -> Field? { fields.first { $0.name == name } }
}

extension MessageDescription.Part {
    package var fields: [MessageDescription.Field] {
        switch self {
        case .field(let field), .list(let field): [field]
        case .reserved: []
        case .optional(let parts), .records(_, let parts): parts.flatMap(\.fields)
        }
    }

    /// The number of bits if it is always the same; nil if it depends on the message.
    var bits: Int? {
        switch self {
        case .field(let field): field.type.bits
        case .reserved(let bits): bits
        case .optional, .list, .records: nil
        }
    }
}
