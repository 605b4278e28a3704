import Catalogue
import DefinitionModel

/// Values of fields as definitions write them, with what to do about those that cannot be read.
enum StateWords {
    static func value(_ text: String, _ type: FieldType) throws(ScalarProblem) -> FieldValue {
        switch type.layout {
        case .unsigned, .signed, .float: return .integer(try raw(text, type.declared))
        default:
            do throws(TextError) {
                return try type.value(reading: text)
            } catch {
                throw ScalarProblem(error.description)
            }
        }
    }

    private static func raw(_ text: String, _ type: FieldType) throws(ScalarProblem) -> Int64 {
        let quantity = Quantity(text)
        if type.needsUnit, !text.hasPrefix("0x"), let quantity, quantity.unit.isEmpty, quantity.number != 0 {
            let example = (try? type.raw(reading: text + type.unit)).map(type.word) ?? type.example
            throw ScalarProblem("\(quoted(text)) has no unit", hint: "write for example `\(example)`\(units(type))")
        }
        let raw: Int64
        do throws(TextError) {
            raw = try type.raw(reading: text)
        } catch {
            throw problem(text, quantity, type, error)
        }
        guard let wanted = quantity?.number(in: type.unit), !text.hasPrefix("0x"), !isNear(wanted, raw, type) else {
            return raw
        }
        throw ScalarProblem(
            "messages cannot carry \(quoted(text))",
            hint: "the nearest value is `\(type.word(of: raw))`"
        )
    }

    /// Whether a raw number is what people mean by a number: it is written so, or its value is near.
    private static func isNear(_ wanted: Double, _ raw: Int64, _ type: FieldType) -> Bool {
        guard case .number(let sent, _) = type.meaning(of: raw) else { return true }
        let written = Quantity(type.word(of: raw))?.number(in: type.unit)
        return written == wanted || abs(sent - wanted) <= abs(wanted) * tolerance
    }

    /// How far a value may be from the one that a message carries. The coarsest steps are powers of 1.1.
    private static let tolerance = 0.05

    private static func problem(
        _ text: String,
        _ quantity: Quantity?,
        _ type: FieldType,
        _ error: TextError
    ) -> ScalarProblem {
        if type.notation == .property {
            return ScalarProblem("there is no property \(quoted(text))", hint: propertyHint(text, nil))
        }
        let words = type.words.sorted { $0.key < $1.key }.map(\.value)
        guard let limits = type.ordinaryValues else {
            let choices = type.notation == .set ? words + ["all", "none"] : words
            let hint = Suggestion.hint(for: text, among: choices, are: "allowed here")
            return ScalarProblem(
                "\(quoted(text)) is no value here",
                hint: hint ?? "write for example `\(type.example)`"
            )
        }
        let range = "it goes from \(type.word(of: limits.lowerBound)) to \(type.word(of: limits.upperBound))"
        let example = "for example `\(type.example)`"
        let others = words.isEmpty || words.count > 8 ? "" : "; also allowed: \(words.joined(separator: ", "))"
        guard let quantity, !text.hasPrefix("0x") else {
            let nearest = Suggestion.nearest(to: text, among: words).map { "did you mean `\($0)`? " } ?? ""
            return ScalarProblem("\(quoted(text)) is no value here", hint: "\(nearest)\(range), \(example)\(others)")
        }
        guard quantity.unit.isEmpty || quantity.number(in: type.unit) != nil else {
            let hint =
                type.unit.isEmpty
                ? "write a number without a unit; \(range), \(example)\(others)"
                : "the unit is \(type.unit)\(units(type)); \(range), \(example)\(others)"
            return ScalarProblem("\(quoted(text)) has the wrong unit", hint: hint)
        }
        return ScalarProblem("\(quoted(text)) is out of range", hint: "\(range), \(example)\(others)")
    }

    private static func units(_ type: FieldType) -> String {
        ["s", "min", "h", "d"].contains(type.unit) ? ", in ms, s, min, h or d" : ""
    }

    /// The nearest property of a list, or of all.
    static func propertyHint(_ word: String, _ allowed: [String]?) -> String? {
        guard let allowed else {
            return Suggestion.nearest(to: word, among: DeviceProperty.all.map(\.name)).map { "did you mean `\($0)`?" }
                ?? "write its name in the Assigned Numbers with hyphens, or its identifier as 0x004E"
        }
        return Suggestion.hint(for: word, among: allowed, are: "properties of this model")
    }
}
