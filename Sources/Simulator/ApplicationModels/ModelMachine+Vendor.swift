import Catalogue
import MeshCore

// Models of companies, as files describe them: they hold their states and answer for them.

/// The vendor models that a world knows.
struct VendorModels: Sendable {
    /// All messages, those of the Bluetooth SIG included.
    let catalogue: MessageCatalogue
    private let byIdentifier: [ModelIdentifier: VendorModel]
    private let servers: [Opcode: [ModelIdentifier]]

    /// The models; a message that cannot be told from an earlier one is left out.
    init(_ models: [VendorModel]) {
        var catalogue = MessageCatalogue.sig
        var servers: [Opcode: [ModelIdentifier]] = [:]
        for model in models {
            for message in model.messages {
                guard (try? catalogue.insert(message)) != nil, !message.isStatus else { continue }
                if servers[message.opcode]?.contains(model.identifier) != true {
                    servers[message.opcode, default: []].append(model.identifier)
                }
            }
        }
        self.catalogue = catalogue
        self.servers = servers
        byIdentifier = Dictionary(firstOf: models.map { ($0.identifier, $0) })
    }

    /// The vendor models that take a message.
    func servers(of opcode: Opcode) -> [ModelIdentifier] { servers[opcode] ?? [] }

    subscript(identifier: ModelIdentifier) -> VendorModel? { byIdentifier[identifier] }
}

extension ModelMachine {
    /// Handles a message for a vendor model: a set is kept, and a get or a set is answered with the state.
    mutating func handle(
        _ message: DecodedMessage,
        of model: VendorModel,
        on element: Int
    ) -> (message: MessageDescription, values: FieldValues)? {
        let name = message.description.name
        for (index, state) in model.states.enumerated() {
            let sets = [state.setMessage?.name, state.unacknowledgedSetMessage?.name].contains(name)
            guard sets || state.getMessage.name == name else { continue }
            if sets, let key = key(of: state, index, model, element),
                let octets = try? message.description.encode(message.values)
            {
                let name = Array(message.description.name.utf8.prefix(255))
                models.stored.octets[key] = [UInt8(name.count)] + name + octets
            }
            guard message.description.answer != nil else { return nil }
            return (state.statusMessage, values(of: state, index, model, element, keys: message.values))
        }
        return nil
    }

    /// The values of a state's status: those that were set, else zeros.
    func values(
        of state: StateDescription,
        _ index: Int,
        _ model: VendorModel,
        _ element: Int,
        keys: FieldValues = FieldValues()
    ) -> FieldValues {
        let octets = key(of: state, index, model, element).flatMap { models.stored.octets[$0] }
        let kept = octets.flatMap { lastSet($0, of: state) }
        let form = state.statusMessage.forms?.first ?? []
        var values = FieldValues()
        for part in form {
            guard case .field(let field) = part else { continue }
            values[field.name] = keys[field.name] ?? field.fixed.map { .integer($0) } ?? field.type.zero
            if let known = kept?[field.name] { values[field.name] = known }
        }
        for part in form {
            guard case .list(let field) = part else { continue }
            values[field.name] = kept?[field.name] ?? .integers([])
        }
        return values
    }

    /// What was set, unless the file with the models has changed since.
    private func lastSet(_ octets: [UInt8], of state: StateDescription) -> FieldValues? {
        guard let length = octets.first, octets.count > Int(length) else { return nil }
        let name = String(decoding: octets[1..<(1 + Int(length))], as: UTF8.self)
        let sets = [state.setMessage, state.unacknowledgedSetMessage].compactMap(\.self)
        guard let message = sets.first(where: { $0.name == name }) else { return nil }
        return try? message.decode(octets[(1 + Int(length))...])
    }

    private func key(of state: StateDescription, _ index: Int, _ model: VendorModel, _ element: Int) -> StateKey? {
        guard elements.indices.contains(element), let place = elements[element].place(of: model.identifier),
            let number = UInt8(exactly: index)
        else { return nil }
        return StateKey(element, .vendorState, index: UInt16(truncatingIfNeeded: place) << 8 | UInt16(number))
    }
}

extension FieldType {
    /// The value of a field that nobody has set.
    fileprivate var zero: FieldValue {
        switch layout {
        case .octets(let count), .text(let count): return .octets([UInt8](repeating: 0, count: count))
        case .remainder(let minimum): return .octets([UInt8](repeating: 0, count: minimum))
        case .share: return .octets([0])
        case .counted: return .octets([])
        default: return .integer(permits(0) ? 0 : range?.lowerBound ?? words.keys.min() ?? 0)
        }
    }
}
