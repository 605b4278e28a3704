package import DefinitionModel
package import MeshCore

/// What a server needs from outside to check definitions. It reads no file itself.
package struct DefinitionWorkshop {
    /// The name of the program, which clients show beside diagnostics.
    package var name: String
    /// Checks the definition that stands in a folder, with the texts of open files in place of those on disk: absolute
    /// paths and octets. Nil if no definition stands there.
    package var examine: (_ folder: String, _ openFiles: [String: [UInt8]]) -> DefinitionExamination?
    /// Checks a file that is no part of a definition, with the texts of open files in place of those on disk: its
    /// problems, with locations in file 0.
    package var examineFile: (_ kind: FileKind, _ path: String, _ openFiles: [String: [UInt8]]) -> [Diagnostic]
    package var word: (Advice) -> String
    /// Words a text for a client that takes Markdown: what stands between backticks is code, and nothing else is
    /// markup, since the text may be a stranger's.
    package var markdown: (String) -> String

    package init(
        name: String,
        examine: @escaping (_ folder: String, _ openFiles: [String: [UInt8]]) -> DefinitionExamination?,
        examineFile: @escaping (_ kind: FileKind, _ path: String, _ openFiles: [String: [UInt8]]) -> [Diagnostic],
        word: @escaping (Advice) -> String,
        markdown: @escaping (String) -> String
    ) {
        self.name = name
        self.examine = examine
        self.examineFile = examineFile
        self.word = word
        self.markdown = markdown
    }
}

/// What checking the definition in a folder has given.
package struct DefinitionExamination {
    /// The definitions of all networks. If a diagnostic is an error, they lack what could not be read.
    package var definitions: [Definition]
    /// All problems, in any order.
    package var diagnostics: [Diagnostic]
    /// The files of the definition with absolute paths, and the instances that locations lie in.
    package var files: SourceFiles

    package init(definitions: [Definition], diagnostics: [Diagnostic], files: SourceFiles) {
        self.definitions = definitions
        self.diagnostics = diagnostics
        self.files = files
    }
}
