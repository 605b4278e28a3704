package import MeshCore

/// Something that a person near a simulated device would notice.
package struct DeviceObservation: Hashable, Sendable {
    /// What a person notices.
    package enum Event: Hashable, Sendable {
        /// The device draws attention for so many seconds, at least one.
        case attentionStarted(seconds: UInt8)
        case attentionEnded
        /// It shows or sounds a value.
        case output(OutputAction, OutOfBandValue)
        /// It stops showing the value.
        case outputEnded
        /// It waits for a value of `size` digits or characters; see ``SimulatedWorld/input(_:_:)``.
        case inputAwaited(InputAction, size: UInt8)
        /// It stops waiting for the value.
        case inputEnded
        case provisioned(UnicastAddress)
        /// The lamp of an element, or what else it switches, has reached a level of 0 to 65535; `isDimmable` tells
        /// whether there is more than on and off.
        case light(element: Int, level: Int64, isDimmable: Bool)
        /// It was reset and has left its network.
        case unprovisioned
    }

    package var time: Instant
    package var uuid: DeviceUUID
    package var name: String
    package var event: Event
}

extension DeviceObservation: CustomStringConvertible {
    /// A sentence for people, without a full stop: `kitchen-7 blinks 3 times`.
    package var description: String {
        switch event {
        case .attentionStarted(let seconds):
            "\(name) draws attention for \(seconds) \(seconds == 1 ? "second" : "seconds")"
        case .attentionEnded: "\(name) no longer draws attention"
        case .output(let action, let value): "\(name) \(action.sentence(telling: value))"
        case .outputEnded: "\(name) has ended its output"
        case .inputAwaited(let action, let size): "\(name) waits: \(action.sentence(size: size))"
        case .inputEnded: "\(name) no longer waits for input"
        case .provisioned(let address): "\(name) has become a node at \(address)"
        case .light(let element, let level, let isDimmable):
            "\(name)\(element == 0 ? "" : " element \(element)") is "
                + (isDimmable ? "at \(Self.percent(level)) %" : level > 0 ? "on" : "off")
        case .unprovisioned: "\(name) was reset and is in no network"
        }
    }
}

extension DeviceObservation {
    /// A level of 0 to 65535 in whole percent. Only 0 is 0 %.
    package static func percent(_ level: Int64) -> Int64 {
        level > 0 ? max((level * 100 + 32_767) / 65_535, 1) : 0
    }
}

extension OutOfBandValue {
    /// The value as a person reads it.
    fileprivate var words: String {
        switch self {
        case .number(let number): String(number)
        case .text(let text): text
        }
    }
}

extension OutputAction {
    fileprivate func sentence(telling value: OutOfBandValue) -> String {
        let times = value == .number(1) ? "1 time" : "\(value.words) times"
        return switch self {
        case .blink: "blinks \(times)"
        case .beep: "beeps \(times)"
        case .vibrate: "vibrates \(times)"
        case .numeric, .alphanumeric: "shows \(value.words)"
        }
    }
}

extension InputAction {
    fileprivate func sentence(size: UInt8) -> String {
        let digits = size == 1 ? "1 digit" : "\(size) digits"
        return switch self {
        case .push: "push its button, a number of \(digits)"
        case .twist: "twist its knob, a number of \(digits)"
        case .numeric: "type a number of \(digits)"
        case .alphanumeric: "\(size) \(size == 1 ? "character is" : "characters are") to be typed"
        }
    }
}

/// Why a device does not accept an input.
package enum DeviceInputError: Error, Hashable, Sendable {
    case unknownDevice
    case notAwaited
    /// The value is not a possible one; the device keeps waiting.
    case value(OutOfBandValueError)
}

extension DeviceInputError: CustomStringConvertible {
    /// A clause for people, without a full stop.
    package var description: String {
        switch self {
        case .unknownDevice: "there is no such device"
        case .notAwaited: "the device waits for no input"
        case .value(let error): "\(error)"
        }
    }
}
