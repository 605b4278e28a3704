/// Something to tell the user about their input: collected, sorted and rendered together, never thrown one by one.
package struct Diagnostic: Hashable, Sendable {
    /// How bad it is.
    package enum Severity: Int, Comparable, Sendable {
        /// Worth knowing.
        case note
        /// Probably not what was meant.
        case warning
        /// Nothing can go on with it.
        case error

        /// Notes before warnings before errors.
        package static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }
    }

    /// How bad it is.
    package var severity: Severity
    /// One sentence without a full stop: what is wrong. Never holds key material.
    package var message: String
    /// Where; nil where no line is to blame.
    package var location: SourceLocation?
    /// How many characters from the location on are to be underlined, at least 1.
    package var length: Int
    /// The resource it is about, such as `node.kitchen-1`, if any.
    package var resource: String?
    /// How to mend it, a sentence; what is allowed, "did you mean".
    package var hint: String?
    /// Other places that matter, such as the first definition of a name, each with a few words.
    package var related: [Related]
    /// Whether the source line must not be shown because a key may stand in it.
    package var concealsSource: Bool

    /// Another place that matters.
    package struct Related: Hashable, Sendable {
        /// What is there, a few words.
        package var message: String
        /// Where.
        package var location: SourceLocation

        /// A place and what is there.
        package init(message: String, location: SourceLocation) {
            self.message = message
            self.location = location
        }
    }

    /// A diagnostic with those parts.
    package init(
        _ severity: Severity,
        _ message: String,
        at location: SourceLocation? = nil,
        length: Int = 1,
        resource: String? = nil,
        hint: String? = nil,
        related: [Related] = [],
        concealsSource: Bool = false
    ) {
        self.severity = severity
        self.message = message
        self.location = location
        self.length = length
        self.resource = resource
        self.hint = hint
        self.related = related
        self.concealsSource = concealsSource
    }
}
