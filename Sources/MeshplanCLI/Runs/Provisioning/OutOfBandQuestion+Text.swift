import Execution
import MeshCore

extension OutOfBandQuestion {
    /// The instruction for the person.
    var text: String {
        switch self {
        case .output(let device, let action, let size):
            let name = device.printable
            switch action {
            case .blink: return "Type the number of times that \(name) blinks:"
            case .beep: return "Type the number of times that \(name) beeps:"
            case .vibrate: return "Type the number of times that \(name) vibrates:"
            case .numeric:
                return "Type the number that \(name) shows, \(size == 1 ? "1 digit" : "up to \(size) digits"):"
            case .alphanumeric: return "Type the \(count(Int(size), "character")) that \(name) shows:"
            }
        case .input(let device, let action, let value):
            let name = device.printable
            switch action {
            case .push: return "Push the button of \(name) \(value.times)."
            case .twist: return "Twist the knob of \(name) \(value.times)."
            case .numeric, .alphanumeric: return "Enter \(value.text) on \(name)."
            }
        }
    }

    /// The value in a typed line, as the executor takes it.
    ///
    /// - Throws: ``OutOfBandValueError`` if it cannot be the value.
    func answer(in line: String) throws(OutOfBandValueError) -> String {
        guard case .output(_, let action, let size) = self else { throw .wrongKind }
        // Devices show only capital letters, but small ones are easier to type.
        let text = line.trimmed.uppercased()
        _ = try action.format(size: size).parse(text)
        return text
    }
}

extension OutOfBandValue {
    /// The value, as devices show it and people type it.
    var text: String {
        switch self {
        case .number(let number): String(number)
        case .text(let text): text
        }
    }

    fileprivate var times: String {
        if case .number(1) = self { return "once" }
        return "\(text) times"
    }
}
