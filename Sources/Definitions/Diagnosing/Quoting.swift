import DefinitionModel

/// Text from a file for a message: in backticks, shortened, without control characters for a terminal, and never
/// anything that looks like a key.
func quoted(_ text: String) -> String {
    let limit = 48
    if text.utf8.count >= 31, text.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) {
        return "(\(text.utf8.count) digits, not shown)"
    }
    var shown = ""
    var count = 0
    for scalar in text.concealingKeys(first: limit + 1) {
        if count == limit {
            shown += "…"
            break
        }
        count += 1
        if isVisible(scalar) {
            shown.unicodeScalars.append(scalar)
        } else {
            shown += scalar == "\n" ? "\\n" : "\\u{\(String(scalar.value, radix: 16))}"
        }
    }
    return "`\(shown)`"
}

private func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: true
    }
}
