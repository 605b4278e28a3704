package import MeshCore

/// Every message that can be named: those of the Bluetooth SIG and those of vendor models that were added.
package struct MessageCatalogue: Sendable {
    /// The messages in the order of their tables.
    package private(set) var messages: [MessageDescription]
    private var byOpcode: [Opcode: [Int]] = [:]
    private var byName: [String: Int] = [:]
    private var byModel: [ModelIdentifier: [Int]] = [:]

    package static let sig = MessageCatalogue(MessageTable.messages)

    /// Messages with distinct names, of which no two can be confused.
    private init(_ messages: [MessageDescription]) {
        self.messages = []
        for message in messages { add(message) }
    }

    private mutating func add(_ message: MessageDescription) {
        byOpcode[message.opcode, default: []].append(messages.count)
        byName[message.name] = messages.count
        for model in Set(message.servers + message.clients) { byModel[model, default: []].append(messages.count) }
        messages.append(message)
    }

    /// Adds the messages of a vendor model.
    ///
    /// - Throws: ``VendorModelError`` if a name is taken, or a message cannot be told from another one. The messages
    ///   before it stay.
    package mutating func add(_ model: VendorModel) throws(VendorModelError) {
        for message in model.messages { try insert(message) }
    }

    /// Adds a message of a vendor model.
    ///
    /// - Throws: ``VendorModelError`` if its name is taken, or it cannot be told from another one.
    package mutating func insert(_ message: MessageDescription) throws(VendorModelError) {
        guard byName[message.name] == nil else { throw .nameTaken(message.name) }
        let others = byOpcode[message.opcode] ?? []
        guard others.count < Self.mostOfOneOpcode else { throw .tooMany(message.opcode) }
        if let other = others.first(where: { message.isConfusable(with: messages[$0]) }) {
            throw .confusable(message.name, messages[other].name)
        }
        add(message)
    }

    /// An octet tells as many messages with one opcode apart.
    static let mostOfOneOpcode = 256

    /// The messages with that opcode: one of the SIG, of a vendor also several that differ in a fixed value.
    package func messages(_ opcode: Opcode) -> [MessageDescription] {
        (byOpcode[opcode] ?? []).map { messages[$0] }
    }

    /// The message with that opcode; nil if it is not known. Of several the first.
    package func message(_ opcode: Opcode) -> MessageDescription? { byOpcode[opcode]?.first.map { messages[$0] } }

    /// The message with that name: `generic-onoff-set`; nil if there is none.
    package func message(named name: String) -> MessageDescription? { byName[name].map { messages[$0] } }

    /// The messages that a server receives (requests) and sends (statuses), or a client the other way round.
    package func messages(of model: ModelIdentifier) -> [MessageDescription] {
        (byModel[model] ?? []).map { messages[$0] }
    }

    /// Reads an access payload: opcode and parameters.
    ///
    /// - Throws: ``AccessPayloadError`` if the opcode is missing or not known, or the parameters do not go with it.
    package func decode(_ payload: ArraySlice<UInt8>) throws(AccessPayloadError) -> DecodedMessage {
        var reader = ByteReader(payload)
        let opcode: Opcode
        do throws(DecodeError) {
            opcode = try Opcode(decoding: &reader)
        } catch {
            throw .opcode(error)
        }
        let parameters = reader.readRest()
        var furthest: MessageDecodeError?
        for message in messages(opcode) {
            do throws(MessageDecodeError) {
                return DecodedMessage(description: message, values: try message.decode(parameters))
            } catch {
                // That it is another message with this opcode tells nothing if one of them got further.
                if error.offset > furthest?.offset ?? -1 { furthest = error }
            }
        }
        throw furthest.map { .parameters(opcode, $0) } ?? .unknown(opcode)
    }
}

/// A message with its values.
package struct DecodedMessage: Hashable, Sendable {
    package let description: MessageDescription
    package let values: FieldValues

    package init(description: MessageDescription, values: FieldValues) {
        self.description = description
        self.values = values
    }

    /// The message for people: `generic-onoff-set onoff=on tid=7`.
    package var text: String {
        values.items.isEmpty ? description.name : "\(description.name) \(description.text(of: values))"
    }
}

/// Why an access payload is no message of the catalogue.
package enum AccessPayloadError: Error, Hashable, Sendable {
    /// The opcode is missing or reserved.
    case opcode(DecodeError)
    case unknown(Opcode)
    /// The octets after the opcode do not go with the message; offsets count from the first of them.
    case parameters(Opcode, MessageDecodeError)
}

extension AccessPayloadError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .opcode(let error): "opcode: \(error)"
        case .unknown(let opcode): "no message with opcode \(opcode) is known"
        case .parameters(let opcode, let error):
            "\(MessageCatalogue.sig.message(opcode)?.title ?? "\(opcode)"): \(error)"
        }
    }
}
