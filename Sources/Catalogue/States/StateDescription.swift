package import MeshCore

/// A state of a model: by which messages it is read and set, and what its value is.
package struct StateDescription: Hashable, Sendable {
    /// The name in commands and files: `lightness`.
    package let name: String
    package let getMessage: MessageDescription
    /// The message that sets it and is acknowledged; nil for a state that cannot be set.
    package let setMessage: MessageDescription?
    /// The same without an acknowledgement; nil if there is none.
    package let unacknowledgedSetMessage: MessageDescription?
    package let statusMessage: MessageDescription
    /// Whether a node keeps it until somebody changes it, so that a definition can declare it.
    package let isLasting: Bool
    /// Whether a scene holds it (Mesh Model 5.1.3).
    package let isInScenes: Bool
    /// The fields of a set that removes the entry; empty if the state is no entry of a list.
    package let removal: FieldValues
    /// What selects the instance among several, as a message that reads has to say: the property, the index of a
    /// schedule. Those of ``fixedKeys`` are not among them.
    package let keys: [MessageDescription.Field]
    /// The keys that the state itself stands for: the property of a state of the Light LC model.
    package let fixedKeys: FieldValues
    package let fields: [MessageDescription.Field]
    /// What stands for fields that people leave out: no distance from the black body line for a colour temperature.
    package let defaults: FieldValues

    /// The server that reads and reports it.
    package var server: ModelIdentifier? { getMessage.servers.first }
    /// The server that sets it, often a setup server; nil for a state that cannot be set.
    package var setServer: ModelIdentifier? { setMessage?.servers.first }
    /// Whether a set carries a transaction identifier.
    package var hasTransaction: Bool { setMessage?.field(named: "tid") != nil }
    /// Whether a set may carry a transition time. Without it the server takes its default transition time.
    package var hasTransition: Bool { hasTransaction && setMessage?.field(named: "transition") != nil }
    /// Whether a set with a transition time carries a delay before it.
    package var hasDelay: Bool { hasTransaction && setMessage?.field(named: "delay") != nil }

    /// The parameters of the message that reads the state.
    ///
    /// - Parameter keys: What selects the instance; see ``keys``.
    /// - Throws: ``MessageEncodeError`` if a key is missing or out of range.
    package func getParameters(keys: FieldValues = [:]) throws(MessageEncodeError) -> [UInt8] {
        try getMessage.encode(fixedKeys.merging(keys))
    }

    /// The parameters of the message that sets the state, acknowledged or not.
    ///
    /// - Parameters:
    ///   - value: The fields of the value, with what selects the instance.
    ///   - transaction: The transaction identifier, where ``hasTransaction``.
    ///   - transition: The raw transition time, where ``hasTransition``; nil for the server's default.
    ///   - delay: The raw delay before the transition.
    /// - Throws: ``MessageEncodeError`` if the state cannot be set, or a field is missing or out of range.
    package func setParameters(
        _ value: FieldValues,
        transaction: UInt8 = 0,
        transition: Int64? = nil,
        delay: Int64 = 0
    ) throws(MessageEncodeError) -> [UInt8] {
        guard let setMessage else { throw .noForm }
        var values = fixedKeys.merging(value)
        if hasTransaction { values["tid"] = .integer(Int64(transaction)) }
        if let transition {
            guard hasTransition else { throw .unknownField("transition", known: setMessage.fields.map(\.name)) }
            values["transition"] = .integer(transition)
            values["delay"] = .integer(delay)
        }
        return try setMessage.encode(values)
    }

    /// The present value in a status; nil if the status is of another instance or has none, such as that of a property
    /// that the node does not know.
    package func value(in status: FieldValues) -> FieldValues? {
        guard fixedKeys.items.allSatisfy({ status[$0.name] == $0.value }) else { return nil }
        return picked(from: status) { $0 }
    }

    /// The value that a running transition ends with; nil if the status has none.
    package func target(in status: FieldValues) -> FieldValues? {
        picked(from: status) { "target_\($0)" }
    }

    private func picked(from status: FieldValues, _ rename: (String) -> String) -> FieldValues? {
        var value = FieldValues()
        for field in fields {
            if let found = status[rename(field.name)] { value[field.name] = found }
        }
        return value.items.isEmpty ? nil : value
    }
}

extension FieldValues {
    /// These fields, and those of `other`, which count where both have one.
    package func merging(_ other: FieldValues) -> FieldValues {
        var merged = self
        for item in other.items { merged[item.name] = item.value }
        return merged
    }
}
