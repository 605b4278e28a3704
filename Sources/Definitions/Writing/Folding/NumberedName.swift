import DefinitionModel

/// A name with a place for a number: `lamp-` 101 `-door`.
struct NumberedName: Hashable {
    /// What stands before the number.
    let prefix: String
    /// What stands after it.
    let suffix: String

    /// The numbers in a name, each with the rest of the name, in their order. Numbers of more than nine digits are no
    /// numbers of rooms.
    static func readings(of name: String) -> [(number: String, name: NumberedName)] {
        var readings: [(number: String, name: NumberedName)] = []
        let bytes = Array(name.utf8)
        var place = 0
        while place < bytes.count {
            guard Numbers.isDigit(bytes[place]) else {
                place += 1
                continue
            }
            let end = bytes[place...].firstIndex { !Numbers.isDigit($0) } ?? bytes.count
            if end - place <= 9 {
                let rest = NumberedName(
                    prefix: String(decoding: bytes[..<place], as: UTF8.self),
                    suffix: String(decoding: bytes[end...], as: UTF8.self)
                )
                readings.append((String(decoding: bytes[place..<end], as: UTF8.self), rest))
            }
            place = end
        }
        return readings
    }

    /// The name with a mark in the place of a number; nil if the name does not hold that number exactly once.
    static func marked(_ name: String, _ number: String, mark: String) -> String? {
        let found = readings(of: name).filter { $0.number == number }
        return found.count == 1 ? found[0].name.prefix + mark + found[0].name.suffix : nil
    }
}
