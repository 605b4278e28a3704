/// A calendar time in whole seconds since 1970-01-01T00:00:00Z, stored with observations.
package struct Timestamp: RawRepresentable, Hashable, Comparable, Sendable {
    /// Seconds since 1970-01-01T00:00:00Z.
    package var rawValue: Int64

    /// The time that many seconds after 1970-01-01T00:00:00Z.
    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.rawValue < right.rawValue
    }
}
