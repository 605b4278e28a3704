import ArgumentParser
import DefinitionModel
import Definitions
import MeshCore

/// `meshplan render`
struct RenderCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "render",
        abstract: "Print a definition with its modules and repetitions written out.",
        discussion: """
            Every part that comes from a module or a repetition has a comment that says from where. The output is a \
            definition itself: with the paths in it, it belongs into the working folder.
            """
    )

    @OptionGroup var definition: DefinitionOptions

    @OptionGroup var variables: VariableOptions

    func run(in context: Context) throws -> ExitStatus {
        let context = try variables.applied(to: context)
        let reading = try DefinitionFiles(context: context).reading(definition.paths)
        let view = DiagnosticView(files: reading.files, style: context.errorStyle)
        context.errorOutput.write(view.render(reading.diagnostics))
        let definitions = reading.definitions.map { $0.resolvingAllFiles(in: reading.files) }
        context.output.write(document: DefinitionWriter.text(of: definitions, withOriginsIn: reading))
        return .success
    }
}
