package import MeshCore

/// A state of a model as a definition demands it.
package struct ModelStateSetting: Hashable, Sendable {
    /// The keys under `states:` as they are written: `properties`, `light-control-time-run-on`.
    package var keys: [String]
    /// The value in the words of the language.
    package var value: ModelStateValue
    /// The same in octets.
    package var state: ModelState

    /// Where it stands under `states:`, with dots: `properties.light-control-time-run-on`.
    package var path: String { keys.joined(separator: ".") }

    /// The value for people: `10min`.
    package var text: String { value.text }
}

/// A value of a state in the words of the language, in the one form in which it is written.
package indirect enum ModelStateValue: Hashable, Sendable {
    /// One value: `10min`.
    case word(String)
    /// Values in the order of the fields, or words of a set.
    case list([ModelStateValue])
    /// Values by the names of their fields, in the order of the fields.
    case fields([Field])

    /// A field with its value.
    package struct Field: Hashable, Sendable {
        package var name: String
        package var value: ModelStateValue

        package init(_ name: String, _ value: ModelStateValue) {
            self.name = name
            self.value = value
        }
    }

    /// The value for people: `10min`, `5%, 100%`, `lightness 80%, temperature 3000K`.
    package var text: String {
        switch self {
        case .word(let word): word
        case .list(let items): items.isEmpty ? "none" : items.map(\.text).joined(separator: ", ")
        case .fields(let fields): fields.map { "\($0.name) \($0.value.text)" }.joined(separator: ", ")
        }
    }
}
