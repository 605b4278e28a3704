import DefinitionModel
import MeshCore

/// Finds values that only one thing may have, and reports each further one with the place of the first.
struct Uniqueness<Value: Hashable> {
    private var first: [Value: SourceLocation] = [:]

    init() {}

    /// Reports the value if it was seen before. `describe` says what is shared: "the address 0x0010".
    mutating func check(
        _ located: Located<Value>?,
        resource: @autoclosure () -> String,
        into diagnostics: inout DiagnosticCollector,
        _ describe: (Value) -> String
    ) {
        guard let located else { return }
        guard let place = first[located.value] else {
            first[located.value] = located.location
            return
        }
        diagnostics.report(
            "\(describe(located.value)) is given twice",
            at: located.location,
            resource: resource(),
            related: [Diagnostic.Related(message: "first here", location: place)]
        )
    }
}
