/// Standard input that is read while something else goes on.
package struct LineInput {
    /// The result of a read.
    package enum Event: Hashable, Sendable {
        case nothing
        /// A line without its line break.
        case line(String)
        case end
    }

    /// Reads what is available now, without waiting.
    package var poll: () -> Event
    /// Discards input that was typed before a question.
    package var discard: () -> Void
    /// The descriptor that becomes readable when ``poll`` has something; nil if there is none.
    package var descriptor: Int32?

    package init(poll: @escaping () -> Event, discard: @escaping () -> Void, descriptor: Int32? = nil) {
        self.poll = poll
        self.discard = discard
        self.descriptor = descriptor
    }
}
