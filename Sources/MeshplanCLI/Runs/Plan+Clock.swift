import MeshCore
import Planning

extension Plan {
    /// Refuses to give nodes the time of a clock that cannot be right: their schedules would act at wrong times, and
    /// the next plan would be empty.
    ///
    /// - Throws: ``Failure`` if this plan would.
    func checkClock(_ now: Timestamp, in network: MeshNetwork) throws(Failure) {
        guard steps.contains(where: \.setsTime), !network.isCredible(now) else { return }
        throw Failure(
            .failure,
            "the clock of this machine cannot be right: it shows \(now.text), and it was "
                + "\(network.latestKnownTime.text) already; nothing was sent, because the plan sets the time of nodes",
            hint: "Set the clock, for example with timedatectl set-ntp true, and run the command again. If it is right "
                + "and an earlier run had a wrong one, meshplan refresh notes when the nodes are really seen."
        )
    }
}

extension Step {
    /// Whether it gives a node the time of this machine's clock.
    var setsTime: Bool {
        switch work {
        case .configure(_, .setModelState(let set)), .configure(_, .setBriefly(let set)): set.state.form.name == "time"
        case .configureWhenKnown(let deferred):
            deferred.models.contains { $0.states.contains { $0.state.form.name == "time" } }
        default: false
        }
    }
}
