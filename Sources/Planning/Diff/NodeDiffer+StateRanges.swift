import Catalogue
import DefinitionModel
import MeshCore

/// Values outside of ranges. A node takes such a default and uses the nearest value within the range, so that the lamp
/// does not do what the definition says. What a scene should hold it cannot even be set to.
extension NodeDiffer {
    /// Warns of defaults that are outside of the range that the definition gives the same model, or else of the range
    /// that the node is known to have, and refuses such values of scenes. Which states belong together follows from
    /// their names and fields: `X-default`, or `X` of a scene, and `X-range`, `power` or `hue` and its minimum and
    /// maximum.
    mutating func checkRanges(of desired: DesiredNode, node: Node) {
        for model in desired.models where model.states.count > 0 || !model.scenes.isEmpty {
            for state in model.states where state.value.state.form.name.hasSuffix("-default") {
                check(state, inScene: nil, of: model, on: node, name: desired.name.value)
            }
            for stored in model.scenes {
                check(stored.state, inScene: stored.scene.name.value, of: model, on: node, name: desired.name.value)
            }
        }
    }

    private mutating func check(
        _ state: Declared<DesiredModelState>,
        inScene scene: String?,
        of model: DesiredModel,
        on node: Node,
        name: String
    ) {
        guard let (fields, values) = state.value.state.decoded else { return }
        let form = state.value.state.form.name
        let stem = scene == nil ? String(form.dropLast("default".count)) : form + "-"
        for field in fields {
            guard let value = values.integer(field.name), case .number = field.type.meaning(of: value), value != 0
            else { continue }
            let candidates = [
                ("\(stem)range", "\(field.name)_"), ("\(stem)range", ""), ("\(stem)\(field.name)-range", ""),
            ]
            for (range, prefix) in candidates {
                // A range without the name of a field is that of the only field.
                guard !prefix.isEmpty || range != "\(stem)range" || fields.count == 1,
                    let (limits, isDeclared) = self.limits(range, prefix, of: model, on: node),
                    limits.low <= limits.high, value < limits.low || value > limits.high
                else { continue }
                let text = "\(field.type.word(of: limits.low)) to \(field.type.word(of: limits.high))"
                let subject = "\(field.name) \(field.type.word(of: value))"
                diagnostics.report("range \(range) \(prefix) \(scene ?? "")", at: state.location) {
                    Diagnostic(
                        scene == nil ? .warning : .error,
                        (scene.map { "\(subject) of the scene `\($0)`" } ?? "the default \(subject)")
                            + " is outside of the range \(text), "
                            + "which \(isDeclared ? "the definition declares" : "node `\(name)` has")",
                        at: state.location,
                        resource: "node." + name,
                        hint: scene == nil
                            ? "The node will use the nearest value in its range; change one of the two"
                            : "The node cannot be set to it, so it cannot store it; change one of the two"
                    )
                }
            }
        }
    }

    /// A range of a model, declared or recorded.
    private func limits(
        _ name: String,
        _ prefix: String,
        of model: DesiredModel,
        on node: Node
    ) -> (limits: (low: Int64, high: Int64), isDeclared: Bool)? {
        func limits(_ values: FieldValues) -> (low: Int64, high: Int64)? {
            guard let low = values.integer(prefix + "minimum"), let high = values.integer(prefix + "maximum") else {
                return nil
            }
            return (low, high)
        }
        if let declared = model.states.first(where: { $0.value.state.form.name == name }) {
            return declared.value.state.decoded.flatMap { limits($0.values) }.map { ($0, true) }
        }
        guard let recorded = node.model(model.address)?.state(named: name),
            let values = try? StateCatalogue.state(named: name)?.statusMessage.decode(recorded.status)
        else { return nil }
        return limits(values).map { ($0, false) }
    }
}

extension ModelState {
    /// The fields of the state's value, and what the message that sets it carries; nil for states that the catalogue
    /// does not know.
    var decoded: (fields: [MessageDescription.Field], values: FieldValues)? {
        guard let description = StateCatalogue.state(named: form.name), let message = description.setMessage else {
            return nil
        }
        var reader = ByteReader(setPayload)
        guard let opcode = try? Opcode(decoding: &reader), opcode == message.opcode,
            let values = try? message.decode(Array(reader.readRest()))
        else { return nil }
        return (description.fields, values)
    }
}
