import DefinitionModel

/// A length on the command line, in the form of definitions: `12m`, `850cm`, `3.5m`.
enum LengthArgument {
    /// The length in whole millimetres, 10 km at most; nil for anything else.
    static func millimetres(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = String(text[digits.endIndex...])
        guard let factor = LengthText.units.first(where: { $0.0 == unit })?.1, let number = Double(digits) else {
            return nil
        }
        let value = (number * Double(factor)).rounded()
        guard (0...Double(NodePosition.farthest)).contains(value) else { return nil }
        return Int(value)
    }
}
