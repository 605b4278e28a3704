import DefinitionModel
import MeshCore

extension DiagnosticCollector {
    /// Reports a problem with a value at its place. A diagnostic that is only counted costs no computation.
    mutating func report(
        _ message: @autoclosure () -> String,
        at location: SourceLocation,
        length: Int = 1,
        severity: Diagnostic.Severity = .error,
        resource: @autoclosure () -> String? = nil,
        hint: @autoclosure () -> String? = nil,
        related: @autoclosure () -> [Diagnostic.Related] = []
    ) {
        report(severity) {
            Diagnostic(
                severity,
                message(),
                at: location,
                length: max(1, length),
                resource: resource(),
                hint: hint(),
                related: related()
            )
        }
    }

    mutating func checkReference(
        _ name: Located<String>,
        to section: Keyword,
        _ title: String,
        in network: CheckedNetwork,
        resource: @autoclosure () -> String? = nil
    ) {
        if network.declares(name.value, in: section) { return }
        report(
            "there is no \(title) \(quoted(name.value))",
            at: name.location,
            length: name.value.utf8.count,
            resource: resource(),
            hint: network.names(in: section).isEmpty
                ? "declare it under `\(section.rawValue):`"
                : Suggestion.hint(for: name.value, among: network.names(in: section).keys, are: "declared")
        )
    }
}
