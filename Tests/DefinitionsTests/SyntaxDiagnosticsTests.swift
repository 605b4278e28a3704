import DefinitionModel
import MeshCore
import Testing

@testable import Definitions

@Suite("What is not YAML")
struct SyntaxDiagnosticsTests {
    @Test(
        "libyaml's complaints become plain words at the place to mend",
        arguments: [
            ("nodes:\n\ta: 1\n", "a.yaml:4:1: error: a tab where indentation is expected (indent with spaces)"),
            (
                "groups: { a: {} \n",
                "a.yaml:4:1: error: `,` or `}` is missing (the mapping was opened with `{`) [a.yaml:3:9: the `{` that was opened]"
            ),
            (
                "groups: [ a\n",
                "a.yaml:4:1: error: `,` or `]` is missing (the list was opened with `[`) [a.yaml:3:9: the `[` that was opened]"
            ),
            (
                "groups:\n  a: {}\n b: {}\n",
                "a.yaml:5:2: error: this does not fit the mapping around it (check the indentation and missing quotes)"
            ),
            ("groups:\n  a: \"x\n", "a.yaml:4:6: error: the quotes are never closed (close them)"),
            (
                "groups: a: b\n",
                "a.yaml:3:10: error: a `:` where no key can stand (check the indentation, and quote text that holds `: `)"
            ),
            ("x\n", "a.yaml:3:1: error: a key without `:` (write `key: value`, and indent continued text)"),
            ("groups: @a\n", "a.yaml:3:9: error: a value cannot start with `@` (quote text that starts with it)"),
            (
                "subscriptions:\n  - { nodes: * }\n",
                "a.yaml:4:15: error: `*` without the name of an anchor (quote patterns that start with `*`: \"*-lamp\")"
            ),
            (
                "groups: \"\\q\"\n",
                "a.yaml:3:10: error: an unknown escape after `\\` (use single quotes where `\\` stands for itself)"
            ),
            ("...\n%YAML 3.0\n---\na: b\n", "a.yaml:4:1: error: a version of YAML that cannot be read (use %YAML 1.2)"),
        ]
    )
    func syntax(_ text: String, _ expected: String) {
        #expect(diagnose(head + text) == [expected])
    }

    @Test(
        "Octets that are not text are found where they stand",
        arguments: [
            (
                [0x61, 0x0A, 0xC3, 0xA4, 0x20, 0xFF],
                "a.yaml:2:3: error: octet 0xFF at offset 5 is not UTF-8 (save the file as UTF-8)"
            ),
            ([0x61, 0xC0, 0x80], "a.yaml:1:2: error: octet 0xC0 at offset 1 is not UTF-8 (save the file as UTF-8)"),
            ([0xED, 0xA0, 0x80], "a.yaml:1:1: error: octet 0xED at offset 0 is not UTF-8 (save the file as UTF-8)"),
            ([0x61, 0xE2, 0x82], "a.yaml:1:2: error: octet 0xE2 at offset 1 is not UTF-8 (save the file as UTF-8)"),
            ([0x61, 0x0A, 0x00], "a.yaml:2:1: error: NUL at offset 2 (the file may be damaged, or not text at all)"),
            ([0x61, 0x1B], "a.yaml:1:2: error: the invisible character U+001B (delete it)"),
            (
                [0x61, 0x0D, 0x62],
                "a.yaml:1:2: error: a carriage return without a line feed (end lines with LF or CR LF)"
            ),
            ([0xE2, 0x80, 0xA8], "a.yaml:1:1: error: the invisible line break U+2028 (end lines with LF or CR LF)"),
            ([0x61, 0xEF, 0xBB, 0xBF], "a.yaml:1:2: error: the invisible character U+FEFF (delete it)"),
            ([0xFE, 0xFF, 0x00, 0x61], "a.yaml:1:1: error: the file is UTF-16, not UTF-8 (save the file as UTF-8)"),
            ([0xFF, 0xFE, 0x61, 0x00], "a.yaml:1:1: error: the file is UTF-16, not UTF-8 (save the file as UTF-8)"),
            ([0x61, 0x00, 0x3A, 0x00], "a.yaml:1:1: error: the file is UTF-16, not UTF-8 (save the file as UTF-8)"),
            ([0x00, 0x61, 0x00, 0x3A], "a.yaml:1:1: error: the file is UTF-16, not UTF-8 (save the file as UTF-8)"),
        ] as [([UInt8], String)]
    )
    func octets(_ octets: [UInt8], _ expected: String) {
        #expect(diagnose(octets: octets).first == expected)
    }

    @Test("A program is no text, a text with a slip stays one")
    func programs() {
        var program: [UInt8] = [0x7F, 0x45, 0x4C, 0x46]
        program += [UInt8](repeating: 0, count: 60)
        let hint = "check the path: all files of a definition are text in UTF-8"
        let foreign = "a.yaml:1:1: error: the file is not text (\(hint))"
        #expect(diagnose(octets: program) == [foreign])
        var text = Array("version: 1\n# ".utf8)
        text += [UInt8](repeating: 0x62, count: 900)
        text.append(0x07)
        #expect(diagnose(octets: text).first == "a.yaml:2:903: error: the invisible character U+0007 (delete it)")
    }

    @Test("An octet that is not text is found wherever it stands in a line, and what is text never is")
    func everyPlace() {
        // What the octets around it are must not matter either: they are looked at together.
        for filler in ["x", "~", " ", "\n", "\t", "ä", "\r\n"] {
            for before in 0..<12 {
                let start = String(repeating: filler, count: before).utf8
                for octet in [0x00, 0x08, 0x0B, 0x0E, 0x1B, 0x1F, 0x7F, 0x80, 0x8A, 0xA0, 0xFF] as [UInt8] {
                    let text = Array(start) + [octet] + Array(repeating: UInt8(ascii: "y"), count: 12)
                    let problem = text.withUnsafeBufferPointer { TextScan.firstProblem($0) }
                    let (line, column) = text.withUnsafeBufferPointer { TextScan.place(of: start.count, in: $0) }
                    #expect(problem?.line == line && problem?.column == column, "0x\(octet.hexadecimal)")
                }
                let text = Array(start) + Array("key: \t[1, ~]\r\n\u{7E}\u{20}ß\n".utf8)
                #expect(text.withUnsafeBufferPointer { TextScan.firstProblem($0) } == nil)
            }
        }
    }

    @Test("A byte order mark and CR LF do no harm and move no column")
    func byteOrderMark() {
        let text = "version: 1\r\nnetwork: hq\r\ngroups: { a: x }\r\n"
        #expect(
            diagnose(octets: [0xEF, 0xBB, 0xBF] + Array(text.utf8)) == [
                "a.yaml:1:1: note: the file starts with a byte order mark (UTF-8 needs none)",
                "a.yaml:3:14: error: a group is expected here, not a text",
            ]
        )
        #expect(diagnose(octets: [0xEF, 0xBB, 0xBF] + Array("x y: \u{7}".utf8)).last?.contains("1:6: error") == true)
    }

    @Test("Columns count characters, not octets")
    func columns() {
        #expect(
            diagnose(head + "groups: { a: { \"ü\": 1, adress: 1 } }\n") == [
                "a.yaml:3:16: error: unknown key `ü` (allowed here: address, description, each, for, label, parent, protect, title)",
                "a.yaml:3:24: error: unknown key `adress` (did you mean `address`? "
                    + "allowed here: address, description, each, for, label, parent, protect, title)",
            ]
        )
    }

    @Test("Documents before the mistake are still read, those after it are not")
    func restOfFile() {
        #expect(
            diagnose(head + "groups: { a: x }\n---\nnodes: { b: y }\n---\n}\n---\ngroups: { c: z }\n") == [
                "a.yaml:3:14: error: a group is expected here, not a text",
                "a.yaml:5:13: error: a node is expected here, not a text",
                "a.yaml:7:1: error: a value is missing (check for a stray `,`, `:` or bracket)",
            ]
        )
    }

    @Test("Empty files and documents are noticed")
    func empty() {
        let nothing =
            "error: no network is defined (a definition needs at least `version: 1` and `network: NAME`)"
        #expect(diagnose() == [nothing])
        #expect(diagnose("") == ["a.yaml:1:1: warning: the document is empty", nothing])
        #expect(diagnose("# nothing\n") == ["a.yaml:1:1: warning: the document is empty", nothing])
        #expect(diagnose("---\n---\n" + head) == ["a.yaml:2:1: warning: the document is empty"])
    }

    @Test("Tags other than those of the values are refused")
    func tags() {
        #expect(
            diagnose(head + "groups: !!set { a: {} }\nnodes: !mine {}\nsubnets: !!map {}\nprofiles: ! {}\n") == [
                "a.yaml:3:9: error: the tag `!!set` does not fit (leave tags out; the key decides what its value is)",
                "a.yaml:4:8: error: the tag `!mine` does not fit (leave tags out; the key decides what its value is)",
            ]
        )
        #expect(diagnose("version: !!int 1\nnetwork: !!str hq\n") == [])
    }
}
