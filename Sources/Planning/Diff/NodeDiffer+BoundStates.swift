import Catalogue
import DefinitionModel
import MeshCore

/// States that share a value. The defaults of colour models have the lightness of the lamp in them, which is that of
/// its Lightness Server (Mesh Model 6.1.3): whoever sets one sets all.
extension NodeDiffer {
    private static let sharing = ["lightness-default", "ctl-default", "hsl-default", "xyl-default"]

    /// Warns of two different values for the default lightness of an element: one of them can never hold, so no plan
    /// would ever be empty.
    mutating func checkBoundStates(of desired: DesiredNode) {
        var first: [UInt8: (name: String, lightness: Int64, location: SourceLocation)] = [:]
        for model in desired.models {
            for state in model.states where Self.sharing.contains(state.value.state.form.name) {
                guard let (fields, values) = state.value.state.decoded, let lightness = values.integer("lightness")
                else { continue }
                let element = model.address.element
                let form = state.value.state.form.name
                guard let other = first[element] else {
                    first[element] = (form, lightness, state.location)
                    continue
                }
                guard other.lightness != lightness else { continue }
                let type = fields.first { $0.name == "lightness" }?.type
                let (one, two) = (type?.word(of: other.lightness) ?? "", type?.word(of: lightness) ?? "")
                let name = desired.name.value
                diagnostics.report("bound \(other.name) \(form)", at: state.location) {
                    Diagnostic(
                        .warning,
                        "the lightness of \(form) is \(two), but that of \(other.name) is \(one), and both are one",
                        at: state.location,
                        resource: "node." + name,
                        hint:
                            "Whichever is set last counts, and the next plan sets the other one again; write the same "
                            + "lightness in both",
                        related: [Diagnostic.Related(message: "\(other.name) is here", location: other.location)]
                    )
                }
            }
        }
    }
}
