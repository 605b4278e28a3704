/// Something about a network that is wrong, will become so, or is worth knowing.
package struct ExaminationFinding: Hashable, Sendable {
    /// How bad it is.
    package enum Severity: Int, Comparable, CaseIterable, Sendable {
        /// Worth knowing; nothing has to be done.
        case note = 0
        /// Something should be done before it hurts.
        case warning = 1
        /// The record contradicts itself or the specification: messages will fail or go astray.
        case error = 2

        /// By how bad it is.
        package static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }
    }

    /// How bad it is.
    package var severity: Severity
    /// What kind of finding it is, for programs: lower case words with hyphens, which never change their meaning.
    package var code: String
    /// What it is about, like `node.lamp-1`; nil for the network as a whole.
    package var resource: String?
    /// What was found, one sentence without a full stop. Never key material.
    package var message: String
    /// What to do about it, one sentence or more.
    package var advice: String

    /// A finding of those parts.
    package init(
        _ severity: Severity,
        _ code: String,
        about resource: String? = nil,
        _ message: String,
        advice: String
    ) {
        self.severity = severity
        self.code = code
        self.resource = resource
        self.message = message
        self.advice = advice
    }
}
