#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Why an operation on a file or folder failed. Callers that report it to a user add what to do about it.
package struct FileError: Error, Hashable, Sendable {
    /// The operation that failed.
    package enum Operation: Hashable, Sendable {
        /// To open it other than to read or write all of it.
        case open
        case read
        case list
        case write
        case create
        /// To read its kind, mode and size.
        case examine
        case lock
        case protect
        /// To make it durable on the disk.
        case synchronize
        case place
        case remove
        case name
    }

    /// What was wrong.
    package enum Cause: Hashable, Sendable {
        /// A system call failed with this `errno`.
        case system(Int32)
        case folder
        /// It is a pipe or a device instead of a regular file.
        case special
        /// Its path, or a link in it, leads out of the folders that it must lie in.
        case outside
        /// Something that is not a folder has the name of a folder to make.
        case occupied
        /// It has more octets than this limit.
        case tooLarge(limit: Int)
        /// It holds secrets, and others than its owner can use it: its permission bits.
        case exposed(mode: UInt16)
        /// It is a pipe without a writer.
        case idlePipe
        /// A pipe was silent for this long.
        case silence(Duration)
        /// Something else, a clause, and what to do about it, a sentence.
        case other(String, hint: String?)
    }

    /// The meaning of a failed system call's number, as far as it changes the advice to users.
    package enum Trouble: Hashable, Sendable {
        case missing
        /// A file or folder with this name already exists.
        case exists
        /// The system denies access.
        case denied
        case readOnly
        case diskFull
        /// A file may not grow that large.
        case sizeLimit
        /// Reading or writing failed.
        case inputOutput
        /// Links lead in a circle.
        case circle
        /// Anything else.
        case other
    }

    package var operation: Operation
    /// The path as the user knows it.
    package var path: String
    /// The path as the system knows it.
    package var location: String
    package var cause: Cause

    /// An error about a file or folder.
    ///
    /// - Parameter location: the path for the system; by default the same as `path`.
    package init(_ operation: Operation, _ path: String, at location: String? = nil, _ cause: Cause) {
        self.operation = operation
        self.path = path
        self.location = location ?? path
        self.cause = cause
    }

    /// The meaning of the failed system call; nil if none failed.
    package var trouble: Trouble? {
        guard case .system(let number) = cause else { return nil }
        return switch number {
        case ENOENT: .missing
        case EEXIST: .exists
        case EACCES, EPERM: .denied
        case EROFS: .readOnly
        case ENOSPC, EDQUOT: .diskFull
        case EFBIG: .sizeLimit
        case EIO: .inputOutput
        case ELOOP: .circle
        default: .other
        }
    }

    package var isMissing: Bool { trouble == .missing }

    /// What was wrong: a clause, in the system's words if a system call failed.
    package var reason: String {
        switch cause {
        case .system(let number): FileError.text(ofError: number)
        case .folder: "it is a folder"
        case .special: "it is no regular file but a pipe or a device"
        case .outside: "a link leads out of its folder or repository"
        case .occupied: "there is something else of that name"
        case .tooLarge(let limit): "it is larger than \(FileError.text(ofSize: limit))"
        case .exposed(let mode):
            "it contains secrets, and other users can access it (mode 0\(String(mode, radix: 8)))"
        case .idlePipe: "it is a pipe that nobody writes to"
        case .silence(let patience): "nothing has come out of it for \(patience.components.seconds) s"
        case .other(let reason, _): reason
        }
    }

    /// The message for people, without a full stop.
    package var message: String { "cannot \(verb) \(path): \(reason)" }

    /// What was wrong: a clause to follow the name of the file, such as `cannot be opened: access is denied`.
    package var clause: String {
        switch cause {
        case .folder: return "is a folder"
        case .special: return "is no regular file but a pipe or a device"
        case .outside: return "leads out of its folder or repository"
        case .occupied: return "is something else than a folder"
        case .tooLarge(let limit): return "is larger than \(FileError.text(ofSize: limit))"
        case .exposed(let mode): return "is accessible to users other than its owner (mode 0\(String(mode, radix: 8)))"
        case .idlePipe: return "is a pipe that nobody writes to"
        case .silence(let patience): return "has been silent for \(patience.components.seconds) s"
        case .other(let reason, _): return reason
        case .system(let number):
            let what = "cannot be \(participle)"
            return switch trouble {
            case .missing: "\(what): there is no such file or folder"
            case .exists: "\(what): it exists already"
            case .denied: "\(what): access is denied"
            case .readOnly: "\(what): the file system is read-only"
            case .diskFull: "\(what): the disk is full"
            case .sizeLimit: "\(what): the file must not grow so large"
            case .inputOutput: "\(what): reading or writing failed"
            case .circle, .other, nil: "\(what): \(FileError.text(ofError: number))"
            }
        }
    }

    private var participle: String {
        switch operation {
        case .open: "opened"
        case .read, .list: "read"
        case .write: "written"
        case .create: "created"
        case .examine: "examined"
        case .lock: "locked"
        case .protect: "protected"
        case .synchronize: "written to the disk"
        case .place: "put in place"
        case .remove: "removed"
        case .name: "named"
        }
    }

    private static func text(ofSize limit: Int) -> String {
        if limit >= 1 << 20 { return "\(limit >> 20) MiB" }
        return limit > 0 && limit % 1024 == 0 ? "\(limit >> 10) KiB" : "\(limit) octets"
    }

    private var verb: String {
        switch operation {
        case .open: "open"
        case .read, .list: "read"
        case .write, .synchronize: "write"
        case .create, .place: "create"
        case .examine: "examine"
        case .lock: "lock"
        case .protect: "protect"
        case .remove: "remove"
        case .name: "name"
        }
    }

    /// The system's text for an error number.
    package static func text(ofError number: Int32) -> String {
        strerror(number).map { String(cString: $0) } ?? "system error \(number)"
    }
}
