/// Writes metrics in the text format of Prometheus (version 0.0.4): families of samples, each with its help and type.
struct MetricsText {
    /// What a family counts.
    enum Kind: String {
        case counter, gauge, histogram
    }

    private(set) var text = ""

    /// A value with its labels.
    typealias Sample = (labels: Labels, value: Double)

    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        guard !samples.isEmpty else { return }
        begin(name, kind, help)
        for sample in samples { text += "\(name)\(Self.text(sample.labels)) \(Self.text(sample.value))\n" }
    }

    /// Adds a family with one sample without labels.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        let none: Labels = [:]
        add(name, kind, help, [(none, value)])
    }

    /// Adds a number at present.
    mutating func gauge(_ name: String, _ help: String, _ value: Int) { add(name, .gauge, help, Double(value)) }

    /// Adds a number that only grows.
    mutating func counter(_ name: String, _ help: String, _ value: Int) { add(name, .counter, help, Double(value)) }

    /// Adds what went in each direction.
    mutating func counter(_ name: String, _ help: String, sent: Int, received: Int) {
        let samples: [Sample] = [(["direction": "sent"], Double(sent)), (["direction": "received"], Double(received))]
        add(name, .counter, help, samples)
    }

    mutating func add(_ name: String, _ help: String, _ histogram: Histogram) {
        begin(name, .histogram, help)
        var sum = 0
        for (bound, count) in zip(histogram.bounds, histogram.counts) {
            sum += count
            text += "\(name)_bucket\(Self.text(["le": Self.text(bound)])) \(sum)\n"
        }
        text += "\(name)_bucket{le=\"+Inf\"} \(histogram.count)\n"
        text += "\(name)_sum \(Self.text(histogram.sum))\n\(name)_count \(histogram.count)\n"
    }

    /// Names and values of labels, in order.
    typealias Labels = KeyValuePairs<String, String>

    private mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    private static func text(_ labels: Labels) -> String {
        guard !labels.isEmpty else { return "" }
        let parts = labels.map { name, value in
            let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
            return "\(name)=\"\(escaped)\""
        }
        return "{\(parts.joined(separator: ","))}"
    }

    private static func text(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
    }

    /// Counts values by their size.
    struct Histogram: Hashable {
        /// The upper bounds of the parts, ascending.
        let bounds: [Double]
        /// How many values are in each part, not counting those of smaller parts.
        private(set) var counts: [Int]
        private(set) var count = 0
        private(set) var sum = 0.0

        init(bounds: [Double]) {
            self.bounds = bounds
            counts = Array(repeating: 0, count: bounds.count)
        }

        mutating func add(_ value: Double) {
            count += 1
            sum += value
            if let index = bounds.firstIndex(where: { value <= $0 }) { counts[index] += 1 }
        }
    }
}
