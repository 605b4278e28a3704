/// The error for a missing value that a test needs.
package struct MissingValue: Error {
    /// Makes the error.
    package init() {}
}

/// Unwraps a value, in helpers of tests in which `#require` would name the wrong line.
///
/// - Throws: ``MissingValue`` if the value is nil.
package func required<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw MissingValue() }
    return value
}
