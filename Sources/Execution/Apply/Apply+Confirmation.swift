import MeshCore
import Store

/// Changes that are taken back unless somebody confirms them.
///
/// The database notes durably that they wait, before the first change. So however this process ends, they cannot stay
/// unnoticed.
extension Apply {
    /// Gives the lock back, so that somebody else can confirm.
    func beginWaiting(_ pending: PendingConfirmation?, _ status: Effects.Status, _ effects: Effects) -> Stage {
        effects.release()
        guard let pending, let deadline = pending.deadline else { return .ended(.confirmationLost) }
        effects.tell(.awaited(pending, until: deadline))
        return .confirm(pending, until: deadline, interrupts: effects.interrupts, status)
    }

    /// Looks once whether somebody has decided, or the time is over. Only a note says that somebody has confirmed.
    ///
    /// - Parameter interrupts: how often the user had interrupted when the wait began.
    func confirm(
        _ pending: PendingConfirmation,
        until deadline: Timestamp,
        interrupts: Int,
        _ status: Effects.Status,
        _ effects: Effects
    ) throws(Effects.EffectError) -> Stage {
        var undecided = try effects.confirmationNote()
        let decision = undecided?.decision
        undecided?.decision = nil
        // Another note, or none, is that of another database.
        guard undecided == pending else { return .ended(.confirmationLost) }
        switch decision {
        case .confirmed:
            effects.tell(.confirmed)
            return .ended(.finished(status))
        case .takenBack: return .ended(.takenBackElsewhere)
        case nil: break
        }
        let isInterrupted = effects.interrupts != interrupts
        if effects.now >= deadline || isInterrupted {
            switch try effects.goBack(pending, isInterrupted: isInterrupted) {
            case .ended(let status): return .ended(.wentBack(status))
            case .locked, .decided: break
            }
        }
        effects.sleep()
        return .confirm(pending, until: deadline, interrupts: interrupts, status)
    }
}
