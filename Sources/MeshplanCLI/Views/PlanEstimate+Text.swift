internal import Planning
internal import Store

extension PlanEstimate {
    /// The line below the summary of a plan; nil if nothing is sent.
    var text: String? {
        guard let bound else { return nil }
        return "Time: \(isLowerBound ? "at least " : "about ")\(Self.text(total.median)), in 19 of 20 runs under "
            + "\(Self.text(total.percentile95)), bound by \(bound.words) (radio \(profile))."
    }

    /// Seconds for people: `0.4 s`, `12 s`, `3 min 51 s`, `2 h 5 min`.
    static func text(_ seconds: Double) -> String {
        if seconds < 9.95 {
            let tenths = Int((seconds * 10).rounded())
            return "\(tenths / 10).\(tenths % 10) s"
        }
        let whole = Int(min(seconds, 1e9).rounded())
        if whole < 120 { return "\(whole) s" }
        if whole < 7_200 { return "\(whole / 60) min" + (whole % 60 == 0 ? "" : " \(whole % 60) s") }
        let minutes = (whole + 30) / 60
        return "\(minutes / 60) h" + (minutes % 60 == 0 ? "" : " \(minutes % 60) min")
    }

    /// The member of the line of JSON that sums a plan up; nil if nothing is sent.
    var json: JSONValue? {
        guard let bound else { return nil }
        return .object([
            "radio": profile.json,
            "seconds": total.median.json,
            "seconds_p95": total.percentile95.json,
            "bound": bound.rawValue.json,
            "at_least": isLowerBound ? true : nil,
        ])
    }
}

extension Double {
    /// Seconds as a JSON number with three decimals.
    var json: JSONValue {
        let thousandths = Int64((min(max(self, 0), 1e9) * 1_000).rounded())
        let decimals = String(thousandths % 1_000)
        return .number("\(thousandths / 1_000).\(String(repeating: "0", count: 3 - decimals.count))\(decimals)")
    }
}

extension PlanEstimate.Bound {
    /// What it is, after “bound by”.
    fileprivate var words: String {
        switch self {
        case .roundTrips: "the round trips of the nodes"
        case .gatt: "the GATT connection to the proxy"
        case .advertising: "the proxy's advertising queue"
        case .flood: "the relays, which repeat every PDU"
        case .air: "the air that the relays share"
        case .directLinks: "the links to the nodes themselves"
        case .provisioning: "the connections for provisioning"
        case .timeouts: "waiting for time-outs, since messages get lost"
        }
    }
}
