/// A number or a text of octets that application models keep on an element. Models that are bound to each other share
/// one: the lightness of an element is also its level, and whether it is on.
///
/// The raw values stand in state files, so they never change.
package enum StateItem: UInt8, Sendable {
    /// Generic OnOff where nothing else is bound to it, 0 or 1.
    case onOff = 1
    /// Generic Level where nothing else is bound to it.
    case level = 2
    /// Generic Default Transition Time, as its octet.
    case defaultTransition = 3
    case onPowerUp = 4
    /// Generic Power Actual and what goes with it.
    case power = 5
    case powerLast = 6
    case powerDefault = 7
    case powerMinimum = 8
    case powerMaximum = 9
    /// Light Lightness Actual and what goes with it.
    case lightness = 10
    case lightnessLast = 11
    case lightnessDefault = 12
    case lightnessMinimum = 13
    case lightnessMaximum = 14
    /// The colour temperature in kelvin, and what goes with it.
    case temperature = 15
    case temperatureDefault = 16
    case temperatureMinimum = 17
    case temperatureMaximum = 18
    /// The distance from the black body line.
    case deltaUV = 19
    case deltaUVDefault = 20
    /// The hue and what goes with it. A range whose minimum is above its maximum runs across 0.
    case hue = 21
    case hueDefault = 22
    case hueMinimum = 23
    case hueMaximum = 24
    /// The saturation and what goes with it.
    case saturation = 25
    case saturationDefault = 26
    case saturationMinimum = 27
    case saturationMaximum = 28
    /// The chromaticity and what goes with it.
    case chromaticityX = 29
    case chromaticityXDefault = 30
    case chromaticityXMinimum = 31
    case chromaticityXMaximum = 32
    case chromaticityY = 33
    case chromaticityYDefault = 34
    case chromaticityYMinimum = 35
    case chromaticityYMaximum = 36
    /// Light LC Mode, Light LC Occupancy Mode, and whether the light of the controller is on or on the way to it.
    case controlMode = 40
    case occupancyMode = 41
    case controlLight = 42
    /// A property of Light LC, as octets.
    case controlProperty = 43
    /// The current scene, 0 for none, and the states of a scene as octets.
    case currentScene = 50
    case scene = 51
    /// The faults of the Health Server as octets, the last test, and the Fast Period Divisor.
    case currentFaults = 60
    case registeredFaults = 61
    case healthTest = 62
    case healthDivisor = 63
    /// The level of a battery in percent.
    case battery = 64
    /// Locations, as the octets of their messages.
    case locationGlobal = 65
    case locationLocal = 66
    /// The value and the cadence of a property of a sensor, as octets.
    case sensorValue = 70
    case sensorCadence = 71
    /// The role in telling the time, the zone, and TAI-UTC, each also as announced and from when on.
    case timeRole = 80
    case zone = 81
    case nextZone = 82
    case zoneChange = 83
    case taiUTCDelta = 84
    case nextTAIUTCDelta = 85
    case taiUTCDeltaChange = 86
    /// TAI in seconds when a Time Server was told it last, 0 for unknown.
    case clock = 87
    /// An entry of a scheduler, as the octets of its message.
    case schedule = 90
    /// The value of a property as octets, and what users may do with it.
    case manufacturerProperty = 100
    case manufacturerAccess = 101
    case adminProperty = 102
    case adminAccess = 103
    /// A state of a vendor model: the name of the message that set it, and its octets.
    case vendorState = 110

    /// The value as long as nobody has set one.
    var initial: Int64 {
        switch self {
        case .powerLast, .powerMaximum, .lightnessLast, .lightnessMaximum, .hueMaximum, .saturationMaximum,
            .chromaticityXMaximum, .chromaticityYMaximum:
            0xFFFF
        case .powerMinimum, .lightnessMinimum: 1
        case .temperature, .temperatureDefault, .temperatureMinimum: 800
        case .temperatureMaximum: 20_000
        case .zone, .nextZone: 64
        case .taiUTCDelta, .nextTAIUTCDelta: 255
        default: 0
        }
    }

    /// The limits of the values, as items of the same element; nil for a value without a range of its own.
    var range: (minimum: StateItem, maximum: StateItem)? {
        switch self {
        case .power: (.powerMinimum, .powerMaximum)
        case .lightness: (.lightnessMinimum, .lightnessMaximum)
        case .temperature: (.temperatureMinimum, .temperatureMaximum)
        case .hue: (.hueMinimum, .hueMaximum)
        case .saturation: (.saturationMinimum, .saturationMaximum)
        case .chromaticityX: (.chromaticityXMinimum, .chromaticityXMaximum)
        case .chromaticityY: (.chromaticityYMinimum, .chromaticityYMaximum)
        default: nil
        }
    }

    /// The value after power-up; nil for a value without one.
    var powerUpDefault: StateItem? {
        switch self {
        case .temperature: .temperatureDefault
        case .deltaUV: .deltaUVDefault
        case .hue: .hueDefault
        case .saturation: .saturationDefault
        case .chromaticityX: .chromaticityXDefault
        case .chromaticityY: .chromaticityYDefault
        default: nil
        }
    }

    /// Whether it is a state of a Light LC Server.
    var isOfController: Bool { self == .controlMode || self == .occupancyMode || self == .controlLight }

    /// Last, Default of lightness or power; nil for others.
    var memory: (last: StateItem, standard: StateItem)? {
        switch self {
        case .power: (.powerLast, .powerDefault)
        case .lightness: (.lightnessLast, .lightnessDefault)
        default: nil
        }
    }
}

/// Where a value is kept: the element, what it is, and which of several.
package struct StateKey: Hashable, Comparable, Sendable {
    package let element: UInt8
    package let item: StateItem
    /// Which of several, such as a scene or a property; otherwise 0.
    package let index: UInt16

    init(_ element: Int, _ item: StateItem, index: UInt16 = 0) {
        self.element = UInt8(truncatingIfNeeded: element)
        self.item = item
        self.index = index
    }

    package static func < (left: StateKey, right: StateKey) -> Bool {
        (left.element, left.item.rawValue, left.index) < (right.element, right.item.rawValue, right.index)
    }
}

/// What the application models of a node keep when the simulator ends. Only values that were set take room.
package struct StoredModels: Hashable, Sendable {
    /// Numbers. The value of a transition is the one that it ends with.
    package var numbers: [StateKey: Int64] = [:]
    package var octets: [StateKey: [UInt8]] = [:]

    package var isEmpty: Bool { numbers.isEmpty && octets.isEmpty }
}
