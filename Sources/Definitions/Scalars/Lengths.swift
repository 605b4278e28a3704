import DefinitionModel
import MeshCore

/// Lengths with units: `3.5m`, `350cm`, `12mm`.
enum Lengths {
    /// The millimetres of a length from the corner of a floor, at most 10 km.
    static func millimetres(_ text: String) throws(ScalarProblem) -> Int {
        guard !text.hasPrefix("-") else {
            throw ScalarProblem(
                "\(quoted(text)) is less than nothing",
                hint: "positions are counted from the corner of the floor, so that no node stands before it"
            )
        }
        let end = text.utf8.firstIndex { !Numbers.isDigit($0) && $0 != UInt8(ascii: ".") } ?? text.utf8.endIndex
        let number = text[..<end]
        let unit = String(text[end...])
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }) else {
            throw ScalarProblem("\(quoted(text)) is not a length", hint: "write it like 3.5m, 350cm or 3500mm")
        }
        guard !unit.isEmpty else {
            throw ScalarProblem("\(quoted(text)) has no unit", hint: "write \(number)m, \(number)cm or \(number)mm")
        }
        guard let factor = LengthText.units.first(where: { $0.0 == unit })?.1 else {
            throw ScalarProblem("\(quoted(text)) has an unknown unit", hint: "units are m, cm and mm")
        }
        let fraction = parts.count == 2 ? parts[1] : ""
        guard parts[0].utf8.count <= 8, fraction.utf8.count <= 6, let scaled = Int(String(parts[0] + fraction)) else {
            throw ScalarProblem("\(quoted(text)) has too many digits")
        }
        let divisor = (0..<fraction.utf8.count).reduce(1) { power, _ in power * 10 }
        let product = scaled * factor
        guard product % divisor == 0 else {
            throw ScalarProblem("\(quoted(text)) has a fraction of a millimetre")
        }
        guard product / divisor <= NodePosition.farthest else {
            throw ScalarProblem(
                "\(quoted(text)) is too long",
                hint: "a length is at most \(LengthText.text(millimetres: NodePosition.farthest))"
            )
        }
        return product / divisor
    }

    /// A length above 0, such as the width of a floor.
    static func extent(_ text: String) throws(ScalarProblem) -> Int {
        let length = try millimetres(text)
        guard length >= 100 else {
            throw ScalarProblem("a floor of \(quoted(text)) is too small", hint: "write its real size, such as 30m")
        }
        return length
    }
}
