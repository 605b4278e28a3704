package import MeshCore
package import Planning
package import Store

/// A plan that was made for an apply.
package protocol ApplyPlanned {
    var plan: Plan { get set }
    /// Whether a guard refuses the plan.
    var isRefused: Bool { get }
}

/// A run of a plan or of doubts.
package struct ApplyRunResult {
    package var recap: Recap
    /// When it ended, by the clock of the radio.
    package var end: Instant
    /// The network as the run left it in the database; nil if that is not known without reading.
    package var network: MeshNetwork?

    package init(_ recap: Recap, end: Instant, network: MeshNetwork? = nil) {
        self.recap = recap
        self.end = end
        self.network = network
    }
}

/// How an attempt to take unconfirmed changes back has ended.
package enum GoingBack<Status> {
    /// Somebody else holds the lock, perhaps to confirm.
    case locked
    /// The changes do not wait any more. The note says what was decided.
    case decided
    /// They were taken back, as far as that was possible.
    case ended(Status)
}

/// What ``Apply`` asks of the world: the database, the mesh, and people. The machine decides when and whether. An
/// effect does the one thing that its name says.
///
/// Every effect may throw ``EffectError``. That ends the apply, and what was done up to then stays.
package protocol ApplyEffects: AnyObject {
    associatedtype EffectError: Error
    /// The result that whoever started the apply gets.
    associatedtype Status
    /// A plan together with what the views need for its refusal.
    associatedtype Planned: ApplyPlanned

    // MARK: The database

    /// Takes the lock of the database.
    ///
    /// - Throws: if somebody else holds it, or if the database cannot be written.
    func lock() throws(EffectError)
    /// Ends all connections and gives the lock back.
    func release()
    /// The note about changes that wait to be confirmed; nil if none do.
    func unconfirmed() throws(EffectError) -> PendingConfirmation?
    /// The note about the changes that were the last ones to wait, with what was decided; nil if there is none.
    func confirmationNote() throws(EffectError) -> PendingConfirmation?
    /// What the database knows now. Reads it only if something may have changed since the last time.
    func snapshot() throws(EffectError) -> Snapshot
    /// What became of an earlier run of a plan; nil if there was none.
    func earlierRun(of plan: Plan) throws(EffectError) -> EarlierRun?
    /// Lets the history name the definition that is applied from now on, and what is gone back to.
    func declare() throws(EffectError)
    /// Notes durably that the following changes must be confirmed.
    func awaitConfirmation() throws(EffectError)
    /// Sets the time at which the changes are taken back unless they are confirmed.
    ///
    /// - Returns: the note; nil if there is none any more.
    func setDeadline(_ deadline: Timestamp) throws(EffectError) -> PendingConfirmation?
    /// Records what is managed from now on; sends nothing.
    func record(_ claims: Claims) throws(EffectError)
    /// Updates the records after everything was done, or as much as possible.
    ///
    /// - Parameters:
    ///   - network: the network as the database knows it.
    ///   - isComplete: whether everything was done.
    func settle(_ network: MeshNetwork, isComplete: Bool) throws(EffectError)

    // MARK: Plans

    /// Checks the names that the user gave, before a radio is used.
    ///
    /// - Throws: if there is no such node, device or group.
    func check(_ snapshot: Snapshot) throws(EffectError)
    /// Makes a plan.
    ///
    /// - Throws: if no plan is possible.
    func plan(_ snapshot: Snapshot) throws(EffectError) -> Planned
    /// Shows a plan that was just made, and warnings.
    ///
    /// - Throws: if a warning needs what the database does not tell.
    func show(_ planned: Planned, _ snapshot: Snapshot) throws(EffectError)
    /// Announces a plan that was saved before, and shows warnings.
    ///
    /// - Throws: if the plan is not worth announcing because everything was done.
    func announce(_ plan: Plan, _ snapshot: Snapshot, earlier: EarlierRun?) throws(EffectError)
    /// Checks that what a plan changes can be taken back.
    ///
    /// - Throws: if something cannot be taken back.
    func checkWayBack(_ plan: Plan, _ snapshot: Snapshot) throws(EffectError)
    /// Asks for approval; returns if somebody gives it.
    ///
    /// - Throws: if nobody approves, or nobody can be asked.
    func approve(_ plan: Plan) throws(EffectError)

    // MARK: The mesh

    /// Checks that the radio can be used, without using it.
    func probe() throws(EffectError)
    /// Connects to the mesh, unless that has happened.
    func connect(_ snapshot: Snapshot) throws(EffectError)
    /// Listens for nodes that were reset, records and tells them.
    func listen(_ snapshot: Snapshot) throws(EffectError) -> Recap.Ending
    /// Finds out what earlier runs have done.
    func resolveDoubts(_ snapshot: Snapshot) throws(EffectError) -> ApplyRunResult
    /// Carries out a plan over the connection.
    func run(_ plan: Plan, _ snapshot: Snapshot) throws(EffectError) -> ApplyRunResult
    /// Tells which nodes are waited for, and lets time pass on the radio. Afterwards they may be asked again.
    ///
    /// - Returns: false if the user has interrupted, or the radio is broken.
    func wait(_ pause: Duration, for recap: Recap) -> Bool

    // MARK: The end

    /// Shows the recap of a run.
    ///
    /// - Returns: the status, and whether everything was done and nothing was wrong.
    func finish(_ recap: Recap) -> (status: Status, isComplete: Bool)
    /// Ends an apply with nothing to do.
    ///
    /// - Parameter resolved: the recap of finding out what earlier runs had done; nil if there was no doubt.
    /// - Throws: if the radio could not have been used.
    func finishWithoutChanges(_ plan: Plan, resolved: Recap?) throws(EffectError) -> Status

    // MARK: Confirmation

    /// The calendar time.
    var now: Timestamp { get }
    /// How often the user has interrupted so far.
    var interrupts: Int { get }
    func tell(_ news: ConfirmationNews)
    /// Lets a second of calendar time pass, or less if a signal arrives.
    func sleep()
    /// Takes back the changes that nobody has confirmed.
    ///
    /// - Parameters:
    ///   - pending: the note about these changes.
    ///   - isInterrupted: whether the user asked for it, so that it cannot wait for the lock.
    /// - Throws: if the return cannot be planned, or the lock cannot be had when it was asked for at once.
    func goBack(_ pending: PendingConfirmation, isInterrupted: Bool) throws(EffectError) -> GoingBack<Status>
}

/// What became of an earlier run of a plan.
package enum EarlierRun: Hashable, Sendable {
    /// Something of the plan is left to do.
    case unfinished
    case completed
}
