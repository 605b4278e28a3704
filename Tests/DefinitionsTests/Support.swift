import DefinitionModel
import MeshCore

@testable import Definitions

/// Files named a.yaml, b.yaml … with those texts.
func sources(_ texts: [String]) -> SourceFiles {
    SourceFiles(
        files: texts.enumerated().map { index, text in
            SourceFiles.File(path: "\("abcdefgh".map(String.init)[index]).yaml", bytes: Array(text.utf8))
        }
    )
}

/// A diagnostic on one line: `a.yaml:3:5: error: message (hint) [also a.yaml:1:1: first here]`.
func compact(_ diagnostic: Diagnostic, _ files: SourceFiles) -> String {
    let place = { (location: SourceLocation) in
        "\(files.path(of: location)):\(location.line):\(location.column)"
    }
    var text = diagnostic.location.map { place($0) + ": " } ?? ""
    text += "\(diagnostic.severity): \(diagnostic.message)"
    if let hint = diagnostic.hint { text += " (\(hint))" }
    for related in diagnostic.related { text += " [\(place(related.location)): \(related.message)]" }
    return text
}

/// What is wrong with those files, one line each.
func diagnose(_ texts: String..., limits: ReadingLimits = ReadingLimits()) -> [String] {
    let files = sources(texts)
    return DefinitionReader.read(files: files, limits: limits).diagnostics.map { compact($0, files) }
}

/// What is wrong with octets that need not be text.
func diagnose(octets: [UInt8], limits: ReadingLimits = ReadingLimits()) -> [String] {
    let files = SourceFiles(files: [SourceFiles.File(path: "a.yaml", bytes: octets)])
    return DefinitionReader.read(files: files, limits: limits).diagnostics.map { compact($0, files) }
}

/// The definitions of files in which nothing is wrong; a test that expects that fails by comparing the diagnostics.
func definitions(_ texts: String...) -> (definitions: [Definition], problems: [String]) {
    let files = sources(texts)
    let (definitions, diagnostics) = DefinitionReader.read(files: files)
    return (definitions, diagnostics.map { compact($0, files) })
}

/// A definition's first two lines.
let head = "version: 1\nnetwork: hq\n"

/// A node's UUID by its number.
func uuid(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return "0d5c5a0e6f5b4f0ea1a50b1f" + String(repeating: "0", count: 8 - digits.utf8.count) + digits
}
