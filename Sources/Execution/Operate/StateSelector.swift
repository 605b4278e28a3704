package import Catalogue
import DefinitionModel
package import MeshCore

/// A state that a person names, with what selects its instance where there are several.
package struct StateSelector: Hashable, Sendable {
    package let state: StateDescription
    /// What selects the instance: the property of a sensor, the index of a schedule.
    package let keys: FieldValues

    package init(_ state: StateDescription, keys: FieldValues = FieldValues()) {
        self.state = state
        self.keys = keys
    }

    /// Reads names of states. A word `field=value` belongs to the state before it.
    ///
    /// - Parameter models: the models whose states may be named.
    /// - Throws: ``StateError`` for a name that no state has, and for a field that does not select an instance.
    package static func read(
        _ words: [String],
        of models: KnownModels = .sig
    ) throws(StateError) -> [StateSelector] {
        var selectors: [StateSelector] = []
        for word in words {
            guard let equals = word.firstIndex(of: "=") else {
                selectors.append(StateSelector(try state(named: word, of: models)))
                continue
            }
            guard let last = selectors.popLast() else { throw .unknown(word, suggestion: nil) }
            let name = String(word[..<equals])
            let text = String(word[word.index(after: equals)...])
            selectors.append(try last.selecting(name, text))
        }
        for selector in selectors { _ = try selector.getPayload() }
        return selectors
    }

    /// The state with a name.
    ///
    /// - Parameter models: the models of which it may be a state.
    package static func state(
        named name: String,
        of models: KnownModels = .sig
    ) throws(StateError) -> StateDescription {
        guard let state = models.state(named: name) else {
            throw .unknown(name, suggestion: suggestion(for: name, of: models))
        }
        return state
    }

    /// The state that is probably meant: one with a similar name, else the one whose name follows that of its model, as
    /// in `health-attention`.
    private static func suggestion(for name: String, of models: KnownModels) -> String? {
        let known = models.stateNames
        return Suggestion.nearest(to: name, among: known)
            ?? known.filter { name.hasSuffix("-" + $0) }.max { $0.count < $1.count }
    }

    private func selecting(_ name: String, _ text: String) throws(StateError) -> StateSelector {
        guard let field = state.keys.first(where: { $0.name == name }) else {
            throw .noInstance(state.name, field: name, known: state.keys.map(\.name))
        }
        var keys = keys
        do throws(TextError) {
            keys[name] = try field.type.value(reading: text)
        } catch {
            throw .value(state.name, "\(name): \(error)")
        }
        return StateSelector(state, keys: keys)
    }

    /// The access payload that reads it.
    ///
    /// - Throws: ``StateError/needsInstance(_:fields:)`` if it is one of several and none is selected.
    package func getPayload() throws(StateError) -> [UInt8] {
        do throws(MessageEncodeError) {
            return state.getMessage.opcode.encoded + (try state.getParameters(keys: keys))
        } catch {
            throw .needsInstance(state.name, fields: state.keys.map(\.name))
        }
    }

    /// The fields by which an answer about this instance is known.
    var instance: FieldValues { state.fixedKeys.merging(keys) }
}

/// Why a state cannot be read or set.
package enum StateError: Error, Hashable, Sendable {
    /// No state has the name; the second text is what is probably meant.
    case unknown(String, suggestion: String?)
    /// The field does not select an instance of the state; these do.
    case noInstance(String, field: String, known: [String])
    /// The state is one of several, which these fields tell apart.
    case needsInstance(String, fields: [String])
    /// A value does not go with the state; the second text says why.
    case value(String, String)
    /// None of the elements has the state; those that they have.
    case nobodyHas(String, others: [String])
    /// The elements have no state with a key.
    case nothingToRead
    /// The elements have states with a key, but none of those that are read without being named. These can be named.
    case nothingUnnamed(known: [String])
    case readOnly(String)
}

extension StateError {
    /// What is wrong, without a full stop.
    package var message: String {
        switch self {
        case .unknown(let name, suggestion: _): "there is no state `\(name)`"
        case .noInstance(let state, let field, known: _): "`\(field)` does not select an instance of \(state)"
        case .needsInstance(let state, fields: _): "there are several of \(state)"
        // A state of one field is called like its field.
        case .value(let state, let reason): reason.hasPrefix("\(state): ") ? reason : "\(state): \(reason)"
        case .nobodyHas(let state, others: _): "nothing that is meant has the state \(state)"
        case .nothingToRead: "nothing that is meant has a state with an application key"
        case .nothingUnnamed:
            "nothing that is meant has a state with an application key that is read without being named"
        case .readOnly(let state): "\(state) can only be read"
        }
    }

    package var advice: Advice? {
        switch self {
        case .unknown(_, let suggestion): suggestion.map { Advice("Did you mean `\($0)`?") }
        case .noInstance(_, _, let known):
            known.isEmpty ? "There is only one of it." : Advice("These do: \(known.joined(separator: ", ")).")
        case .needsInstance(let state, let fields):
            Advice("Say which: \(state) \(fields.map { "\($0)=…" }.joined(separator: " "))")
        case .nobodyHas(_, let others):
            others.isEmpty
                ? "Its models may be unknown; \(command: .showNetwork) lists them."
                : Advice("It has: \(others.joined(separator: ", ")).")
        case .nothingToRead: "Bind keys to its models in the definition, then: \(command: .apply)"
        case .nothingUnnamed(let known): Advice("Name what to read: \(known.joined(separator: ", ")).")
        case .value, .readOnly: nil
        }
    }
}
