import Catalogue
import DefinitionModel
import Execution
import MeshCore

/// A value that a state must have, and what a status says of it.
struct ExpectedValue {
    let state: StateDescription
    /// What selects the instance of the state.
    let keys: FieldValues
    private let fields: FieldValues
    private let text: String
    /// Whether attention must be drawn, however long; nil for values of fields.
    private let drawsAttention: Bool?

    /// Nil if there is no such state, or if the words are no value of it.
    init?(_ expected: ExpectedState, _ models: KnownModels) {
        guard let state = models.state(named: expected.name) else { return nil }
        drawsAttention = expected.drawsAttention
        if drawsAttention != nil {
            (keys, fields) = ([:], [:])
        } else if let (keys, fields) = try? state.expectation(reading: expected.words) {
            (self.keys, self.fields) = (keys, fields)
        } else {
            return nil
        }
        self.state = state
        text = expected.text
    }

    /// Whether a status says that the state is what it must be; nil for no status.
    func isTrue(_ status: FieldValues?) -> Bool {
        guard let found = status.flatMap(state.value(in:)) else { return false }
        if let drawsAttention { return (found.integer("attention") ?? 0 > 0) == drawsAttention }
        return fields.items.allSatisfy { item in
            guard let value = found[item.name] else { return false }
            if state.agrees(item.name, value, with: item.value) { return true }
            // People write rounded values.
            guard let type = state.statusMessage.field(named: item.name)?.type else { return false }
            return type.text(ofValue: value) == type.text(ofValue: item.value)
        }
    }

    /// What is wrong, as a clause.
    func problem(_ status: FieldValues?, after time: Duration) -> String {
        let found = status.flatMap(state.summary(of:)) ?? "not known"
        return "\(state.name) is \(found) after \(time.words), not \(text)" + (status.flatMap(future) ?? "")
    }

    /// Where a transition leads, and how long it still takes; nil if none runs.
    private func future(_ status: FieldValues) -> String? {
        guard let target = state.target(in: status), let remaining = status.integer("remaining"),
            let type = state.statusMessage.field(named: "remaining")?.type
        else { return nil }
        let texts = target.items.compactMap { item in
            state.statusMessage.field(named: item.name)?.type.text(ofValue: item.value)
        }
        return "; it goes on to \(texts.joined(separator: ", ")) for another \(type.text(ofValue: .integer(remaining)))"
    }
}

extension StateDescription {
    /// What a status says of the state, for people; nil if it says nothing of it.
    func summary(of status: FieldValues) -> String? {
        texts(in: status).map { texts in
            texts.count == 1 ? texts[0].text : texts.map { "\($0.name) \($0.text)" }.joined(separator: ", ")
        }
    }
}
