extension Int {
    /// A number of milliseconds as definitions write durations: `50ms`, `10s`, `10min`.
    var durationText: String {
        if self > 0, self % 60_000 == 0 { return "\(self / 60_000)min" }
        if self > 0, self % 1_000 == 0 { return "\(self / 1_000)s" }
        return "\(self)ms"
    }
}
