/// A parser or a machine, its inputs, and the conditions that hold for every input.
package struct FuzzTarget: Sendable {
    /// The structure of an input, so that its parts can be altered.
    package enum Shape: Hashable, Sendable {
        /// One string of octets.
        case octets
        /// Several octet strings; see ``FuzzRecords``.
        case records
        /// Lines of text.
        case text
    }

    /// The name by which it is chosen.
    package let name: String
    /// What it examines, in a few words.
    package let summary: String
    /// The structure of inputs.
    package let shape: Shape
    /// The most octets of an input.
    package let maximumSize: Int
    /// Valid inputs to begin with.
    package let seeds: [[UInt8]]
    /// Octets with a meaning for the parser.
    package let dictionary: [[UInt8]]
    /// Examines one input and notes the outcome. Throws ``FuzzViolation`` if a condition does not hold.
    package let run: @Sendable ([UInt8], inout FuzzTrace) throws(FuzzViolation) -> Void

    package init(
        _ name: String,
        _ summary: String,
        shape: Shape = .octets,
        maximumSize: Int = 1024,
        seeds: [[UInt8]],
        dictionary: [[UInt8]] = [],
        run: @escaping @Sendable ([UInt8], inout FuzzTrace) throws(FuzzViolation) -> Void
    ) {
        self.name = name
        self.summary = summary
        self.shape = shape
        self.maximumSize = maximumSize
        self.seeds = seeds
        self.dictionary = dictionary
        self.run = run
    }
}

/// Something that must hold did not, for an input that the fuzzer has at hand.
package struct FuzzViolation: Error, Hashable, Sendable, CustomStringConvertible {
    /// What should have held.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// The outcome of one input, noted in pieces. An input with a new piece is worth altering further. This replaces the
/// measurement of coverage.
package struct FuzzTrace: Sendable {
    /// The pieces as hashes, valid only in this process.
    package private(set) var outcomes: [Int] = []

    /// An empty trace.
    package init() {}

    /// Notes that something happened.
    package mutating func note(_ outcome: some Hashable) { outcomes.append(outcome.hashValue) }

    /// Notes the kind of an error, without its numbers.
    mutating func note(kindOf error: any Error) {
        let text = String(describing: error)
        note(text.filter { !$0.isNumber })
    }
}

/// Throws ``FuzzViolation`` unless a condition holds.
func demand(_ condition: Bool, _ description: @autoclosure () -> String) throws(FuzzViolation) {
    guard condition else { throw FuzzViolation(description()) }
}

/// Throws ``FuzzViolation`` if `body` throws.
func demandSuccess<Value, Failure: Error>(
    _ description: @autoclosure () -> String,
    _ body: () throws(Failure) -> Value
) throws(FuzzViolation) -> Value {
    do { return try body() } catch { throw FuzzViolation("\(description()): \(error)") }
}
