import MeshCore

extension ProvisioningCapabilities {
    /// The capabilities of a device, for people: `3 elements, Static OOB, output by blinking`.
    var text: String {
        var parts = [count(Int(elementCount), "element")]
        if isStaticValueAvailable { parts.append("a static value") }
        if isPublicKeyAvailable { parts.append("a public key out of band") }
        if !outputActions.isEmpty { parts.append("output by \(outputActions.map(\.gerund).joined(separator: " or "))") }
        if !inputActions.isEmpty { parts.append("input by \(inputActions.map(\.gerund).joined(separator: " or "))") }
        if !isStaticValueAvailable, outputActions.isEmpty, inputActions.isEmpty { parts.append("nothing out of band") }
        return parts.joined(separator: ", ")
    }
}

extension OutputAction {
    /// The action of the device, as a noun.
    fileprivate var gerund: String {
        switch self {
        case .blink: "blinking"
        case .beep: "beeping"
        case .vibrate: "vibrating"
        case .numeric: "showing a number"
        case .alphanumeric: "showing characters"
        }
    }
}

extension InputAction {
    /// The action of the person, as a noun.
    fileprivate var gerund: String {
        switch self {
        case .push: "pushing a button"
        case .twist: "twisting a knob"
        case .numeric: "entering a number"
        case .alphanumeric: "entering characters"
        }
    }
}
