/// The exit code of the process. Scripts depend on the numbers, so their meaning never changes.
package enum ExitStatus: Int32, Sendable {
    /// Done, or nothing to do.
    case success = 0
    /// An error; nothing was applied.
    case failure = 1
    /// `plan --detailed-exitcode`: there are changes.
    case changes = 2
    /// Only drift was found.
    case drift = 3
    /// Applied in part: nodes are pending or have failed, or some values could not be read.
    case partial = 4
    /// A guard, or another safety rule, has refused the command.
    case refused = 5
    /// Somebody else holds the lock of the database.
    case locked = 6
    /// The database has changed since the plan was made, or it is older than the lock file says.
    case stale = 7
    /// The user did not approve, or could not be asked.
    case notApproved = 8
    /// `import --lint`: the file deviates from its format, in ways that can be repaired.
    case repaired = 9
    /// The command line is wrong.
    case usage = 64
    /// The definition, or another input file, is not valid.
    case invalidInput = 65
    /// Stopped by Ctrl-C (SIGINT) or an unknown signal, after the recap.
    case interrupted = 130
    /// Stopped by SIGHUP, after the recap: the terminal or the connection to it is gone.
    case hungUp = 129
    /// Stopped by SIGTERM, which the system sends to end processes, after the recap.
    case terminated = 143

    /// The status of a command that a signal has stopped: 128 plus the signal's number, as in shells. Any other status
    /// stays.
    ///
    /// - Parameter signal: the first signal; nil if it is not known.
    func ended(by signal: Int32?) -> ExitStatus {
        guard self == .interrupted, let signal else { return self }
        return ExitStatus(rawValue: 128 + signal) ?? self
    }
}
