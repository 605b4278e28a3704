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
        try checkAreDefinitions(files)
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
            if check { context.errorOutput.line(Self.difference(file.bytes, format.bytes)) }
        }
        // What can be formatted is formatted, whatever is wrong with other files.
        guard diagnostics.isEmpty else { throw InvalidDefinition(diagnostics: diagnostics, files: files) }
        return check && !isInForm ? .failure : .success
    }

    /// JSON is YAML too; in the form of a definition nobody else could read it any more.
    private func checkAreDefinitions(_ files: SourceFiles) throws(Failure) {
        let paths = files.files.map(\.path).filter { $0 != DefinitionFiles.standardInputTitle }
        guard let other = paths.first(where: { !$0.hasSuffix(".yaml") && !$0.hasSuffix(".yml") }) else { return }
        throw Failure(
            .usage,
            "\(other.printable) is not named as a file of a definition",
            hint: "Only files whose names end in .yaml or .yml are formatted; a text from elsewhere on standard input."
        )
    }

    /// What is not in form, so that nobody looks in vain for what no editor shows.
    private static func difference(_ old: [UInt8], _ new: [UInt8]) -> String {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        var reasons: [String] = []
        var plain = old[...]
        if plain.starts(with: byteOrderMark) {
            reasons.append("it begins with a byte order mark")
            plain = plain.dropFirst(byteOrderMark.count)
        }
        if plain.contains(carriageReturn) { reasons.append("its lines end with CR and LF, not with LF alone") }
        func lines(_ text: some Collection<UInt8>) -> [[UInt8]] {
            text.filter { $0 != carriageReturn }.split(separator: lineFeed, omittingEmptySubsequences: false)
                .map(Array.init)
        }
        let (before, after) = (lines(plain), lines(new))
        if let index = zip(before, after).enumerated().first(where: { $0.element.0 != $0.element.1 })?.offset {
            reasons.append("line \(index + 1) is the first with other spaces or quotes")
        } else if before.count != after.count {
            reasons.append("it does not end with one line break")
        }
        return "  \(reasons.joined(separator: "; "))"
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
