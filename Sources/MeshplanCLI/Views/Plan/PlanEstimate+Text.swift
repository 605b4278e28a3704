import Planning
import Store
import SystemLayer

extension PlanEstimate {
    /// The lines below the summary of a plan; nil if nothing is sent.
    var text: String? {
        guard let bound else { return nil }
        var text =
            "Time: \(isLowerBound ? "at least " : "about ")\(Self.text(total.median)), in 19 of 20 runs under "
            + "\(Self.text(total.percentile95)), from the search for a proxy to the last answer; \(bound.words) (\(basis))."
        if let silence, silence.more >= 0.05 {
            let nodes =
                silence.nodes == 1 ? "1 node stays silent that has" : "\(silence.nodes) nodes stay silent that have"
            text += "\nUp to \(Self.text(silence.more)) more if \(nodes) not answered so far."
        }
        return text
    }

    private var basis: String {
        profile == RadioProfile.learnedName ? "going by how long earlier runs in this network took" : "radio \(profile)"
    }

    /// Seconds for people: `0.4 s`, `12 s`, `3 min 51 s`, `2 h 5 min`.
    static func text(_ seconds: Double) -> String {
        if seconds < 9.95 {
            let tenths = Int((seconds * 10).rounded())
            return "\(tenths / 10).\(tenths % 10) s"
        }
        return text(whole: Int(min(seconds, 1e9).rounded()))
    }

    /// Whole seconds for people: `3 s`, `3 min 51 s`, `2 h 5 min`.
    static func text(whole: Int) -> String {
        if whole < 120 { return "\(whole) s" }
        if whole < 7_200 { return "\(whole / 60) min" + (whole % 60 == 0 ? "" : " \(whole % 60) s") }
        let minutes = (whole + 30) / 60
        return "\(minutes / 60) h" + (minutes % 60 == 0 ? "" : " \(minutes % 60) min")
    }

    /// The estimate as a member of the plan's summary in JSON; nil if nothing is sent.
    var json: JSONValue? {
        guard let bound else { return nil }
        return .object([
            "radio": profile.json,
            "seconds": total.median.json,
            "seconds_p95": total.percentile95.json,
            "bound": bound.rawValue.json,
            "at_least": isLowerBound ? true : nil,
            "silent_nodes": silence.map { .integer($0.nodes) },
            "seconds_more_if_silent": silence?.more.json,
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
    /// What limits the pace of the run, as a clause.
    fileprivate var words: String {
        switch self {
        case .roundTrips: "most of it is waiting for the nodes' answers"
        case .gatt: "the connection to the proxy sets the pace"
        case .advertising: "the proxy sets the pace, which sends one message after the other"
        case .flood: "the relays set the pace, which repeat every message"
        case .directLinks: "the connections to the nodes themselves set the pace"
        case .provisioning: "the connections to the new devices set the pace"
        case .timeouts: "much of it is waiting before messages that got lost are sent again"
        case .connecting: "most of it is finding a proxy and connecting to it"
        }
    }
}
