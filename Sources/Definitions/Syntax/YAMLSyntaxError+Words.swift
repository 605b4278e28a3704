/// libyaml speaks of tokens and contexts. These are the same complaints in words that help to mend the file.
extension YAMLSyntaxError {
    /// The most characters of a key (YAML 1.2, 7.4.2 and 8.2.2: implicit keys).
    static let longestKey = 1024

    /// What is wrong and how to mend it.
    ///
    /// - Parameters:
    ///   - next: the octet at the place of the problem, if there is one.
    ///   - isLong: whether the text there is longer than a key can be.
    func words(next: UInt8?, isLong: Bool = false) -> (message: String, hint: String?) {
        if isOutOfMemory { return ("there is not enough memory to read the file", nil) }
        if next == UInt8(ascii: "\t"), problem.hasPrefix("found character") || problem.hasPrefix("found a tab") {
            return ("a tab where indentation is expected", "indent with spaces")
        }
        switch problem {
        case "found character that cannot start any token": return cannotStart(next)
        case "found a tab character where an indentation space is expected",
            "found a tab character that violates indentation":
            return ("a tab where indentation is expected", "indent with spaces")
        case "could not find expected ':'":
            if isLong {
                return (
                    "a key of more than \(Self.longestKey) characters",
                    "YAML limits the length of keys; if this is text and not a key, put it after a key and a `:`"
                )
            }
            return ("a key without `:`", "write `key: value`, and indent continued text")
        case "mapping values are not allowed in this context":
            return ("a `:` where no key can stand", "check the indentation, and quote text that holds `: `")
        case "mapping keys are not allowed in this context":
            return ("a key where none can stand", "check the indentation")
        case "block sequence entries are not allowed in this context":
            return ("a list entry `- ` where none can stand", "check the indentation; a list starts on its own line")
        case "did not find expected key":
            return ("this does not fit the mapping around it", "check the indentation and missing quotes")
        case "did not find expected '-' indicator":
            return ("this does not fit the list around it", "check the indentation; entries start with `- `")
        case "did not find expected ',' or '}'":
            return ("`,` or `}` is missing", "the mapping was opened with `{`")
        case "did not find expected ',' or ']'":
            return ("`,` or `]` is missing", "the list was opened with `[`")
        case "did not find expected node content":
            return ("a value is missing", "check for a stray `,`, `:` or bracket")
        case "did not find expected <document start>":
            return ("text after the end of the document", "check the indentation, or start a new document with `---`")
        case "found unexpected end of stream":
            return ("the quotes are never closed", "close them")
        case "found unexpected document indicator":
            return ("the quotes are not closed before the next document", "close them")
        case "did not find expected alphabetic or numeric character":
            return context.contains("alias")
                ? ("`*` without the name of an anchor", "quote patterns that start with `*`: \"*-lamp\"")
                : ("`&` without the name of an anchor", "quote text that starts with `&`")
        case "found unknown escape character", "did not find expected hexdecimal number",
            "found invalid Unicode character escape code":
            return ("an unknown escape after `\\`", "use single quotes where `\\` stands for itself")
        case "found undefined tag handle": return ("a tag that nothing defines", "leave tags out")
        case "found incompatible YAML document": return ("a version of YAML that cannot be read", "use %YAML 1.2")
        case "found unexpected ':'": return ("a `:` inside text in brackets", "quote the text")
        default: return (problem.isEmpty ? "this is not YAML" : "this is not YAML: \(problem)", nil)
        }
    }

    private func cannotStart(_ next: UInt8?) -> (message: String, hint: String?) {
        guard let next, (0x21..<0x7F).contains(next) else { return ("a value cannot start here", nil) }
        return (
            "a value cannot start with `\(Character(Unicode.Scalar(next)))`", "quote text that starts with it"
        )
    }

    /// The bracket that was left open, if the context is about one.
    var opening: String? {
        switch context {
        case "while parsing a flow mapping": "the `{`"
        case "while parsing a flow sequence": "the `[`"
        default: nil
        }
    }

    /// The line and column to show, from 0. libyaml notices some mistakes only where the next thing starts, lines
    /// later. Those are shown where they begin.
    var place: (line: UInt32, column: UInt32) {
        switch problem {
        case "could not find expected ':'", "found unexpected end of stream", "found unexpected document indicator":
            (contextLine, contextColumn)
        default: (line, column)
        }
    }
}
