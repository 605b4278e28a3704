import SystemLayer
import Testing

@testable import MeshplanCLI

@Suite("Words of the command line that steer terminals")
struct HarmlessOutputTests {
    private static let word = "x\u{1B}[2J\u{9B}31m\u{202E}y\u{AD}z\u{85}"

    @Test(
        "They come back harmless, wherever they stand",
        arguments: [
            ["scan", "--via", word], ["sim", "run", "--listen", word], ["state", "show", word], ["--" + word],
            [word], ["plan", "--" + word], ["validate", word], ["plan", "--network", word],
            ["scan", "--via", word, "--json"], ["validate", word, "--json"], ["plan", word, "--json"],
            ["state", "show", word, "--json"],
        ]
    )
    func commandLine(_ arguments: [String]) throws {
        let result = try CommandFixture().run(arguments)
        #expect(result.status != 0)
        for scalar in ["\u{1B}", "\u{9B}", "\u{202E}", "\u{AD}", "\u{85}"] as [Unicode.Scalar] {
            #expect(!result.combined.unicodeScalars.contains(scalar), "\(arguments) \(scalar.value)")
        }
    }

    @Test("Colours, and a line that is cleared, are the program's own; nothing else is")
    func own() {
        let own = ["\u{1B}[1mbold\u{1B}[0m\n", "\r\u{1B}[Kagain", "tab\there", "größer ┃ “x” …", "\u{1B}[38;5;4mx"]
        for text in own { #expect(text.harmless == text) }
        let replaced = "a\u{FFFD}[2Jb\u{FFFD}]0;t\u{FFFD}c\u{FFFD}d\u{FFFD}"
        #expect("a\u{1B}[2Jb\u{1B}]0;t\u{7}c\rd\u{1B}".harmless == replaced)
        #expect(JSONValue.string("a\u{9B}\u{AD}\u{202E}").line == #""a\u009b\u00ad\u202e""#)
    }
}
