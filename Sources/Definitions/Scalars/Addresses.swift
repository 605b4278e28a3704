import MeshCore

/// Addresses as definitions write them: always `0x` and up to four digits. Bare digits would mean one number to people
/// who read hexadecimal and another one to everyone else.
enum Addresses {
    /// Any 16-bit address.
    static func address(_ text: String) throws(ScalarProblem) -> Address {
        if let number = Numbers.hexadecimal(text) { return Address(rawValue: number) }
        throw ScalarProblem("\(quoted(text)) is not an address", hint: form(for: text) ?? "write it like 0x0010")
    }

    /// The address of a node, 0x0001 to 0x7FFF.
    static func unicast(_ text: String) throws(ScalarProblem) -> UnicastAddress {
        let address = try address(text)
        guard let unicast = UnicastAddress(rawValue: address.rawValue) else {
            throw ScalarProblem(
                "\(address) is not a unicast address",
                hint: "nodes have addresses from 0x0001 to 0x7FFF"
            )
        }
        return unicast
    }

    /// An address that a network may give to a group, 0xC000 to 0xFEFF.
    static func assignableGroup(_ text: String) throws(ScalarProblem) -> GroupAddress {
        let address = try address(text)
        if let group = GroupAddress(rawValue: address.rawValue), GroupAddress.assignable.contains(group.rawValue) {
            return group
        }
        let hint =
            switch address.kind {
            case .virtual: "virtual addresses follow from a label: write `label:` and 32 hexadecimal digits"
            case .group: "0xFF00 and above are fixed groups, such as all-proxies; groups have 0xC000 to 0xFEFF"
            case .unassigned, .unicast: "groups have addresses from 0xC000 to 0xFEFF"
            }
        throw ScalarProblem("\(address) cannot be the address of a group", hint: hint)
    }

    /// The label of a virtual address.
    static func label(_ text: String) throws(ScalarProblem) -> LabelUUID {
        if let octets = Octets16(hexadecimal: text) { return LabelUUID(rawValue: octets) }
        throw ScalarProblem("\(quoted(text)) is not a label", hint: digitsHint(text))
    }

    static func uuid(_ text: String) throws(ScalarProblem) -> DeviceUUID {
        if let octets = Octets16(hexadecimal: text) { return DeviceUUID(rawValue: octets) }
        throw ScalarProblem("\(quoted(text)) is not a UUID", hint: digitsHint(text))
    }

    /// How to write an address; nil unless the text is its bare digits.
    static func form(for text: String) -> String? {
        guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy(Numbers.isHexadecimalDigit) else { return nil }
        let asDecimal =
            text.utf8.allSatisfy(Numbers.isDigit) && text.utf8.first != UInt8(ascii: "0") && text.utf8.count > 1
            ? UInt16(text) : nil
        guard let asHexadecimal = UInt16(text, radix: 16) else {
            return asDecimal.map { "write addresses as hexadecimal: 0x\($0.hexadecimal)" }
        }
        guard let asDecimal else { return "write addresses with 0x: 0x\(asHexadecimal.hexadecimal)" }
        return
            "write addresses with 0x: 0x\(asHexadecimal.hexadecimal), or 0x\(asDecimal.hexadecimal) for decimal \(text)"
    }

    private static func digitsHint(_ text: String) -> String {
        let count = text.utf8.count { Numbers.isHexadecimalDigit($0) }
        let others = text.utf8.count { !Numbers.isHexadecimalDigit($0) && $0 != UInt8(ascii: "-") }
        guard others == 0, count != 32 else { return "write 32 hexadecimal digits, with or without hyphens" }
        return "write 32 hexadecimal digits, with or without hyphens; these are \(count)"
    }
}
