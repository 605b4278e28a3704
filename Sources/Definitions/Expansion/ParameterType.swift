import MeshCore

/// What the values of a parameter or variable must be.
enum ParameterType: String, CaseIterable {
    case text
    case number
    /// A unicast or group address.
    case address
    /// A time with its unit.
    case duration
    case state = "on/off"
    case list

    static func named(_ text: String) throws(ScalarProblem) -> ParameterType {
        if let type = ParameterType(rawValue: text) { return type }
        let names = allCases.map(\.rawValue).joined(separator: ", ")
        throw ScalarProblem("\(quoted(text)) is not a type", hint: "types are \(names)")
    }

    func check(_ text: String) throws(ScalarProblem) {
        switch self {
        case .text: break
        case .number: _ = try Numbers.decimal(text, in: 0...4_294_967_295, "a number")
        case .address: _ = try Addresses.address(text)
        case .duration: _ = try Durations.milliseconds(text)
        case .state: _ = try Words.boolean(text)
        case .list: throw ScalarProblem("a list is expected here, not \(quoted(text))", hint: "write [ … ]")
        }
    }
}

/// A parameter of a module, or a variable.
struct ParameterDeclaration {
    /// The symbol of its name.
    var name: UInt32
    /// What its values must be; nil for anything.
    var type: ParameterType?
    /// Its value where none is given; nil if one must be given.
    var defaultValue: ParameterScope.Value?
}
