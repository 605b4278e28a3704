/// A parser or a machine with what it is given, and what has to hold whatever it is given.
package struct FuzzTarget: Sendable {
    /// How the octets of an input are made up, so that they can be altered by their parts.
    package enum Shape: Hashable, Sendable {
        /// One string of octets.
        case octets
        /// Several, each with its length in front; see ``FuzzRecords``.
        case records
        /// Lines of text.
        case text
    }

    /// The name on the command line.
    package let name: String
    /// What it examines, a few words.
    package let summary: String
    /// How inputs are made up.
    package let shape: Shape
    /// The most octets of an input.
    package let maximumSize: Int
    /// Good inputs to begin with.
    package let seeds: [[UInt8]]
    /// Octets that mean something to the parser.
    package let dictionary: [[UInt8]]
    /// Examines one input and notes what became of it.
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

/// What became of one input, noted in pieces. An input with a piece that none before it had is worth altering further:
/// this takes the place of measured coverage.
package struct FuzzTrace: Sendable {
    /// The pieces as hashes, which mean nothing outside of this process.
    package private(set) var outcomes: [Int] = []

    /// An empty trace.
    package init() {}

    /// Notes that something happened.
    package mutating func note(_ outcome: some Hashable) { outcomes.append(outcome.hashValue) }

    /// Notes an error by its kind, whatever numbers it holds.
    mutating func note(kindOf error: any Error) {
        let text = String(describing: error)
        note(text.filter { !$0.isNumber })
    }
}

/// Demands that something holds.
func demand(_ condition: Bool, _ description: @autoclosure () -> String) throws(FuzzViolation) {
    guard condition else { throw FuzzViolation(description()) }
}

/// Demands that nothing is thrown.
func demandSuccess<Value, Failure: Error>(
    _ description: @autoclosure () -> String,
    _ body: () throws(Failure) -> Value
) throws(FuzzViolation) -> Value {
    do { return try body() } catch { throw FuzzViolation("\(description()): \(error)") }
}
