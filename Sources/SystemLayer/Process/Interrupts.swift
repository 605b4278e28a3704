/// Counts how often the user or the system has asked the process to end.
package struct Interrupts {
    /// Begins to count signals, which until then end the process.
    package var arm: () -> Void
    /// Returns the number of signals so far. After one, the run finishes what is in flight; after two, it waits for
    /// nothing.
    package var count: () -> Int
    /// Returns the number of the first signal; nil before it, or if it is not known.
    package var first: () -> Int32?
    /// The descriptor of a pipe that becomes readable when a signal arrives, if there is one.
    package var wakeUp: Int32?

    package init(
        arm: @escaping () -> Void,
        count: @escaping () -> Int,
        first: @escaping () -> Int32? = { nil },
        wakeUp: Int32? = nil
    ) {
        self.arm = arm
        self.count = count
        self.first = first
        self.wakeUp = wakeUp
    }
}
