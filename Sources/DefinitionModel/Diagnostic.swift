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

extension Diagnostic {
    /// The order in which diagnostics are shown: by location, then errors before warnings before notes, then by text.
    /// Diagnostics without a location come last.
    package static func comesBefore(_ left: Diagnostic, _ right: Diagnostic) -> Bool {
        switch (left.location, right.location) {
        case (let first?, let second?) where first != second: return first < second
        case (_?, nil): return true
        case (nil, _?): return false
        default: break
        }
        if left.severity != right.severity { return left.severity > right.severity }
        return left.message < right.message
    }
}

extension [Diagnostic] {
    /// The diagnostics in the order in which they are shown, without repetitions.
    ///
    /// A value behind an alias is read once for every alias, so its mistakes are found as often. Repetitions become one
    /// diagnostic, which has no resource if they named different ones.
    package func arranged() -> [Diagnostic] {
        var arranged: [Diagnostic] = []
        for diagnostic in sorted(by: Diagnostic.comesBefore) {
            guard let previous = arranged.last, previous.isSaidAgain(by: diagnostic) else {
                arranged.append(diagnostic)
                continue
            }
            if previous.resource != diagnostic.resource { arranged[arranged.count - 1].resource = nil }
        }
        return arranged
    }
}

extension Diagnostic {
    /// Whether both say the same about the same location.
    fileprivate func isSaidAgain(by other: Diagnostic) -> Bool {
        location != nil && location == other.location && severity == other.severity && message == other.message
    }
}
