/// A state of a model as the node last reported it.
package struct KnownModelState: Hashable, Sendable {
    package let form: ModelStateForm
    package var status: [UInt8]
    /// A 1 for each bit of the status that a definition has asked for; the other bits may change by themselves.
    package var mask: [UInt8]

    package init(form: ModelStateForm, status: [UInt8], mask: [UInt8]) {
        self.form = form
        self.status = status
        self.mask = mask
    }

    /// Whether another report of the same state says the same, as far as a definition has asked for it.
    package func agrees(with other: KnownModelState) -> Bool {
        MaskedOctets(status, mask: mask).match(other.status)
    }
}

extension Node {
    /// Records that nothing is known of a state of a model.
    package mutating func forgetModelState(_ name: String, of address: ModelAddress) {
        guard let place = place(of: address) else { return }
        elements[place.element].models[place.model].forgetState(named: name)
    }
}

extension Model {
    /// What is known of a state; nil if nothing.
    package func state(named name: String) -> KnownModelState? { states.first { $0.form.name == name } }

    /// Records a report of a state. A state has one record, even if the description of a vendor model has changed.
    package mutating func record(_ state: KnownModelState) {
        states.removeAll { $0.form.name == state.form.name }
        states.insert(state, at: states.firstIndex { $0.form > state.form } ?? states.endIndex)
    }

    /// Records that nothing is known of a state.
    package mutating func forgetState(named name: String) {
        states.removeAll { $0.form.name == name }
    }
}
