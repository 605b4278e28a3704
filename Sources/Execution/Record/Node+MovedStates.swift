import MeshCore

extension ModelStateForm {
    /// Whether the model moves the state itself: a light leaves its controller as soon as somebody sets the light (Mesh
    /// Model 6.2.3.1), and a clock takes another zone and other leap seconds at times that it was told before (5.1.1).
    fileprivate var isMovedByModel: Bool {
        switch server {
        case .sig(0x130F): name == "lc-mode"
        case .sig(0x1200): name == "time-zone" || name == "tai-utc-delta"
        default: false
        }
    }
}

extension Node {
    /// Takes over the states that their models have moved, from a later record of the node.
    ///
    /// - Returns: those that differ.
    mutating func takeMovedStates(from later: Node) -> [NodeResource] {
        var moved: [NodeResource] = []
        for element in elements.indices where later.elements.indices.contains(element) {
            for model in elements[element].models.indices where !elements[element].models[model].states.isEmpty {
                let identifier = elements[element].models[model].identifier
                let address = ModelAddress(element: UInt8(clamping: element), model: identifier)
                guard let match = later.model(at: address) else { continue }
                for state in elements[element].models[model].states where state.form.isMovedByModel {
                    guard let present = match.state(named: state.form.name), !state.agrees(with: present) else {
                        continue
                    }
                    elements[element].models[model].record(present)
                    moved.append(.modelState(address, state.form.name))
                }
            }
        }
        return moved.sorted()
    }
}
