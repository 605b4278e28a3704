extension ModelIdentifier {
    /// The name in definitions and plans: that of the catalogue, else `0x1234` or `0x0059:0x0001`.
    package var name: String {
        ModelCatalogue.model(self)?.name ?? description
    }

    /// The model with a name that definitions allow: a name of the catalogue, a SIG model as `0x1000`, or a vendor
    /// model as `0x0059:0x0001`. Each number has one to four digits in either case. Nil for anything else.
    package init?(name: String) {
        if let known = ModelCatalogue.model(named: name) {
            self = known.identifier
            return
        }
        let parts = name.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        let numbers = parts.compactMap(Self.number)
        switch (parts.count, numbers.count) {
        case (1, 1): self = .sig(numbers[0])
        case (2, 2): self = .vendor(company: numbers[0], model: numbers[1])
        default: return nil
        }
    }

    private static func number(_ text: Substring) -> UInt16? {
        guard text.hasPrefix("0x") else { return nil }
        let digits = text.dropFirst(2)
        // The integer parser alone would also accept a sign.
        guard (1...4).contains(digits.utf8.count), digits.allSatisfy(\.isHexDigit) else { return nil }
        return UInt16(digits, radix: 16)
    }
}

/// The names of models in one definition or command: those of the catalogue, and those that files give to the models of
/// companies.
package struct ModelNames: Hashable, Sendable {
    private var names: [ModelIdentifier: String] = [:]
    private var identifiers: [String: ModelIdentifier] = [:]

    /// Only the names of the catalogue.
    package init() {}

    /// The names of the catalogue and further ones. Of two names of one model, and of two models of one name, the first
    /// counts; a name of the catalogue stays what it is.
    package init(_ vendor: some Sequence<(identifier: ModelIdentifier, name: String)>) {
        for (identifier, name) in vendor
        where names[identifier] == nil && identifiers[name] == nil && ModelIdentifier(name: name) == nil {
            names[identifier] = name
            identifiers[name] = identifier
        }
    }

    /// The name of a model: `generic-onoff-server`, `exit-light`, or `0x0059:0x0001` of a model that no file names.
    package func name(of model: ModelIdentifier) -> String { names[model] ?? model.name }

    /// The names that files give to some of these models, each once, ascending by model.
    package func given(to models: some Sequence<ModelIdentifier>) -> [NamedModel] {
        if names.isEmpty { return [] }
        return Set(models).sorted().compactMap { model in names[model].map { NamedModel(identifier: model, name: $0) } }
    }

    /// The model with a name, or with an identifier as ``ModelIdentifier/init(name:)`` takes it; nil for anything else.
    package func model(named name: String) -> ModelIdentifier? { identifiers[name] ?? ModelIdentifier(name: name) }

    /// Every name, for suggestions.
    package var all: [String] { ModelCatalogue.models.map(\.name) + identifiers.keys.sorted() }
}

/// A model of a company, and the name that a file gives to it.
package struct NamedModel: Hashable, Sendable {
    /// The model.
    package var identifier: ModelIdentifier
    /// Its name.
    package var name: String

    /// A model with that name.
    package init(identifier: ModelIdentifier, name: String) {
        self.identifier = identifier
        self.name = name
    }
}
