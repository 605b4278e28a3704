import Execution
import MeshCore
import Planning
import Store
import SystemLayer
import TLS

// The one place where errors and outcomes of all modules get their exit status.

extension ExitStatus {
    /// The exit status after a run.
    init(_ recap: Recap) {
        switch recap.ending {
        case .completed: self = recap.isComplete ? .success : .partial
        case .interrupted: self = .interrupted
        case .refused(.foreign), .refused(.stale), .refused(.alreadyApplied): self = .stale
        case .refused(.guarded), .refused(.sequenceNumbers): self = .refused
        case .refused(.damaged): self = .invalidInput
        case .refused(.noOwnNode): self = .failure
        case .storeFailed, .linkFailed, .sendingFailed: self = recap.applied > 0 ? .partial : .failure
        }
    }

    /// The exit status for an error of the database, the key file or an import.
    fileprivate init(_ code: StoreError.Code) {
        switch code {
        case .locked: self = .locked
        case .stale, .promoted: self = .stale
        case .invalidDocument: self = .invalidInput
        case .keySlot: self = .refused
        case .missing, .exists, .notADatabase, .wrongKey, .invalidKeyFile, .invalidPassphrase, .insecurePermissions,
            .damaged, .newerFormat, .readOnly, .permissionDenied, .diskFull, .inputOutput, .unreachable, .notLocked,
            .unknownRun, .unknownSerial, .noFreeAddresses, .cryptography:
            self = .failure
        }
    }
}

extension Failure {
    /// The message and exit status for any error.
    init(explaining error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as FileError:
            self.init(.failure, Self.short(error.message), hint: error.hint.map { Self.short($0) })
        case let error as TLSError: self.init(.failure, error.message, hint: error.hint?.worded)
        case let error as BearerError:
            self.init(error.isInterruption ? .interrupted : .failure, error.message, hint: error.hint?.worded)
        case let error as StoreError:
            let path = error.path.map { Self.short($0) + ": " } ?? ""
            self.init(ExitStatus(error.code), path + error.message, hint: error.hint?.worded)
        default: self.init(.failure, "\(error)")
        }
    }

    /// The failure of a run that did not finish by itself; nil if it did, or if it was interrupted.
    init?(ending: Recap.Ending) {
        switch ending {
        case .completed, .interrupted: return nil
        case .refused(.foreign): self.init(.stale, "the plan was made with another database", hint: Self.planAgain)
        case .refused(.stale(let planned, let present)):
            self.init(
                .stale,
                "the database has changed since the plan was made: its serial was \(planned) and is \(present)",
                hint: Self.planAgain
            )
        case .refused(.alreadyApplied): self.init(.stale, "the plan was applied before", hint: Self.planAgain)
        case .refused(.guarded(let guards)):
            let names = guards.map(\.rawValue).joined(separator: ", ")
            self.init(.refused, "the plan is refused by \(names)", hint: Self.planAgain)
        case .refused(.damaged(let step)):
            self.init(.invalidInput, "the plan contradicts itself at step \(step)", hint: Self.planAgain)
        case .refused(.noOwnNode):
            self.init(
                .failure,
                "the database has no node of our own to send from",
                hint: "Import the network again."
            )
        case .refused(.sequenceNumbers(let source, let needed, let left)):
            self.init(
                .refused,
                "the plan needs at least \(needed) sequence numbers of \(source), but only \(left) are left",
                hint: SequenceHealth.renewal + " See: meshplan network iv show"
            )
        case .storeFailed(let reason):
            self.init(.failure, Self.short(reason), hint: "Nothing was sent after that.")
        case .linkFailed(let reason, let hint):
            self.init(.failure, "there is no proxy link: \(reason)", hint: hint?.worded)
        case .sendingFailed(let reason):
            self.init(
                .failure,
                "nothing can be sent any more: \(Self.short(reason))",
                hint: "See: meshplan network iv show"
            )
        }
    }

    private static let planAgain = "Make a new plan with: meshplan plan"

    /// Shortens a path below `.meshplan` within a text to the form that the user knows. Addresses of shared databases
    /// stay.
    private static func short(_ text: String) -> String {
        guard let range = text.firstRange(of: "/.meshplan") else { return text }
        let before = text[..<range.lowerBound]
        // The path is at the beginning of the text, or follows a space.
        let start = before.ranges(of: " /").last?.lowerBound
        guard text.hasPrefix("/") || start != nil else { return text }
        return String(start.map { text[...$0] } ?? "") + String(text[text.index(after: range.lowerBound)...])
    }
}
