package import MeshCore

/// A model of a company as data, in the shape of the SIG's models.
package struct VendorModel: Hashable, Sendable {
    /// The company and the model.
    package let identifier: ModelIdentifier
    package let name: String
    package let messages: [MessageDescription]
    package let states: [StateDescription]

    /// A model. The messages and states are of this model: see ``message(named:opcode:direction:forms:)``.
    package init(
        identifier: ModelIdentifier,
        name: String,
        messages: [MessageDescription],
        states: [StateDescription] = []
    ) {
        self.identifier = identifier
        self.name = name
        self.messages = messages
        self.states = states
    }

    /// A message of a vendor model.
    ///
    /// - Parameters:
    ///   - name: The name in commands and files.
    ///   - code: The opcode within the company, 0 to 63.
    ///   - direction: Which way it goes.
    ///   - model: The server that receives it or, of a status, sends it.
    ///   - client: The client on the other side; nil if the same model is both.
    ///   - fields: The fields in the notation of the tables: `state:u8 [ remaining ]`.
    ///   - types: The types that the fields may name besides layouts such as `u8`.
    /// - Throws: ``VendorModelError`` if the opcode is out of range or a field cannot be read.
    package static func message(
        named name: String,
        code: UInt8,
        direction: MessageDescription.Direction,
        of model: ModelIdentifier,
        client: ModelIdentifier? = nil,
        fields: String,
        types: FieldTypes = FieldTypes()
    ) throws(VendorModelError) -> MessageDescription {
        guard let company = model.company, let opcode = Opcode(vendor: code, company: company) else {
            throw .noVendorOpcode(code)
        }
        do throws(NotationError) {
            return MessageDescription(
                opcode: opcode,
                title: name,
                direction: direction,
                servers: [model],
                clients: client.map { [$0] } ?? [],
                forms: try PartNotation.forms(fields, types: types.byName)
            )
        } catch {
            throw .notation(error)
        }
    }
}

/// The types that fields may name.
package struct FieldTypes: Sendable {
    let byName: [String: FieldType]

    /// The types of the SIG's messages and properties, and those of a vendor, which count where a name is in both.
    package init(_ own: [String: FieldType] = [:]) {
        byName = TypeTable.types.merging(own) { $1 }
    }
}

/// Why the description of a vendor model was refused.
package enum VendorModelError: Error, Hashable, Sendable {
    /// The opcode is above 63, or the model is one of the SIG.
    case noVendorOpcode(UInt8)
    /// The fields cannot be read.
    case notation(NotationError)
    case nameTaken(String)
    /// Two messages with one opcode have no fixed value at the same place by which a receiver could tell them apart.
    case confusable(String, String)
    /// So many messages have one opcode that no field could tell them apart.
    case tooMany(Opcode)
}

extension VendorModelError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noVendorOpcode(let code): "\(code) is no opcode of a company: they go from 0 to 63"
        case .notation(let error): error.description
        case .nameTaken(let name): "another message is called \(name)"
        case .tooMany(let opcode): "more than \(MessageCatalogue.mostOfOneOpcode) messages have the opcode \(opcode)"
        case .confusable(let name, let other): "\(name) cannot be told from \(other): they have one opcode"
        }
    }
}

extension MessageDescription {
    /// Whether a receiver could take a message of the other kind for this one: they share the opcode, and no field at
    /// the same place has two distinct fixed values.
    func isConfusable(with other: MessageDescription) -> Bool {
        guard opcode == other.opcode else { return false }
        guard let forms, let others = other.forms else { return true }
        return forms.contains { form in
            others.contains { other in Self.areConfusable(form, other) }
        }
    }

    private static func areConfusable(_ form: [Part], _ other: [Part]) -> Bool {
        for (part, counterpart) in zip(form, other) {
            guard let bits = part.bits, bits == counterpart.bits else { return true }
            if case .field(let field) = part, case .field(let its) = counterpart,
                let value = field.fixed, let another = its.fixed, value != another
            {
                return false
            }
        }
        return true
    }
}
