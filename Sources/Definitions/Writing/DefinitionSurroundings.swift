import DefinitionModel
import MeshCore

/// What definitions have beside their networks: vendor models and products, which serve all networks of a run.
struct DefinitionSurroundings: Sendable {
    /// The files and folders with vendor models, as paths from the working folder.
    let modelFiles: [String]
    /// The files and folders with products, as paths from the working folder.
    let productFiles: [String]
    /// The vendor models that definitions describe themselves.
    let models: [VendorModelDeclaration]

    /// What the decoder of a run has found.
    ///
    /// - Parameter files: the files of the run.
    init(of decoder: DocumentDecoder, _ files: SourceFiles) {
        let paths = { (names: [Located<String>]) in
            var seen: Set<String> = []
            return names.map { NamedFiles.normalized(files.resolving($0.value, namedAt: $0.location)) }
                .filter { seen.insert($0).inserted }
        }
        let modelFiles = paths(decoder.modelFiles)
        self.modelFiles = modelFiles
        productFiles = paths(decoder.productFiles)
        let named = Set(modelFiles)
        models = decoder.vendorModels.models.filter { model in
            let path = NamedFiles.normalized(files.path(of: model.name.location))
            return !named.contains(path) && !named.contains(NamedFiles.folder(of: path))
        }
    }
}

// MARK: - Writing

extension DefinitionSurroundings {
    typealias Value = DefinitionValue
    typealias Field = DefinitionValue.Field

    /// The sections for one document. Vendor models are missing in them if some stand in files and some do not.
    var sections: [Field] {
        var sections: [Field] = []
        if !productFiles.isEmpty { sections.append(Field("products", .texts(productFiles))) }
        if !modelFiles.isEmpty {
            sections.append(Field("models", .texts(modelFiles)))
        } else if !models.isEmpty {
            sections.append(described)
        }
        return sections
    }

    /// The section with vendor models for a document of its own; nil if ``sections`` have it.
    var ownSection: Field? { modelFiles.isEmpty || models.isEmpty ? nil : described }

    private var described: Field { Field("models", .section(models.map(Self.model))) }

    private static func model(_ model: VendorModelDeclaration) -> Field {
        var fields: [Field] = []
        if let company = model.identifier.company {
            fields.append(Field("company", .word("0x\(company.hexadecimal)")))
            fields.append(Field("model", .word("0x\(model.identifier.model.hexadecimal)")))
        }
        if let client = model.client { fields.append(Field("client", .word("0x\(client.hexadecimal)"))) }
        if !model.typeTexts.isEmpty {
            fields.append(Field("types", .section(model.typeTexts.map { Field(text($0.name), .text($0.text)) })))
        }
        fields.append(Field("messages", .section(model.messages.map(message))))
        if !model.states.isEmpty { fields.append(Field("states", .section(model.states.map(state)))) }
        return Field(text(model.name.value), .section(fields))
    }

    private static func message(_ message: VendorMessageDeclaration) -> Field {
        let digits = String(message.code, radix: 16, uppercase: true)
        var fields = [Field("opcode", .word(message.code < 0x10 ? "0x0\(digits)" : "0x\(digits)"))]
        if message.isStatus { fields.append(Field("direction", .word("status"))) }
        if let texts = message.fields { fields.append(Field("fields", .text(texts.value))) }
        if let answer = message.answer { fields.append(Field("answer", .text(answer.value))) }
        return Field(text(message.name.value), .fields(fields))
    }

    private static func state(_ state: VendorStateDeclaration) -> Field {
        var fields: [Field] = []
        for (key, name) in [("get", state.get), ("set", state.set), ("unacknowledged", state.unacknowledged)] {
            if let name { fields.append(Field(key, .text(name.value))) }
        }
        if state.isLasting { fields.append(Field("lasting", .state(true))) }
        return Field(text(state.name.value), .fields(fields))
    }

    private static func text(_ name: String) -> String { Value.quotedIfNeeded(name) }
}
