package import Catalogue

/// What a status says of a state.
package enum StateReading: Hashable, Sendable {
    /// The present value; where a transition runs, also the value that it ends with and the raw time that is left.
    case value(FieldValues, target: FieldValues?, remaining: Int64?)
    /// The status has no value of this state: a property that the node does not know, for example.
    case noValue
    /// The octets are no status that the catalogue knows.
    case unreadable([UInt8])

    package init(_ parameters: [UInt8], of state: StateDescription) {
        guard let values = try? state.statusMessage.decode(parameters) else {
            self = .unreadable(parameters)
            return
        }
        guard let value = state.value(in: values) else {
            self = .noValue
            return
        }
        self = .value(value, target: state.target(in: values), remaining: values.integer("remaining"))
    }

    /// Whether the node has these values, or a transition ends with them. Fields that the status leaves out count as
    /// they are.
    ///
    /// - Parameter agree: whether a field with the first value is what the second one asks for.
    package func agrees(
        with wanted: FieldValues,
        by agree: (_ field: String, _ found: FieldValue, _ wanted: FieldValue) -> Bool = { $1 == $2 }
    ) -> Bool {
        guard case .value(let value, let target, remaining: _) = self else { return false }
        let found = target ?? value
        return wanted.items.allSatisfy { item in
            // A transition may tell only what changes, as that of a scene does.
            (found[item.name] ?? value[item.name]).map { agree(item.name, $0, item.value) } ?? true
        }
    }
}
