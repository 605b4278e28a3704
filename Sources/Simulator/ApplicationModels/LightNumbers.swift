/// Conversions between bound states (Mesh Model 6.1).
enum LightNumbers {
    /// Light Lightness Linear of an Actual value.
    static func linear(_ actual: Int64) -> Int64 { (actual * actual + 65_534) / 65_535 }

    /// Light Lightness Actual of a Linear value: 65535 times the root of its share, cut off.
    static func actual(_ linear: Int64) -> Int64 {
        let square = min(max(linear, 0), 65_535) * 65_535
        var root = Int64(Double(square).squareRoot())
        while root * root > square { root -= 1 }
        while (root + 1) * (root + 1) <= square { root += 1 }
        return root
    }

    /// Generic Level of a value within its range; only a temperature is scaled.
    static func level(_ value: Int64, of item: StateItem, _ range: ClosedRange<Int64>) -> Int64 {
        switch item {
        case .level: return value
        case .temperature:
            let width = range.upperBound - range.lowerBound
            guard width > 0 else { return 0 }
            let level = ((value - range.lowerBound) * 65_535 + width / 2) / width - 32_768
            return min(max(level, -32_768), 32_767)
        default: return value - 32_768
        }
    }

    static func value(_ level: Int64, of item: StateItem, _ range: ClosedRange<Int64>) -> Int64 {
        switch item {
        case .level: level
        case .temperature:
            range.lowerBound + ((level + 32_768) * (range.upperBound - range.lowerBound) + 32_767) / 65_535
        default: level + 32_768
        }
    }
}
