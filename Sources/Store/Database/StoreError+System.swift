import MeshCore
import SystemLayer

extension StoreError {
    /// What trouble with a file means for a database.
    ///
    /// - Parameters:
    ///   - error: the trouble.
    ///   - subject: what the message calls the file where its path does not say it, such as `the key file`.
    ///   - path: the file concerned; that of the error unless said.
    init(_ error: FileError, subject: String? = nil, path: String? = nil) {
        self.init(
            StoreError.code(of: error),
            (subject.map { $0 + " " } ?? "") + error.clause,
            hint: StoreError.hint(for: error, path ?? error.path),
            path: path ?? error.path
        )
    }

    private static func code(of error: FileError) -> Code {
        switch error.cause {
        case .folder, .special, .outside, .tooLarge: .invalidDocument
        case .exposed: .insecurePermissions
        case .occupied, .idlePipe, .silence, .other: .inputOutput
        case .system:
            switch error.trouble {
            case .missing: .missing
            case .exists: .exists
            case .denied: .permissionDenied
            case .readOnly: .readOnly
            case .diskFull, .sizeLimit: .diskFull
            case .inputOutput, .circle, .other, nil: .inputOutput
            }
        }
    }

    private static func hint(for error: FileError, _ path: String) -> String? {
        switch error.trouble {
        case .missing: "check the path; create the folder first if it is new"
        case .denied: "check the owner and the permissions of the file and of its folder"
        case .readOnly: "put it on a file system that can be written to"
        case .diskFull: spaceHint(for: path)
        case .sizeLimit:
            "a limit on the size of files is in force (ulimit -f), or the file system allows no more; what was stored "
                + "before is unharmed"
        case .inputOutput: diskHint
        case .exists, .circle, .other, nil: nil
        }
    }

    /// The error for a file that could not be written because there is no space left for it.
    ///
    /// - Parameter what: what could not be done with the file.
    static func full(_ what: String, path: String) -> StoreError {
        StoreError(.diskFull, "\(what): the disk is full", hint: spaceHint(for: path), path: path)
    }

    /// How to make room for a file; it names the folder, which tells the disk.
    static func spaceHint(for path: String) -> String {
        "free some space on the disk that holds \(Files.folder(of: path)) and run the command again; what was stored before "
            + "is unharmed"
    }

    /// Advice for a disk that fails.
    static let diskHint =
        "check the disk, the file system and the kernel's messages, then run the command again; "
        + "what was stored before is unharmed"

    /// What is wrong in an imported document.
    init(_ error: JSONError) {
        let hint: Advice? =
            switch error.kind {
            case .tooLarge: nil
            case .database:
                "use a copy of a mesh database with \(command: .replaceDatabase) or \(command: .mergeDatabases)"
            case .utf16: "save or export it as UTF-8"
            case .empty: "the file is empty; export it again"
            case .cutOff: "the file may be cut off: copy or export it again"
            case .foreign: "a configuration database is JSON and begins with {; check the path"
            case .malformed: "correct the file there, or export it again"
            }
        self.init(.invalidDocument, error.message, hint: hint)
    }
}

/// Does something with files; trouble with them becomes trouble with the database.
///
/// - Parameters:
///   - subject: what the message calls the file where its path does not say it.
///   - path: the file concerned; that of the error unless said.
///   - body: what to do.
func storing<Value>(
    subject: String? = nil,
    path: String? = nil,
    _ body: () throws(FileError) -> Value
) throws(StoreError) -> Value {
    do throws(FileError) {
        return try body()
    } catch {
        throw StoreError(error, subject: subject, path: path)
    }
}
