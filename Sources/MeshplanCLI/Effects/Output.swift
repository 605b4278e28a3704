/// One of the standard streams. Writing never throws: a run must not end in the middle because nobody reads its output
/// any more.
///
/// The first error is remembered and stops further writing; ``Meshplan`` checks it at the end.
package final class Output {
    private let writer: (String) -> OutputError?
    /// The error that stopped writing; nil if there was none.
    package private(set) var error: OutputError?

    /// Takes a function that writes and returns an error, or nil.
    package init(_ writer: @escaping (String) -> OutputError?) {
        self.writer = writer
    }

    /// Breaks the lines of texts for a terminal; nil writes them as they are.
    var fitter: LineFitter?

    /// Writes the text, with its lines broken where ``fitter`` says so.
    ///
    /// Whatever is in it, such as a word of the command line, starts no escape sequences but the program's own.
    package func write(_ text: String) {
        let text = text.harmless
        write(document: fitter?.fitted(text) ?? text)
    }

    /// Writes a question whose answer ends its line.
    func question(_ text: String) {
        write(text)
        fitter?.takeAnswer()
    }

    /// Writes a text that programs read, too, as it is: a definition, a picture.
    func write(document text: String) {
        guard error == nil, !text.isEmpty else { return }
        error = writer(text)
    }

    /// Writes the text and a line break.
    package func line(_ text: String = "") {
        write(text + "\n")
    }
}

/// Why a standard stream cannot be written.
package enum OutputError: Error, Hashable, Sendable {
    /// Nobody reads any more (EPIPE). `meshplan plan | head` is no error.
    case closed
    /// Any other error, such as a full disk, in the system's words.
    case failed(String)
}
