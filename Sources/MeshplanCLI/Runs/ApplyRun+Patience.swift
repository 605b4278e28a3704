internal import Execution
internal import MeshCore
internal import Planning
internal import Store
internal import SystemLayer

extension ApplyRun {
    /// The first pause before nodes are asked again. It doubles up to the longest one.
    private static let firstPause = Duration.seconds(10)
    private static let longestPause = Duration.seconds(120)

    /// Continues with what is left while only nodes that do not answer stand in the way, and while the patience lasts.
    ///
    /// The rest is planned again each time, from the current contents of the database. It needs no new approval.
    func asking(
        again planning: some PlanSource,
        after first: Recap,
        of mesh: MeshConnection,
        _ database: MeshDatabase,
        _ reporter: ApplyReporter
    ) throws -> Recap {
        var recap = first
        var pause = Self.firstPause
        let end = mesh.executor.now.advanced(by: patience)
        while recap.isLeftToNodes, mesh.executor.now < end {
            tell(recap, pause: pause)
            guard mesh.executor.pause(for: min(pause, mesh.executor.now.duration(to: end))) else { return recap }
            pause = min(pause * 2, Self.longestPause)
            mesh.executor.forgetUnreachable()
            let snapshot = try database.snapshot()
            if !snapshot.unresolved.isEmpty || !snapshot.network.pendingReprovisions.isEmpty {
                let doubts = mesh.executor.resolveInDoubt(isOfInterest: planning.interest(in: snapshot.network))
                guard doubts.ending == .completed else { return doubts }
            }
            let plan = try planning.plan(try database.snapshot(), options: planner).plan
            reporter.begin(plan)
            recap = mesh.executor.apply(plan)
        }
        return recap
    }

    private func tell(_ recap: Recap, pause: Duration) {
        if let lines = context.json {
            lines.write([
                "type": "waiting", "pause_ms": .integer(Int(clamping: pause.microseconds / 1_000)),
                "pending": .array(recap.pending.map { $0.node.description.json }),
            ])
            return
        }
        let names = recap.pending.prefix(5).map(\.name.printable).joined(separator: ", ")
        let others = recap.pending.count > 5 ? " and \(recap.pending.count - 5) more" : ""
        context.errorOutput.line("Waiting for \(names)\(others); asking again in \(pause.components.seconds) s.")
    }
}

extension Recap {
    /// Whether steps are left, and only nodes that do not answer stand in their way.
    fileprivate var isLeftToNodes: Bool {
        ending == .completed && failed.isEmpty && !pending.isEmpty && (notStarted > 0 || !blocked.isEmpty)
    }
}
