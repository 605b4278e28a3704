import MeshCore
import Testing

@Suite("Advice is words, and among them what the user can do")
struct AdviceTests {
    private let mixed: Advice = "make them with: \(command: .begin), or \(command: .importNetwork)."

    @Test("A text in pieces keeps its remedies, and words that meet are one part")
    func parts() {
        #expect(
            mixed.parts == [
                .words("make them with: "), .remedy(.begin), .words(", or "), .remedy(.importNetwork), .words("."),
            ]
        )
        #expect(mixed.remedies == [.begin, .importNetwork])
        let number = 7
        let words: Advice = "lock \(number) ends \("by itself")"
        #expect(words.parts == [.words("lock 7 ends by itself")] && words == Advice("lock 7 ends by itself"))
        let nested: Advice = "see: \(words)"
        #expect(nested.parts == [.words("see: lock 7 ends by itself")])
        #expect(mixed.followed(by: " Then wait").parts.last == .words(". Then wait"))
        #expect(Advice("").isEmpty && ("" as Advice).parts == [])
    }

    @Test("Whoever shows it says what a remedy is called; without that no command is named")
    func text() {
        #expect(mixed.text { $0 == .begin ? "A" : "B" } == "make them with: A, or B.")
        #expect(mixed.text == "make them with: a new network, or an import." && "\(mixed)" == mixed.text)
        #expect(Advice("plain").text { _ in "?" } == "plain")
    }

    @Test("Words can change while remedies stay")
    func change() {
        let changed = mixed.changingWords { $0.uppercased() }
        #expect(changed.remedies == mixed.remedies && changed.text { _ in "x" } == "MAKE THEM WITH: x, OR x.")
    }

    @Test(
        "A clause becomes a sentence; a remedy in front keeps its case",
        arguments: [
            ("go nearer", "Go nearer."), ("Go nearer.", "Go nearer."), ("is it on?", "Is it on?"), ("", ""),
        ] as [(Advice, String)]
    )
    func sentences(clause: Advice, sentence: String) {
        #expect(clause.asSentence.text == sentence)
        let front: Advice = "\(command: .apply) \(clause)"
        #expect(front.asSentence.parts.first == .remedy(.apply))
    }

    @Test("A remedy in front and at the end")
    func sentenceOfRemedies() {
        let alone: Advice = "\(command: .apply)"
        #expect(alone.asSentence.parts == [.remedy(.apply), .words(".")])
    }
}
