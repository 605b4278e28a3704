package import MeshCore

/// A message to the user about their input. Diagnostics are collected, sorted and shown together, never thrown one by
/// one.
package struct Diagnostic: Hashable, Sendable {
    /// How severe it is.
    package enum Severity: Int, Comparable, Sendable {
        /// Worth knowing.
        case note
        /// Probably not what was meant.
        case warning
        /// The command cannot continue.
        case error

        /// Notes before warnings before errors.
        package static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }
    }

    /// How severe it is.
    package var severity: Severity
    /// One sentence without a full stop: what is wrong. Never holds key material.
    package var message: String
    /// The location; nil if no line is the cause.
    package var location: SourceLocation?
    /// How many characters to underline from the location on, at least 1.
    package var length: Int
    /// The resource that it concerns, such as `node.kitchen-1`, if any.
    package var resource: String?
    /// How to correct it, in a sentence: what is allowed, or "did you mean".
    package var hint: Advice?
    /// Other places that matter, such as the first definition of a name.
    package var related: [Related]
    /// Whether the source line must not be shown because it may contain a key.
    package var concealsSource: Bool

    /// Another place that matters.
    package struct Related: Hashable, Sendable {
        /// What is there, a few words.
        package var message: String
        /// The place.
        package var location: SourceLocation

        package init(message: String, location: SourceLocation) {
            self.message = message
            self.location = location
        }
    }

    /// A diagnostic; an absent part does not apply.
    package init(
        _ severity: Severity,
        _ message: String,
        at location: SourceLocation? = nil,
        length: Int = 1,
        resource: String? = nil,
        hint: Advice? = nil,
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

    /// A diagnostic with a hint of words alone.
    @_disfavoredOverload
    package init(
        _ severity: Severity,
        _ message: String,
        at location: SourceLocation? = nil,
        length: Int = 1,
        resource: String? = nil,
        hint: String?,
        related: [Related] = [],
        concealsSource: Bool = false
    ) {
        self.init(
            severity,
            message,
            at: location,
            length: length,
            resource: resource,
            hint: hint.map { Advice($0) },
            related: related,
            concealsSource: concealsSource
        )
    }
}
