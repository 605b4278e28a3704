/// One of the standard streams. Writing never throws: a run must not end in the middle because its reader is gone.
///
/// The first error is remembered and ends the writing; ``Meshplan`` looks at it at the end.
package final class Output {
    private let writer: (String) -> OutputError?
    /// Why nothing is written any more, nil as long as all is well.
    package private(set) var error: OutputError?

    /// A stream that writes with `writer`, which returns an error or nil.
    package init(_ writer: @escaping (String) -> OutputError?) {
        self.writer = writer
    }

    /// Writes the text as it is.
    package func write(_ text: String) {
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
    /// Nobody reads any more (EPIPE): `meshplan plan | head` is no error.
    case closed
    /// Something else, such as a full disk, in the system's words.
    case failed(String)
}
