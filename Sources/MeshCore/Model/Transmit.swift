/// How often and how fast network PDUs are sent: Network Transmit and Relay Retransmit (Mesh Protocol 4.2.20, 4.2.21).
/// One octet: count in bits 0–2, interval steps in bits 3–7.
package struct TransmitParameters: Hashable, Sendable {
    /// The number of retransmissions after the first transmission, 0...7; the value in messages.
    package let count: UInt8
    /// Interval steps, 0...31; the interval is (steps + 1) × 10 ms.
    package let steps: UInt8

    /// The parameters with those values; nil if the count is above 7 or the steps above 31.
    package init?(count: UInt8, steps: UInt8) {
        guard count <= 7, steps <= 31 else { return nil }
        self.count = count
        self.steps = steps
    }

    /// Takes the octet of a message; every value is valid.
    package init(octet: UInt8) {
        count = octet & 7
        steps = octet >> 3
    }

    package var octet: UInt8 { count | steps << 3 }

    /// The number of transmissions of each PDU, 1...8; definitions, the configuration database format and all views use
    /// it.
    package var transmissions: Int { Int(count) + 1 }

    /// Milliseconds between transmissions, 10...320.
    package var intervalMilliseconds: Int { (Int(steps) + 1) * 10 }
}

/// How a published message is repeated (Mesh Protocol 4.2.3.6, 4.2.3.7). One octet: count in bits 0–2, steps in bits
/// 3–7.
package struct PublishRetransmit: Hashable, Sendable {
    /// The number of retransmissions of each published message, 0...7.
    package let count: UInt8
    /// Interval steps, 0...31; the interval is (steps + 1) × 50 ms.
    package let steps: UInt8

    /// The parameters with those values; nil if the count is above 7 or the steps above 31.
    package init?(count: UInt8, steps: UInt8) {
        guard count <= 7, steps <= 31 else { return nil }
        self.count = count
        self.steps = steps
    }

    /// Takes the octet of a message; every value is valid.
    package init(octet: UInt8) {
        count = octet & 7
        steps = octet >> 3
    }

    package var octet: UInt8 { count | steps << 3 }

    /// Milliseconds between retransmissions, 50...1600.
    package var intervalMilliseconds: Int { (Int(steps) + 1) * 50 }

    package static let none = PublishRetransmit(octet: 0)
}

/// How often a model publishes (Mesh Protocol 4.2.3.2). One octet: steps in bits 0–5, resolution in bits 6–7.
package struct PublishPeriod: Hashable, Sendable {
    /// The unit of the steps.
    package enum Resolution: UInt8, CaseIterable, Sendable {
        case hundredMilliseconds = 0
        case seconds = 1
        case tenSeconds = 2
        case tenMinutes = 3

        /// Milliseconds in one step.
        package var milliseconds: Int {
            switch self {
            case .hundredMilliseconds: 100
            case .seconds: 1_000
            case .tenSeconds: 10_000
            case .tenMinutes: 600_000
            }
        }
    }

    /// The number of steps, 0...63; 0 means no periodic publishing.
    package let steps: UInt8
    package let resolution: Resolution

    /// The period with those values; nil if the steps are above 63.
    package init?(steps: UInt8, resolution: Resolution) {
        guard steps <= 63 else { return nil }
        self.steps = steps
        self.resolution = resolution
    }

    /// The encoding of a number of milliseconds with the finest possible resolution; nil if no number of steps gives it
    /// exactly.
    package init?(milliseconds: Int) {
        for resolution in Resolution.allCases where milliseconds % resolution.milliseconds == 0 {
            let steps = milliseconds / resolution.milliseconds
            if (0...63).contains(steps) {
                self.init(steps: UInt8(steps), resolution: resolution)
                return
            }
        }
        return nil
    }

    /// Takes the octet of a message; every value is valid.
    package init(octet: UInt8) {
        steps = octet & 0x3F
        resolution = [.hundredMilliseconds, .seconds, .tenSeconds, .tenMinutes][Int(octet >> 6)]
    }

    package var octet: UInt8 { steps | resolution.rawValue << 6 }

    /// The period in milliseconds; 0 for no periodic publishing.
    package var milliseconds: Int { Int(steps) * resolution.milliseconds }

    package static let none = PublishPeriod(octet: 0)
}
