import MeshCore
import Planning

/// Whether the clock of this machine may be given to nodes. A machine whose clock does not run on without power, such
/// as a Raspberry Pi, begins in 1970.
struct ClockCheck {
    /// 2020-01-01, before which no clock was right that this program has read.
    private static let earliest = Timestamp(rawValue: 1_577_836_800)
    /// How far the clocks of machines that share a database may differ, in seconds.
    private static let tolerance: Int64 = 3_600

    /// The latest time that is known to have passed.
    let latest: Timestamp

    /// What a network tells of times that have passed.
    init(_ network: MeshNetwork) {
        let times =
            [network.ivIndexChangedAt, network.ivIndexRecoveredAt, network.ivIndexStatedAt]
            + network.nodes.map(\.observedAt)
        latest = times.compactMap(\.self).max().map { max($0, Self.earliest) } ?? Self.earliest
    }

    /// Whether a clock may be right that shows `now`.
    func allows(_ now: Timestamp) -> Bool {
        now.rawValue >= max(Self.earliest.rawValue, latest.rawValue - Self.tolerance)
    }

    /// Refuses a plan that would give nodes the time of a clock that cannot be right: their schedules would act at
    /// wrong times, and the next plan would be empty.
    ///
    /// - Throws: ``Failure`` if it would.
    func check(_ plan: Plan, at now: Timestamp) throws(Failure) {
        guard plan.steps.contains(where: Self.setsTime), !allows(now) else { return }
        throw Failure(
            .failure,
            "the clock of this machine cannot be right: it shows \(now.text), and it was \(latest.text) already; "
                + "nothing was sent, because the plan sets the time of nodes",
            hint: "Set the clock, for example with timedatectl set-ntp true, and run the command again. If it is right "
                + "and an earlier run had a wrong one, meshplan refresh notes when the nodes are really seen."
        )
    }

    /// Whether a step gives a node the time.
    static func setsTime(_ step: Step) -> Bool {
        switch step.work {
        case .configure(_, .setModelState(let set)), .configure(_, .setBriefly(let set)): set.state.form.name == "time"
        case .configureWhenKnown(let deferred):
            deferred.models.contains { $0.states.contains { $0.state.form.name == "time" } }
        default: false
        }
    }
}
