import Catalogue
import DefinitionModel
import MeshCore

/// A message as its file declares it.
struct VendorMessageDeclaration {
    var name: Located<String>
    /// The opcode within the company.
    var code: UInt8 = 0
    /// Whether the server sends it.
    var isStatus = false
    var answer: Located<String>?
    /// Its fields in the notation of the catalogue; nil if it has none.
    var fields: Located<String>?
}

/// A state as its file declares it.
struct VendorStateDeclaration {
    var name: Located<String>
    var get: Located<String>?
    var set: Located<String>?
    /// The message that sets it without an answer.
    var unacknowledged: Located<String>?
    /// Whether the node keeps it.
    var isLasting = false
}

/// A model as its file declares it.
struct VendorModelDeclaration {
    var name: Located<String>
    /// The company and the model.
    var identifier = ModelIdentifier.vendor(company: 0, model: 0)
    /// The number of the client that goes with it.
    var client: UInt16?
    var types: [String: FieldType] = [:]
    /// The same as its file writes them, in reading order.
    var typeTexts: [(name: String, text: String)] = []
    /// Types that could not be read, so that their uses are not reported as well.
    var brokenTypes: Set<String> = []
    var messages: [VendorMessageDeclaration] = []
    var states: [VendorStateDeclaration] = []
}

/// The declarations of all files.
struct VendorModelDeclarations {
    /// Models in reading order.
    var models: [VendorModelDeclaration] = []

    var names: ModelNames { ModelNames(models.map { ($0.identifier, $0.name.value) }) }

    /// The models. Problems between declarations are reported: names and opcodes that are taken, answers and messages
    /// of states that do not exist, fields that cannot be read.
    func resolved(into diagnostics: inout DiagnosticCollector) -> [VendorModel] {
        // The table of all messages takes time, and few definitions need it.
        guard !models.isEmpty else { return [] }
        var resolver = VendorModelResolver(diagnostics: diagnostics)
        defer { diagnostics = resolver.diagnostics }
        return models.compactMap { resolver.model($0) }
    }
}

/// Turns declarations into models, and reports what does not fit.
private struct VendorModelResolver {
    var diagnostics: DiagnosticCollector
    private var catalogue = MessageCatalogue.sig
    private var modelNames = Uniqueness<String>()
    private var identifiers = Uniqueness<ModelIdentifier>()
    private var stateNames = Uniqueness<String>()
    private var messagePlaces: [String: SourceLocation] = [:]

    init(diagnostics: DiagnosticCollector) { self.diagnostics = diagnostics }

    mutating func model(_ declaration: VendorModelDeclaration) -> VendorModel? {
        let resource = "model.\(declaration.name.value)"
        modelNames.check(declaration.name, resource: resource, into: &diagnostics) { "the model \(quoted($0))" }
        if ModelCatalogue.model(named: declaration.name.value) != nil {
            report("\(declaration.name.value) is a model of the Bluetooth SIG", declaration.name, resource)
        }
        if declaration.name.value.hasPrefix("0x"), ModelIdentifier(name: declaration.name.value) != nil {
            let hint = "an identifier stands for itself; give the model a name"
            report("\(declaration.name.value) is not a name", declaration.name, resource, hint: hint)
        }
        let identifier = Located(declaration.identifier, at: declaration.name.location)
        identifiers.check(identifier, resource: resource, into: &diagnostics) { "the model \($0)" }
        let types = FieldTypes(declaration.types)
        let declared = Dictionary(declaration.messages.map { ($0.name.value, $0) }) { first, _ in first }
        let messages = declaration.messages.compactMap { message($0, in: declaration, declared, types, resource) }
        let byName = Dictionary(messages.map { ($0.name, $0) }) { first, _ in first }
        let states = declaration.states.compactMap { state($0, byName, declared, resource) }
        return VendorModel(
            identifier: declaration.identifier,
            name: declaration.name.value,
            messages: messages,
            states: states
        )
    }

    private mutating func message(
        _ declaration: VendorMessageDeclaration,
        in model: VendorModelDeclaration,
        _ declared: [String: VendorMessageDeclaration],
        _ types: FieldTypes,
        _ resource: String
    ) -> MessageDescription? {
        var answer: Opcode?
        if let name = declaration.answer {
            guard let status = declared[name.value], status.isStatus else {
                let statuses = declared.values.filter(\.isStatus).map(\.name.value).sorted()
                let hint = Suggestion.hint(for: name.value, among: statuses, are: "statuses are")
                report("\(quoted(name.value)) is no status of this model", name, resource, hint: hint)
                return nil
            }
            answer = model.identifier.company.flatMap { Opcode(vendor: status.code, company: $0) }
        }
        if declaration.isStatus, let name = declaration.answer {
            report("a status has no answer", name, resource)
            return nil
        }
        do throws(VendorModelError) {
            let company = model.identifier.company ?? 0
            let message = try VendorModel.message(
                named: declaration.name.value,
                code: declaration.code,
                direction: declaration.isStatus ? .status : .request(answer: answer),
                of: model.identifier,
                client: model.client.map { .vendor(company: company, model: $0) },
                fields: declaration.fields?.value ?? "",
                types: types
            )
            try catalogue.insert(message)
            messagePlaces[message.name] = declaration.name.location
            return message
        } catch {
            reportMessage(error, declaration, model, resource)
            return nil
        }
    }

    private mutating func reportMessage(
        _ error: VendorModelError,
        _ declaration: VendorMessageDeclaration,
        _ model: VendorModelDeclaration,
        _ resource: String
    ) {
        switch error {
        case .notation(let problem):
            // A type that could not be read has been reported already.
            let words = declaration.fields?.value.split { " :".contains($0) } ?? []
            guard !words.contains(where: { model.brokenTypes.contains(String($0)) }) else { return }
            let hint = "fields are written as `name:type`, such as `state:u8 [ remaining ]`"
            report(problem.description, declaration.fields ?? declaration.name, resource, hint: hint)
        case .confusable(_, let other):
            let hint =
                "give each message with this opcode a field with a fixed value, such as `sub:u8=5`, at the same place"
            report(error.description, declaration.name, resource, hint: hint, first: messagePlaces[other])
        case .nameTaken(let name):
            report(error.description, declaration.name, resource, first: messagePlaces[name])
        case .noVendorOpcode, .tooMany: report(error.description, declaration.name, resource)
        }
    }

    private mutating func state(
        _ declaration: VendorStateDeclaration,
        _ messages: [String: MessageDescription],
        _ declared: [String: VendorMessageDeclaration],
        _ resource: String
    ) -> StateDescription? {
        stateNames.check(declaration.name, resource: resource, into: &diagnostics) { "the state \(quoted($0))" }
        if StateCatalogue.state(named: declaration.name.value) != nil {
            report("\(declaration.name.value) is a state of the Bluetooth SIG's models", declaration.name, resource)
        }
        var found: [String: MessageDescription] = [:]
        for name in [declaration.get, declaration.set, declaration.unacknowledged] {
            guard let name else { continue }
            guard let message = messages[name.value] else {
                // A message that could not be used has been reported already.
                if declared[name.value] == nil {
                    let hint = Suggestion.hint(for: name.value, among: messages.keys.sorted(), are: "messages are")
                    report("\(quoted(name.value)) is no message of this model", name, resource, hint: hint)
                }
                return nil
            }
            found[name.value] = message
        }
        guard let name = declaration.get, let get = found[name.value] else { return nil }
        guard let answer = declared[name.value]?.answer, let status = messages[answer.value] else {
            report("\(name.value) has no answer, so it reads nothing", name, resource, hint: "give it `answer:`")
            return nil
        }
        return StateDescription(
            name: declaration.name.value,
            get: get,
            set: declaration.set.flatMap { found[$0.value] },
            setUnacknowledged: declaration.unacknowledged.flatMap { found[$0.value] },
            status: status,
            isLasting: declaration.isLasting
        )
    }

    private mutating func report(
        _ message: String,
        _ place: Located<String>,
        _ resource: String,
        hint: String? = nil,
        first: SourceLocation? = nil
    ) {
        diagnostics.report(
            message,
            at: place.location,
            length: place.value.utf8.count,
            resource: resource,
            hint: hint,
            related: first.map { [Diagnostic.Related(message: "first here", location: $0)] } ?? []
        )
    }
}
