package import MeshCore

/// Something in a network that is wrong, will become wrong, or is worth knowing.
package struct ExaminationFinding: Hashable, Sendable {
    /// How serious it is.
    package enum Severity: Int, Comparable, CaseIterable, Sendable {
        /// Worth knowing; nothing to do.
        case note = 0
        /// Something should be done before it causes harm.
        case warning = 1
        /// The record contradicts itself or the specification: messages will fail or go to the wrong place.
        case error = 2

        package static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }
    }

    package var severity: Severity
    /// The kind of finding, for programs: lower-case words with hyphens. Their meaning never changes.
    package var code: String
    /// The item, like `node.lamp-1`; nil for the network as a whole.
    package var resource: String?
    /// What was found, one sentence without a full stop. Never key material.
    package var message: String
    /// What to do about it, in one or more sentences.
    package var advice: Advice

    package init(
        _ severity: Severity,
        _ code: String,
        about resource: String? = nil,
        _ message: String,
        advice: Advice
    ) {
        self.severity = severity
        self.code = code
        self.resource = resource
        self.message = message
        self.advice = advice
    }

    /// A finding with advice of words alone.
    @_disfavoredOverload
    package init(
        _ severity: Severity,
        _ code: String,
        about resource: String? = nil,
        _ message: String,
        advice: String
    ) {
        self.init(severity, code, about: resource, message, advice: Advice(advice))
    }
}
