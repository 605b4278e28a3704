/// A value that a node had before a run changed it for a moment, and that it is to have again.
///
/// It is recorded before the change is sent, so that a later run can restore it if this one ends too early.
package struct HeldState: Hashable, Sendable {
    /// The element, and the model that reports the state.
    package let model: ModelAddress
    package let form: ModelStateForm
    /// The parameters of the status that reported the value; empty before the node was asked.
    package var status: [UInt8]

    package init(model: ModelAddress, form: ModelStateForm, status: [UInt8] = []) {
        self.model = model
        self.form = form
        self.status = status
    }

    package func isAboutSame(as other: HeldState) -> Bool { model == other.model && form.name == other.form.name }
}

extension Node {
    /// The value of a state that is to be restored; nil if none is.
    package func held(like state: HeldState) -> HeldState? { held.first { $0.isAboutSame(as: state) } }

    /// Records a value that is to be restored. The first one counts: later ones may be those of a change.
    package mutating func hold(_ state: HeldState) {
        if held(like: state) == nil { held.append(state) }
    }

    /// Records that a value was restored.
    package mutating func release(_ state: HeldState) {
        held.removeAll { $0.isAboutSame(as: state) }
    }
}
