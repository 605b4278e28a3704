import Catalogue
import DefinitionModel
import MeshCore

extension DocumentDecoder {
    /// A document of a file with vendor models: models by name.
    mutating func decodeModelsFile() {
        guard !tree.nodes.isEmpty else { return }
        for field in fields(0, .modelsFile, "a mapping with `models`", blamed: 0) ?? [] { decodeVendorModels(field) }
    }

    /// `models` of a definition: a list of files and folders with vendor models, or the models themselves.
    mutating func decodeModels(_ section: MappingEntry) {
        if isNull(section.value) { return }
        if tree.nodes[section.value].kind == .mapping { return decodeVendorModels(section) }
        for entry in list(section.value, "a list of files with vendor models, or a mapping of models")
            ?? ListEntries()
        {
            guard let path = text(entry, "the path of a file or folder with vendor models") else { continue }
            modelFiles.append(Located(path, at: location(entry)))
        }
    }

    private mutating func decodeVendorModels(_ section: MappingEntry) {
        decodeNamed(section, "model") { decoder, entry in
            guard let model = decoder.decodeVendorModel(entry) else {
                decoder.brokenModels.insert(entry.name.value)
                return false
            }
            decoder.vendorModels.models.append(model)
            return true
        }
    }

    private mutating func decodeVendorModel(_ entry: NamedEntry) -> VendorModelDeclaration? {
        guard let fields = fields(entry.value, .vendorModel, "a model", blamed: entry.key) else { return nil }
        var declaration = VendorModelDeclaration(name: entry.name)
        var company: UInt16?
        var model: UInt16?
        for field in fields {
            switch field.keyword {
            case .company: company = number(field, "a company identifier")
            case .model: model = number(field, "the model's number in its company")
            case .client: declaration.client = number(field, "the client's number in its company")
            case .types: decodeTypes(field, into: &declaration)
            default: break
            }
        }
        guard let company, let model else { return nil }
        declaration.identifier = .vendor(company: company, model: model)
        for field in fields {
            switch field.keyword {
            case .messages: decodeMessages(field, company, into: &declaration)
            case .states: decodeModelStates(field, into: &declaration)
            default: break
            }
        }
        return declaration
    }

    /// The opcodes of a company have 6 bits of its own.
    private static let mostMessages = 64
    private static let mostTypes = 1_000

    private mutating func number(_ field: MappingEntry, _ title: String) -> UInt16? {
        scalar(field.value, title) { (text) throws(ScalarProblem) in try DeviceWords.number(text, title) }?.value
    }

    private mutating func decodeTypes(_ section: MappingEntry, into declaration: inout VendorModelDeclaration) {
        let all = entries(section.value, "a mapping of types") ?? []
        guard all.count <= Self.mostTypes else {
            return report(
                "a model has at most \(Self.mostTypes) types",
                at: section.key,
                hint: "describe several models"
            )
        }
        for entry in all {
            guard let name = scalar(entry.key, "a name", Words.name) else { continue }
            let type = scalar(entry.value, "a type such as `u8 0=off 1=on`") { (text) throws(ScalarProblem) in
                do throws(NotationError) {
                    return try FieldType(name: name.value, notation: text)
                } catch {
                    throw ScalarProblem(
                        error.description,
                        hint: "write a type such as `u16 /100 [lx] 0xffff=not-known`"
                    )
                }
            }
            declaration.types[name.value] = type?.value
            if type != nil {
                declaration.typeTexts.append((name.value, symbols.text(tree.nodes[entry.value].value)))
            }
            if type == nil { declaration.brokenTypes.insert(name.value) }
        }
    }

    private mutating func decodeMessages(
        _ section: MappingEntry,
        _ company: UInt16,
        into declaration: inout VendorModelDeclaration
    ) {
        let all = entries(section.value, "a mapping of messages") ?? []
        guard all.count <= Self.mostMessages else {
            return report(
                "a model has at most \(Self.mostMessages) messages",
                at: section.key,
                hint: "a company has no more opcodes"
            )
        }
        for entry in all {
            guard let name = scalar(entry.key, "a name", VendorModelWords.name),
                let fields = fields(entry.value, .vendorMessage, "a message", blamed: entry.key)
            else { continue }
            var message = VendorMessageDeclaration(name: name)
            var code: UInt8?
            for field in fields {
                switch field.keyword {
                case .opcode:
                    let parse = { (text: String) throws(ScalarProblem) in
                        try VendorModelWords.opcode(text, company: company)
                    }
                    code = scalar(field.value, "an opcode", parse)?.value
                case .fields: message.fields = scalar(field.value, "fields such as `state:u8`") { $0 }
                case .answer: message.answer = scalar(field.value, "the name of a message", VendorModelWords.name)
                case .direction:
                    message.isStatus =
                        scalar(field.value, "request or status", VendorModelWords.isStatus)?.value ?? false
                default: break
                }
            }
            guard let code else { continue }
            message.code = code
            declaration.messages.append(message)
        }
    }

    private mutating func decodeModelStates(
        _ section: MappingEntry,
        into declaration: inout VendorModelDeclaration
    ) {
        for entry in entries(section.value, "a mapping of states") ?? [] {
            guard let name = scalar(entry.key, "a name", VendorModelWords.name),
                let fields = fields(entry.value, .vendorState, "a state", blamed: entry.key)
            else { continue }
            var state = VendorStateDeclaration(name: name)
            for field in fields {
                let message = { (decoder: inout DocumentDecoder) in
                    decoder.scalar(field.value, "the name of a message", VendorModelWords.name)
                }
                switch field.keyword {
                case .get: state.get = message(&self)
                case .set: state.set = message(&self)
                case .unacknowledged: state.unacknowledged = message(&self)
                case .lasting: state.isLasting = scalar(field.value, "on or off", Words.boolean)?.value ?? false
                default: break
                }
            }
            if state.get != nil { declaration.states.append(state) }
        }
    }
}

/// Scalars of files with vendor models.
enum VendorModelWords {
    /// A name as messages and states have it: lower-case letters, digits and hyphens.
    static func name(_ text: String) throws(ScalarProblem) -> String {
        let isName = text.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
        }
        guard isName, Name.isValid(text) else {
            throw ScalarProblem(
                "\(quoted(text)) is not a name",
                hint: "such names are lower-case letters, digits and `-`, and start with a letter or digit"
            )
        }
        return text
    }

    /// An opcode within the company, 0x00 to 0x3F, or all three octets as they are sent: `0xEA3601`.
    static func opcode(_ text: String, company: UInt16) throws(ScalarProblem) -> UInt8 {
        guard text.hasPrefix("0x"), text.utf8.count <= 8, text.utf8.dropFirst(2).allSatisfy(Numbers.isHexadecimalDigit),
            let number = UInt32(text.dropFirst(2), radix: 16)
        else {
            throw ScalarProblem(
                "\(quoted(text)) is not an opcode of a company",
                hint: "write 0x00 to 0x3F, or the three octets that are sent, such as 0xC15900"
            )
        }
        if number < 0x40 { return UInt8(number) }
        guard let opcode = Opcode(rawValue: number), let owner = opcode.company else {
            throw ScalarProblem(
                "\(text) is an opcode of the Bluetooth SIG",
                hint: "a company's opcodes go from 0x00 to 0x3F, or from 0xC00000 on as they are sent"
            )
        }
        guard owner == company else {
            throw ScalarProblem(
                "\(text) is an opcode of the company 0x\(owner.hexadecimal), not 0x\(company.hexadecimal)",
                hint: "a model uses the opcodes of its own company; its identifier is sent with the low octet first"
            )
        }
        return UInt8(truncatingIfNeeded: number >> 16) & 0x3F
    }

    static func isStatus(_ text: String) throws(ScalarProblem) -> Bool {
        switch text {
        case "status": return true
        case "request": return false
        default:
            throw ScalarProblem(
                "\(quoted(text)) is no direction",
                hint: "write request, or status for what a server sends"
            )
        }
    }
}
