/// A profile of Networked Lighting Control (Assigned Numbers, mesh profiles).
package enum NLCProfile: UInt16, CaseIterable, Comparable, Sendable {
    /// Ambient Light Sensor
    case als = 0x1600
    /// Basic Lightness Controller
    case blc = 0x1601
    /// Basic Scene Selector
    case bss = 0x1602
    /// Dimming Control
    case dic = 0x1603
    /// Energy Monitor
    case enm = 0x1604
    /// Occupancy Sensor
    case ocs = 0x1605
    /// HVAC Integration
    case hvi = 0x1606

    /// The short name in definitions: `blc`.
    package var word: String {
        switch self {
        case .als: "als"
        case .blc: "blc"
        case .bss: "bss"
        case .dic: "dic"
        case .enm: "enm"
        case .ocs: "ocs"
        case .hvi: "hvi"
        }
    }

    /// The name for people.
    package var title: String {
        switch self {
        case .als: "Ambient Light Sensor"
        case .blc: "Basic Lightness Controller"
        case .bss: "Basic Scene Selector"
        case .dic: "Dimming Control"
        case .enm: "Energy Monitor"
        case .ocs: "Occupancy Sensor"
        case .hvi: "HVAC Integration"
        }
    }

    package init?(word: String) {
        guard let profile = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = profile
    }

    /// In the order of their identifiers.
    package static func < (left: NLCProfile, right: NLCProfile) -> Bool { left.rawValue < right.rawValue }
}
