/// How a message to a group is repeated, and what time that takes.
package struct GroupCopies: Hashable, Sendable {
    /// How often it is sent, at least 1.
    package var count = 3
    /// The time from one copy to the next.
    package var interval = Duration.milliseconds(75)
    /// The time from a message to that of another group, and between unacknowledged messages to elements. A node with
    /// the usual three transmissions advertises a PDU for 54 ms, and drops silently what its queue cannot hold.
    package var spacing = Duration.milliseconds(55)
    /// The time that is planned for each acknowledged message to an element, several of which are under way at once.
    package var allowance = Duration.milliseconds(40)

    /// Three copies, 75 ms apart.
    package init() {}

    /// The time from one round to the next, in which every group is sent a copy.
    func round(of groups: Int) -> Duration { max(interval, spacing * groups) }

    /// How long after the beginning a change is to start, so that all messages have left by then.
    ///
    /// No message can say more than ``StateChange/longestDelay`` steps. With so many single messages that they take
    /// longer than that, the last of them start late.
    func lead(groups: Int, singles: Int) -> Duration {
        let rounds = groups == 0 ? .zero : round(of: groups) * (count - 1) + spacing * (groups - 1)
        let longest = Duration.milliseconds(Int(StateChange.longestDelay) * StateChange.delayStep)
        return min(rounds + allowance * singles, longest)
    }
}
