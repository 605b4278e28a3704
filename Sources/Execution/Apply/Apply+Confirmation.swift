import MeshCore
import Store

/// Changes that are taken back unless somebody confirms them.
///
/// The database notes durably that they wait, before the first change. So however this process ends, they cannot stay
/// unnoticed.
extension Apply {
    /// Gives the lock back, so that somebody else can confirm.
    func beginWaiting(_ status: Effects.Status, _ effects: Effects) throws(Effects.EffectError) -> Stage {
        effects.release()
        guard let pending = try effects.unconfirmed(), let deadline = pending.deadline else {
            return .ended(.finished(status))
        }
        effects.tell(.awaited(pending, until: deadline))
        return .confirm(pending, until: deadline, interrupts: effects.interrupts, status)
    }

    /// Looks once whether somebody has confirmed, or the time is over.
    ///
    /// - Parameter interrupts: how often the user had interrupted when the wait began.
    func confirm(
        _ pending: PendingConfirmation,
        until deadline: Timestamp,
        interrupts: Int,
        _ status: Effects.Status,
        _ effects: Effects
    ) throws(Effects.EffectError) -> Stage {
        guard try effects.unconfirmed() == pending else {
            effects.tell(.confirmed)
            return .ended(.finished(status))
        }
        let isInterrupted = effects.interrupts != interrupts
        if effects.now >= deadline || isInterrupted {
            switch try effects.goBack(pending, isInterrupted: isInterrupted) {
            case .ended(let status): return .ended(.wentBack(status))
            case .confirmed:
                effects.tell(.confirmed)
                return .ended(.finished(status))
            case .locked: break
            }
        }
        effects.sleep()
        return .confirm(pending, until: deadline, interrupts: interrupts, status)
    }
}
