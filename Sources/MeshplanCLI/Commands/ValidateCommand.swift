import ArgumentParser
import DefinitionModel
import MeshCore
import Planning
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
        let (definitions, read, loaded) = try DefinitionFiles(context: context).load(definition.paths)
        var (found, files) = (read, loaded)
        let floors = FloorFiles(context: context, paths: definition.paths)
        for definition in definitions { found += floors.placement(of: definition, &files).1 }
        let unfulfilled = definitions.flatMap { DefinitionChecks.diagnostics(of: $0) }
        if (found + unfulfilled).contains(where: { $0.severity == .error }) {
            throw InvalidDefinition(diagnostics: found + unfulfilled, files: files)
        }
        let sources = MissingSources(context, paths: .ofDefinition(files))
        let diagnostics =
            found + unfulfilled + definitions.flatMap { sources.notes(of: $0) + UnnamedModels.notes(of: $0) }
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
