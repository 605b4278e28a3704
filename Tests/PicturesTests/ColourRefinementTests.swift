import TestSupport
import Testing

@testable import Pictures

@Suite("Alike vertices of a graph")
struct ColourRefinementTests {
    private typealias Arrow = ColourRefinement.Arrow

    @Test("without arrows the colours stay")
    func alone() {
        #expect(ColourRefinement.refine([7, 3, 7], []) == [0, 1, 0])
        #expect(ColourRefinement.refine([], []) == [])
    }

    @Test("the number of equal neighbours does not count, their colour does")
    func neighbours() {
        // 0 and 1 lead to vertices of one colour, 2 to another one.
        let arrows = [(0, 3), (0, 4), (1, 5), (2, 6)].map { Arrow(from: $0.0, to: $0.1, label: 0) }
        #expect(ColourRefinement.refine([0, 0, 0, 1, 1, 1, 2], arrows) == [0, 0, 1, 2, 2, 2, 3])
    }

    @Test("label and direction count")
    func labels() {
        let arrows = [
            Arrow(from: 0, to: 4, label: 0), Arrow(from: 1, to: 4, label: 1), Arrow(from: 4, to: 2, label: 0),
        ]
        #expect(ColourRefinement.refine([0, 0, 0, 0, 1], arrows) == [0, 1, 2, 3, 4])
    }

    @Test("a difference spreads along a chain of any length")
    func chain() {
        let arrows = (0..<50).map { Arrow(from: $0, to: $0 + 1, label: 0) }
        #expect(ColourRefinement.refine(Array(repeating: 0, count: 51), arrows) == Array(0...50))
    }

    @Test("a long chain takes no longer for each vertex than a short one", .timeLimit(.minutes(45)))
    func longChain() {
        // Looking at every vertex in each of the 20,000 rounds would take hours.
        let arrows = (0..<40_000).map { Arrow(from: $0, to: $0 + 1, label: 0) }
        #expect(ColourRefinement.refine(Array(repeating: 0, count: 40_001), arrows) == Array(0...40_000))
    }

    @Test("equal colours of the result see equal colours, in random graphs", arguments: 1...20)
    func stable(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let count = Int.random(in: 1...30, using: &generator)
        let colours = (0..<count).map { _ in Int.random(in: 0...2, using: &generator) }
        let arrows = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
            Arrow(
                from: Int.random(in: 0..<count, using: &generator),
                to: Int.random(in: 0..<count, using: &generator),
                label: Int.random(in: 0...1, using: &generator)
            )
        }
        let refined = ColourRefinement.refine(colours, arrows)
        var views: [Int: [Set<[Int]>]] = [:]
        for vertex in 0..<count {
            let forward = arrows.filter { $0.from == vertex }.map { [$0.label, refined[$0.to]] }
            let backward = arrows.filter { $0.to == vertex }.map { [-1 - $0.label, refined[$0.from]] }
            views[refined[vertex], default: []].append(Set(forward + backward + [[colours[vertex]]]))
        }
        for (_, seen) in views { #expect(Set(seen).count == 1) }
    }
}
