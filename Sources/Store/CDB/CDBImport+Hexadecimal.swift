import MeshCore
import SystemLayer

/// Numbers in hexadecimal digits. Some programs write numbers instead, or put 0x before the digits.
extension CDBImport {
    /// Four hexadecimal digits; nil if the member is missing.
    mutating func hexadecimal16(_ name: String, in object: inout CDBObject) throws(CDBRefusal) -> UInt16? {
        guard let value = object.take(name) else { return nil }
        return try hexadecimal16(value, at: object.pointer(to: name))
    }

    /// Four hexadecimal digits.
    mutating func hexadecimal16(_ value: JSONValue, at pointer: String) throws(CDBRefusal) -> UInt16 {
        switch value {
        case .string(let text):
            if let digits = prefixed(text), (1...4).contains(digits.utf8.count), let number = UInt16(digits, radix: 16)
            {
                repair(pointer, "\(CDBObject.shown(text)) taken as \(number.hexadecimal)")
                return number
            }
            guard let bytes = Hexadecimal.decode(text), bytes.count == 2 else {
                throw CDBObject.invalid(pointer, "4 hexadecimal digits are expected, not \(CDBObject.shown(text))")
            }
            return UInt16(bytes[0]) << 8 | UInt16(bytes[1])
        case .number(let spelling):
            return try number16(spelling, at: pointer)
        default:
            throw CDBObject.invalid(pointer, "a string of 4 hexadecimal digits is expected, not \(value.kind)")
        }
    }

    /// A number in the place of digits: 1000 may mean 03E8, or the digits 1000.
    private mutating func number16(_ spelling: String, at pointer: String) throws(CDBRefusal) -> UInt16 {
        guard let number = UInt16(spelling) else {
            throw CDBObject.invalid(pointer, "a string of 4 hexadecimal digits is expected, not \(spelling.prefix(20))")
        }
        let digits = number <= 9_999 ? UInt16(spelling, radix: 16) : nil
        let isDecimal = survey.hasDecimalAddresses || survey.isWritten(by: [.pyACI]) == true
        guard isDecimal || digits == nil || digits == number else {
            throw CDBObject.invalid(
                pointer,
                "the number \(number) is either \(number.hexadecimal) or, by its digits, \(digits?.hexadecimal ?? "")"
            )
        }
        repair(pointer, "the number \(number) taken as \(number.hexadecimal)")
        return number
    }

    /// What follows 0x; nil if the text does not begin with it.
    private func prefixed(_ text: String) -> Substring? {
        text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : nil
    }

    /// A unicast address.
    mutating func unicast(_ value: JSONValue, at pointer: String) throws(CDBRefusal) -> UnicastAddress {
        let number = try hexadecimal16(value, at: pointer)
        guard let address = UnicastAddress(rawValue: number) else {
            throw CDBObject.invalid(
                pointer,
                "a unicast address, 0001 to 7FFF, is expected, not \(number.hexadecimal)"
            )
        }
        return address
    }

    /// A key of 32 hexadecimal digits. No message repeats the digits.
    mutating func key(_ name: String, in object: inout CDBObject) throws(CDBRefusal) -> KeyMaterial? {
        guard let text = try object.text(name) else { return nil }
        let digits = prefixed(text)
        guard let bytes = Hexadecimal.decode(digits ?? text[...]), let key = KeyMaterial(bytes) else {
            throw object.invalid(name, "a key of 32 hexadecimal digits is expected")
        }
        if digits != nil { repair(object.pointer(to: name), "a key with 0x before it") }
        return key
    }

    /// A label, if the value is long enough for one.
    mutating func label(_ value: JSONValue, at pointer: String) throws(CDBRefusal) -> LabelUUID? {
        guard case .string(let text) = value, text.utf8.count >= 32 else { return nil }
        let digits = prefixed(text)
        guard let label = LabelUUID(digits ?? text[...]) else {
            throw CDBObject.invalid(pointer, "32 hexadecimal digits are expected, not \(CDBObject.shown(text))")
        }
        if digits != nil { repair(pointer, "a label with 0x before it") }
        if text.contains("-") { repair(pointer, "a label with hyphens") }
        return label
    }

    /// A group address or a label; no fixed group such as all-nodes.
    mutating func groupAddress(_ value: JSONValue, at pointer: String) throws(CDBRefusal) -> SubscriptionAddress {
        if let label = try label(value, at: pointer) { return .virtual(label) }
        return try groupAddress(try hexadecimal16(value, at: pointer), at: pointer)
    }

    /// The group with that address.
    func groupAddress(_ number: UInt16, at pointer: String) throws(CDBRefusal) -> SubscriptionAddress {
        guard let group = GroupAddress(rawValue: number) else {
            let isVirtual = Address(rawValue: number).kind == .virtual
            throw CDBObject.invalid(
                pointer,
                isVirtual
                    ? "\(number.hexadecimal) is a virtual address; its label of 32 digits is needed"
                    : "a group address or a label is expected, not \(number.hexadecimal)"
            )
        }
        return .group(group)
    }
}
