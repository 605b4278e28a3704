import MeshCore

extension ComposedBearer {
    /// A part and its present state.
    struct Member {
        let part: Part
        /// Nil while the part is gone.
        var bearer: (any PolledBearer)?
        /// Maps the part's links to those of the composed bearer.
        var links: [LinkIdentifier: LinkIdentifier] = [:]
        /// The error of the last loss or failed attempt; nil while it works.
        private(set) var error: BearerError?
        /// Whether it works, as last reported.
        var isUsed = false
        /// How often in a row it was lost or failed.
        private(set) var failures = 0
        private var retryAt = Instant.zero
        /// How many descriptors it last asked to wait for.
        var watchedCount = 0

        private static let firstWait = Duration.seconds(2)
        private static let longestWait = Duration.seconds(30)

        /// A part that has not been made yet.
        init(part: Part) {
            self.part = part
        }

        /// Whether it has room for another link.
        var hasRoom: Bool { bearer.map { links.count < $0.maximumLinks } ?? false }

        /// When to make it again; nil while it is there.
        var nextRetry: Instant? { bearer == nil ? retryAt : nil }

        /// Whether it is time to make it again.
        func isDue(at now: Instant) -> Bool { nextRetry.map { $0 <= now } ?? false }

        /// It is gone or could not be made. The next attempt waits twice as long as the last.
        ///
        /// - Returns: the lost bearer, which may still have events.
        mutating func lost(_ error: BearerError, at now: Instant) -> (any PolledBearer)? {
            isUsed = false
            let wait = min(Self.firstWait * (1 << min(failures, 8)), Self.longestWait)
            retryAt = now.advanced(by: wait)
            failures += 1
            self.error = error
            watchedCount = 0
            defer { bearer = nil }
            return bearer
        }

        /// It works again.
        mutating func recovered() {
            isUsed = true
            failures = 0
            error = nil
        }
    }
}
