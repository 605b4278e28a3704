/// Runs a target on altered inputs. The same target, seed and corpus give the same inputs.
package struct Fuzzer {
    /// What is run.
    package let target: FuzzTarget
    /// Inputs run so far.
    package private(set) var executions = 0
    /// The input that was run last, or is being run.
    package private(set) var input: [UInt8] = []
    private var mutation: FuzzMutation
    private var corpus: [[UInt8]]
    private var seen: Set<Int> = []
    private var firstOnes: ArraySlice<[UInt8]>

    /// The most inputs that are kept for being altered; the first ones come from outside and stay.
    private static let corpusLimit = 4096

    /// A fuzzer.
    ///
    /// - Parameter corpus: inputs in addition to the target's own.
    package init(_ target: FuzzTarget, seed: UInt64, corpus: [[UInt8]] = []) {
        self.target = target
        self.corpus = target.seeds + corpus
        firstOnes = self.corpus[...]
        mutation = FuzzMutation(target, seed: seed)
    }

    /// How many different things have become of inputs.
    package var outcomes: Int { seen.count }

    /// How many inputs are altered further.
    package var kept: Int { corpus.count }

    /// Chooses the next input: those that were given first, as they are, then altered ones.
    package mutating func prepare() -> [UInt8] {
        input = firstOnes.popFirst() ?? mutation.alter(corpus)
        return input
    }

    /// Runs the input that was chosen.
    package mutating func run() throws(FuzzViolation) {
        executions += 1
        var trace = FuzzTrace()
        try target.run(input, &trace)
        let known = seen.count
        seen.formUnion(trace.outcomes)
        if seen.count > known, corpus.count < Fuzzer.corpusLimit { corpus.append(input) }
    }
}
