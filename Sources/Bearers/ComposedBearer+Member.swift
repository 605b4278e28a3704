internal import MeshCore

extension ComposedBearer {
    /// A part and what has become of it.
    struct Member {
        let part: Part
        /// Nil while it is gone.
        var bearer: (any PolledBearer)?
        /// What each of its links is called above.
        var links: [LinkIdentifier: LinkIdentifier] = [:]
        /// Why it is gone, or was when it was last tried.
        private(set) var error: BearerError?
        /// Whether it works, as far as anybody was told.
        var isUsed = false
        /// How often in a row it was gone.
        private(set) var failures = 0
        private var retryAt = Instant.zero
        /// How many descriptors it wanted to wait for.
        var watchedCount = 0

        private static let firstWait = Duration.seconds(2)
        private static let longestWait = Duration.seconds(30)

        /// A part that is not made yet.
        init(part: Part) {
            self.part = part
        }

        /// Whether it can make another link.
        var hasRoom: Bool { bearer.map { links.count < $0.maximumLinks } ?? false }

        /// When it is to be made anew, nil while it is there.
        var nextRetry: Instant? { bearer == nil ? retryAt : nil }

        /// Whether it is time to make it anew.
        func isDue(at now: Instant) -> Bool { nextRetry.map { $0 <= now } ?? false }

        /// It is gone, or could not be made; the next attempt waits twice as long as the last.
        ///
        /// - Returns: the bearer that was lost, which may have something to tell yet.
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
