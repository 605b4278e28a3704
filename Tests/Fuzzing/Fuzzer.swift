/// Runs a target on altered inputs. The same target, seed and corpus give the same inputs.
package struct Fuzzer {
    /// The target.
    package let target: FuzzTarget
    /// How many inputs were run.
    package private(set) var executions = 0
    /// The current or last input.
    package private(set) var input: [UInt8] = []
    private var mutation: FuzzMutation
    private var corpus: [[UInt8]]
    private var seen: Set<Int> = []
    private var firstOnes: ArraySlice<[UInt8]>

    /// The most inputs kept for altering. The first ones are given and stay.
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

    /// How many different outcomes were noted.
    package var outcomes: Int { seen.count }

    /// How many inputs are kept for altering.
    package var kept: Int { corpus.count }

    /// Chooses the next input: first the given ones unchanged, then altered ones.
    package mutating func prepare() -> [UInt8] {
        input = firstOnes.popFirst() ?? mutation.alter(corpus)
        return input
    }

    /// Runs the chosen input.
    ///
    /// - Throws: ``FuzzViolation`` if a condition of the target does not hold.
    package mutating func run() throws(FuzzViolation) {
        executions += 1
        var trace = FuzzTrace()
        try target.run(input, &trace)
        let known = seen.count
        seen.formUnion(trace.outcomes)
        if seen.count > known, corpus.count < Fuzzer.corpusLimit { corpus.append(input) }
    }
}
