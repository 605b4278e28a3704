/// What the process ends with. Scripts depend on the numbers: they never change their meaning.
package enum ExitStatus: Int32, Sendable {
    /// Done, or nothing to do.
    case success = 0
    /// An error; nothing was applied.
    case failure = 1
    /// `plan --detailed-exitcode`: there are changes.
    case changes = 2
    /// Only drift was found.
    case drift = 3
    /// Applied in part: nodes are pending or have failed, or something of them could not be read.
    case partial = 4
    /// A guard has refused the plan.
    case refused = 5
    /// Somebody else holds the lock of the database.
    case locked = 6
    /// The database has moved on since the plan was made, or is older than the lock file knows it.
    case stale = 7
    /// The user did not approve, or could not be asked.
    case notApproved = 8
    /// `import --lint`: the file departs from its format, in ways that are understood.
    case repaired = 9
    /// The command line is wrong.
    case usage = 64
    /// The definition, or another input file, is not valid.
    case invalidInput = 65
    /// Stopped by a signal, after the recap: by Ctrl-C (SIGINT), or one that is not told.
    case interrupted = 130
    /// The same by SIGHUP: the terminal or the connection to it has gone.
    case hungUp = 129
    /// The same by SIGTERM, as the system ends processes.
    case terminated = 143

    /// The status of a command that a signal has stopped, as shells count: 128 and the signal's number.
    ///
    /// - Parameter signal: the first one, nil if it is not known.
    func ended(by signal: Int32?) -> ExitStatus {
        guard self == .interrupted, let signal else { return self }
        return ExitStatus(rawValue: 128 + signal) ?? self
    }
}
