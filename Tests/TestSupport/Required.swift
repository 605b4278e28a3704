/// A value that a test cannot do without is missing.
package struct MissingValue: Error {
    /// An error that says so.
    package init() {}
}

/// The value, in helpers of tests where `#require` would name the wrong line.
///
/// - Throws: ``MissingValue`` for nil.
package func required<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw MissingValue() }
    return value
}
