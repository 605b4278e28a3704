import ArgumentParser
import DefinitionModel
import Definitions
import MeshCore
import SystemLayer

/// `meshplan fmt`
struct FormatCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "fmt",
        abstract: "Bring the files of a definition into one form.",
        discussion: """
            Changes only spaces, blank lines and quotes that no reader needs; comments, lines and their order stay. The \
            names of changed files are printed. With -, the text on standard input is printed in its form.
            """
    )

    @OptionGroup var definition: DefinitionOptions
    @Flag(help: "Write nothing; print the files that are not in form, and exit with 1 if there are any.")
    var check = false

    func run(in context: Context) throws -> ExitStatus {
        let files = try DefinitionFiles(context: context).readNamed(definition.paths)
        var diagnostics: [Diagnostic] = []
        var isInForm = true
        for (number, file) in files.files.enumerated() {
            let format = DefinitionFormat(file, number: UInt32(clamping: number))
            diagnostics += format.diagnostics
            guard format.diagnostics.isEmpty else { continue }
            let isStandardInput = file.path == DefinitionFiles.standardInputTitle
            if isStandardInput, !check {
                context.output.write(document: String(decoding: format.bytes, as: UTF8.self))
                continue
            }
            guard format.bytes != file.bytes else { continue }
            isInForm = false
            if !check { try replace(file.path, with: format.bytes, in: context) }
            context.output.line(file.path.printable)
        }
        // What can be formatted is formatted, whatever is wrong with other files.
        guard diagnostics.isEmpty else { throw InvalidDefinition(diagnostics: diagnostics, files: files) }
        return check && !isInForm ? .failure : .success
    }

    /// Writes a file anew with its permissions; a link to it stays one.
    private func replace(_ path: String, with bytes: [UInt8], in context: Context) throws {
        let absolute = context.absolute(path)
        guard let target = Files.resolved(absolute), let mode = Files.permissions(target), Files.kind(target) == .file
        else {
            throw Failure(
                .usage,
                "\(path.printable) is not a file that can be written",
                hint: "To format a text from elsewhere, write meshplan fmt - and give it on standard input."
            )
        }
        try Files.checkWritable(target)
        try AtomicFile.write(target, as: path, bytes, mode: UInt16(truncatingIfNeeded: mode))
    }
}
