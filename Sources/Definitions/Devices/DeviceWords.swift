import MeshCore

/// Scalars that say what devices can do.
enum DeviceWords {
    /// A number of 16 bits, decimal or with `0x`.
    static func number(_ text: String, _ title: String) throws(ScalarProblem) -> UInt16 {
        if text.hasPrefix("0x") || text.hasPrefix("0X") {
            if let number = Numbers.hexadecimal(text) { return number }
            throw ScalarProblem("\(quoted(text)) is not \(title)", hint: "write up to four hexadecimal digits")
        }
        return UInt16(try Numbers.decimal(text, in: 0...0xFFFF, title))
    }

    /// The octets of Composition Data Page 0 (Mesh Protocol 4.2.2.1) as hexadecimal digits, with white space between
    /// them where people put some.
    static func composition(_ text: String) throws(ScalarProblem) -> Composition {
        var digits = text.filter { !$0.isWhitespace }
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") { digits.removeFirst(2) }
        guard !digits.isEmpty, let octets = Hexadecimal.decode(digits) else {
            throw ScalarProblem(
                "the octets of Composition Data Page 0 are expected here",
                hint: "write two hexadecimal digits for each octet: 590001000100400003000000030000000200001000"
            )
        }
        do {
            let (composition, _) = try Composition.told(page0: octets)
            guard composition.elements.first?.models.contains(.configurationServer) ?? false else {
                throw ScalarProblem(
                    "the first element has no configuration-server",
                    hint: "each node has one there; compare them with what the device tells, its page number left out"
                )
            }
            return composition
        } catch let problem as ScalarProblem {
            throw problem
        } catch {
            throw ScalarProblem(
                "the octets are no Composition Data Page 0: \(error)",
                hint: "compare them with what the device tells, its page number left out"
            )
        }
    }

    static func feature(_ text: String) throws(ScalarProblem) -> FeatureSet {
        try word(
            text,
            "a feature",
            [("relay", .relay), ("proxy", .proxy), ("friend", .friend), ("low_power", .lowPower)]
        )
    }

    /// How a device presents a value.
    static func outputAction(_ text: String) throws(ScalarProblem) -> OutputAction {
        try word(text, "an output action", OutputAction.allCases.map { (name($0), $0) })
    }

    /// How a device accepts a value.
    static func inputAction(_ text: String) throws(ScalarProblem) -> InputAction {
        try word(text, "an input action", InputAction.allCases.map { (name($0), $0) })
    }

    static func provisioningBearer(_ text: String) throws(ScalarProblem) -> ProvisioningBearers {
        try word(text, "a provisioning bearer", [("pb-adv", .advertising), ("pb-gatt", .gatt)])
    }

    /// Something that a device does differently from others.
    static func quirk(_ text: String) throws(ScalarProblem) -> DeviceQuirk {
        if let quirk = DeviceQuirk(name: text) { return quirk }
        guard !text.hasPrefix(DeviceQuirk.silentPrefix) else {
            throw ScalarProblem(
                "\(quoted(text)) names no opcode",
                hint: "write the opcode of the request in hexadecimal, as in \(DeviceQuirk.silent(0x8038).name)"
            )
        }
        let names = DeviceQuirk.plain.map(\.name) + [DeviceQuirk.silentPrefix + "OPCODE"]
        throw ProvisioningWords.problem(text, "a quirk", among: names)
    }

    private static func name(_ action: OutputAction) -> String {
        switch action {
        case .blink: "blink"
        case .beep: "beep"
        case .vibrate: "vibrate"
        case .numeric: "numeric"
        case .alphanumeric: "alphanumeric"
        }
    }

    private static func name(_ action: InputAction) -> String {
        switch action {
        case .push: "push"
        case .twist: "twist"
        case .numeric: "numeric"
        case .alphanumeric: "alphanumeric"
        }
    }

    /// The most digits or characters of a value.
    static func size(_ text: String) throws(ScalarProblem) -> UInt8 {
        UInt8(try Numbers.decimal(text, in: 1...8, "a size"))
    }

    /// Where out-of-band data can be found: the names of the bits, with hyphens instead of spaces.
    static func outOfBandInformation(_ text: String) throws(ScalarProblem) -> OutOfBandInformation {
        let bits = (0..<UInt16.bitWidth).map { OutOfBandInformation(rawValue: 1 << UInt16($0)) }
        let words = bits.compactMap { bit in
            bit.names.first.map { name in (String(name.lowercased().map { $0 == " " ? "-" : $0 }), bit) }
        }
        return try word(text, "a place of out-of-band data", words)
    }

    /// A URI: a scheme, a colon, and something after it (RFC 3986 3).
    static func uri(_ text: String) throws(ScalarProblem) -> String {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let isScheme = parts.first?.utf8.allSatisfy { byte in
            Numbers.isDigit(byte) || (0x61...0x7A).contains(byte | 0x20) || "+-.".utf8.contains(byte)
        }
        guard parts.count == 2, isScheme == true, parts.allSatisfy({ !$0.isEmpty }),
            text.utf8.allSatisfy({ (0x21..<0x7F).contains($0) })
        else {
            throw ScalarProblem("\(quoted(text)) is not a URI", hint: "write it like https://example.com/lamp")
        }
        return text
    }

    private static func word<Value>(
        _ text: String,
        _ title: String,
        _ words: [(String, Value)]
    ) throws(ScalarProblem) -> Value {
        if let value = words.first(where: { $0.0 == text })?.1 { return value }
        throw ProvisioningWords.problem(text, title, among: words.map(\.0))
    }
}
