import ArgumentParser
import DefinitionModel
import LanguageServer
import MeshCore
import Store
import SystemLayer

/// `meshplan validate`
struct ValidateCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Check a definition by itself, without database and mesh."
    )

    @OptionGroup var definition: DefinitionOptions
    @Flag(help: "Treat warnings as errors: exit with 65 if there are any.")
    var strict = false

    @OptionGroup var variables: VariableOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func run(in context: Context) throws -> ExitStatus {
        do {
            return try check(in: context)
        } catch let error as InvalidDefinition {
            guard let lines = context.json else { throw error }
            lines.write(error.diagnostics, files: error.files)
            lines.write([
                "type": "summary", "valid": false,
                "errors": .integer(error.diagnostics.count { $0.severity == .error }),
                "warnings": .integer(error.diagnostics.count { $0.severity == .warning }),
            ])
            return error.status
        }
    }

    private func check(in context: Context) throws -> ExitStatus {
        let context = try variables.applied(to: context)
        let examination = try DefinitionExamination(of: definition.paths, in: context)
        let (definitions, diagnostics, files) =
            (examination.definitions, examination.diagnostics, examination.files)
        guard examination.isValid else { throw InvalidDefinition(diagnostics: diagnostics, files: files) }
        let warnings = diagnostics.count { $0.severity == .warning }
        let isValid = !strict || warnings == 0
        if let lines = context.json {
            lines.write(diagnostics, files: files)
            for definition in definitions {
                lines.write([
                    "type": "network",
                    "network": definition.network.value.json,
                    "subnets": .integer(definition.subnets.count),
                    "application_keys": .integer(definition.applicationKeys.count),
                    "groups": .integer(definition.groups.count),
                    "profiles": .integer(definition.profiles.count),
                    "nodes": .integer(definition.nodes.count),
                ])
            }
            lines.write([
                "type": "summary", "valid": .bool(isValid), "errors": 0, "warnings": .integer(warnings),
            ])
            return isValid ? .success : .invalidInput
        }
        context.errorOutput.write(DiagnosticView(files: files, style: context.errorStyle).render(diagnostics))
        guard isValid else {
            throw Failure(
                .invalidInput,
                warnings == 1
                    ? "--strict treats the warning as an error" : "--strict treats the \(warnings) warnings as errors",
                hint: "Fix the warnings, or omit --strict."
            )
        }
        for definition in definitions {
            let parts = [
                count(definition.nodes.count, "node"), count(definition.groups.count, "group"),
                count(definition.subnets.count, "subnet"),
                count(definition.applicationKeys.count, "application key"),
            ]
            let name = context.style(.bold, definition.network.value.printable)
            context.output.line(
                "\(context.style(.good, "Valid:")) network \(name) with \(parts.joined(separator: ", "))"
            )
        }
        return .success
    }
}
