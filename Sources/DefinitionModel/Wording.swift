/// What a definition says about a thing for people, in any script.
package struct Wording: Hashable, Sendable {
    /// What people call it: one line, which phones show in place of its name.
    package var title: Located<String>?
    /// What else there is to know; only in the definition.
    package var description: Located<String>?

    package init() {}
}

/// The rule for titles and descriptions: any text without characters that nobody sees.
package enum WordingText {
    package static let longestTitle = 120
    package static let longestDescription = 1000

    /// The first character that must not be in a title; nil if there is none. Joiners are allowed, because some scripts
    /// need them; everything else that is invisible or changes the writing direction is not.
    package static func problem(in text: String) -> Unicode.Scalar? {
        text.unicodeScalars.first { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
            case .format: scalar != "\u{200C}" && scalar != "\u{200D}"
            default: false
            }
        }
    }

    package static func isTitle(_ text: String) -> Bool {
        problem(in: text) == nil && text.unicodeScalars.count <= longestTitle
            && text.unicodeScalars.contains { !$0.properties.isWhitespace }
    }
}
