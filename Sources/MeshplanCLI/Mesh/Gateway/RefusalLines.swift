import MeshCore

/// The lines of a log about refused connections: only so many in a minute get one each, because endless attempts must
/// not fill the disk.
struct RefusalLines {
    /// The number of refusals in the current minute, and when that minute began.
    private var current = (count: 0, since: Timestamp(rawValue: 0))

    /// The most refusals in a minute that get a line each.
    private static let limit = 20

    /// The lines to write for one more refusal.
    mutating func lines(_ line: String, at now: Timestamp) -> [String] {
        var lines: [String] = []
        if !(0..<60).contains(current.since.seconds(to: now)) {
            let untold = current.count - Self.limit
            if untold > 0 { lines.append("refused \(untold) more since \(current.since.text)") }
            current = (0, now)
        }
        current.count += 1
        if current.count <= Self.limit { lines.append(line) }
        return lines
    }
}
