import DefinitionModel
import MeshCore
import Testing

@testable import Definitions

/// Each mistake in a module, its use, a variable or a file gets one message at its place.
@Suite("Wrong modules")
struct WrongModuleTests {
    private static let module = """
        modules:
          m:
            parameters: { n: number, k: { type: text, default: x } }
            nodes: { lamp-$(n): { uuid: 0d5c5a0e6f5b4f0ea1a50b1f0000000$(n) } }

        """
    private static let csv = "n,other\n1,2\n"

    static let mistakes: [(text: String, message: String)] = [
        (module + "use: [{ module: n, with: { n: 1 } }]", "a.yaml:7:17: error: there is no module `n`"),
        (module + "use: [{ module: m }]", "a.yaml:7:7: error: the parameter `n` of `m` is missing"),
        (module + "use: [{ module: m, with: { n: 1, p: 2 } }]", "a.yaml:7:34: error: `m` has no parameter `p`"),
        (module + "use: [{ module: m, with: { n: one } }]", "a.yaml:7:31: error: `one` is not a number"),
        (
            module + "use: [{ module: m, with: { n: [1] } }]",
            "a.yaml:7:31: error: a number is expected here, not a list"
        ),
        (module + "use: [{ module: m, with: 1 }]", "a.yaml:7:26: error: a mapping of parameters is expected here"),
        (module + "use: [{ module: m, for: { n: 5..1 } }]", "a.yaml:7:30: error: the range `5..1` is empty"),
        (module + "use: [{ module: m, for: { n: [] } }]", "a.yaml:7:30: error: the list is empty"),
        (module + "use: [{ module: m, for: { n: 7 } }]", "a.yaml:7:30: error: `7` is neither a range nor a list"),
        (
            module + "use: [{ module: m, for: { n: 1...3 } }]",
            "a.yaml:7:30: error: `1...3` is neither a range nor a list"
        ),
        (module + "use: [{ module: m, for: {} }]", "a.yaml:7:25: error: the repetition names no variable"),
        (module + "use: [{ module: m, for: { room: 1..2 } }]", "a.yaml:7:7: error: `m` has no parameter `room`"),
        (
            module + "use: [{ module: m, for: { 1: 1..2 } }]",
            "a.yaml:7:27: error: `1` cannot be the name of a parameter"
        ),
        (module + "use: [{ module: m, rows: no.csv }]", "a.yaml:7:26: error: there is no file `no.csv`"),
        (
            module + "use: [{ module: m, rows: rooms.txt }]",
            "a.yaml:7:26: error: `rooms.txt` is not the path of a file of rows"
        ),
        (
            module + "use: [{ module: m, rows: other.csv }]",
            "a.yaml:7:7: error: `other.csv` has no column `n`, which `m` needs"
        ),
        (module + "use: [{ module: m, rows: empty.csv }]", "a.yaml:7:26: error: `empty.csv` has no row"),
        (module + "use: [{ module: m, rows: short.csv }]", "short.csv:3:1: error: the row has 1 values"),
        (module + "use: [{ module: m, rows: twice.csv }]", "twice.csv:1:1: error: the column `n` occurs twice"),
        (
            module + "use: [{ module: m, rows: rooms.csv, for: { n: 1..2 } }]",
            "a.yaml:7:7: error: `for` and `rows` exclude each other"
        ),
        (
            module + "use: [{ module: m, rows: ../rooms.csv }]",
            "a.yaml:7:26: error: `../rooms.csv` lies outside of the definition's repository"
        ),
        (module + "use: [{ module: m, wiht: { n: 1 } }]", "a.yaml:7:20: error: unknown key `wiht`"),
        (module + "use: { module: m }", "a.yaml:7:6: error: a list of instances of modules is expected here"),
        (module + "use: [m]", "a.yaml:7:7: error: an instance of a module is expected here"),
        (module + "use: [{ with: { n: 1 } }]", "a.yaml:7:7: error: `module` is missing"),
        (
            "modules: { m: { parameters: { u: number }, nodes: { a: { uuid: 0d5c5a0e6f5b4f0ea1a50b1f0000000$(u) } } } }\n"
                + "use: [{ module: m, with: { u: 1 } }, { module: m, with: { u: 2 } }]",
            "a.yaml:3:53: error: the node `a` is declared twice"
        ),
        (
            module + "use: [{ module: m, with: { n: 1, k: $(z) } }]",
            "a.yaml:7:37: error: there is no parameter or variable `z`"
        ),
        (
            "modules: { m: { nodes: { a-$(z): {} } } }\nuse: [{ module: m }]",
            "a.yaml:3:26: error: there is no parameter or variable `z`"
        ),
        (
            "modules: { m: { nodes: { a-$(z: {} } } }\nuse: [{ module: m }]",
            "a.yaml:3:26: error: `$(` is followed by the name of a parameter and `)`"
        ),
        ("modules: { m: { parameters: { n: nubmer } } }", "a.yaml:3:34: error: `nubmer` is not a type"),
        (
            "modules: { m: { parameters: { n: { type: number, default: x } } } }",
            "a.yaml:3:59: error: `x` is not a number"
        ),
        ("modules: { m: { parameters: { 1n: text } } }", "a.yaml:3:31: error: `1n` cannot be the name of a parameter"),
        ("modules: { m: { version: 1 } }", "a.yaml:3:17: error: unknown key `version`"),
        ("modules: { m: {} }\n---\nmodules: { m: {} }", "a.yaml:5:12: error: the module `m` is declared twice"),
        (
            "modules: { m: { use: [{ module: m }] } }\nuse: [{ module: m }]",
            "a.yaml:3:23: error: the module `m` uses itself: m > m"
        ),
        (
            "modules: { m: { use: [{ module: n }] }, n: { use: [{ module: m }] } }\nuse: [{ module: m }]",
            "a.yaml:3:52: error: the module `m` uses itself: m > n > m"
        ),
        (
            "modules: { m: { parameters: { l: list }, groups: { g-$(l): {} } } }\nuse: [{ module: m, with: { l: [a] } }]",
            "a.yaml:3:52: error: `$(l)` is a list or mapping"
        ),
        (
            module + "use: [{ module: m, rows: open.csv }]",
            "open.csv:2:1: error: the quotes are never closed (close them)"
        ),
        (module + "use: [{ module: m, rows: nameless.csv }]", "nameless.csv:1:1: error: column 2 has no name"),
        (
            module + "use: [{ module: m, rows: spaced.csv }]",
            "spaced.csv:1:1: error: `n n` cannot be the name of a column"
        ),
        (
            module + "use: [{ module: m, rows: long.csv }]",
            "long.csv:3:1: error: the row has 3 values, but there are 2 columns "
                + "(put quotes around values that hold the separator)"
        ),
        (
            module + "use: [{ module: m, rows: words.csv }]",
            "words.csv:3:1: error: column `n`: `one` is not a number (write a number from 0 to 4294967295) "
                + "[a.yaml:7:7: in use[0] of m, line 3 of words.csv, n = one]"
        ),
        (
            module + "use: [{ module: m, for: { n: 01..09 } }]",
            "a.yaml:7:30: error: `01` has leading zeros (write 1) [a.yaml:7:7: in use[0] of m, n = 01, and in 8 other instances]"
        ),
        (
            module + "use: [{ module: m, for: { n: [1, one, 2] } }]",
            "a.yaml:7:30: error: `one` is not a number (write a number from 0 to 4294967295) "
                + "[a.yaml:7:7: in use[0] of m, n = one]"
        ),
        (
            module + "use: [{ module: m, for: { n: 1..9999999999 } }]",
            "a.yaml:7:30: error: `1..9999999999` is neither a range nor a list"
        ),
        (
            module + "use: [{ module: m, for: { n: 1..999999999 } }]",
            "a.yaml:7:25: error: modules and repetitions expand to more than 200000 instances"
        ),
        (
            module + "use: [{ module: m, for: { n: 1..3 }, with: { n: 7 } }]",
            "a.yaml:7:46: error: the parameter `n` has a value here, and others in `for` (take one of them out)"
        ),
        (
            module.replacing("uuid: 0d5c5a0e6f5b4f0ea1a50b1f0000000$(n)", with: "ttl: 5")
                + "use: [{ module: m, for: { n: 1..3 } }, { module: m, with: { n: 2 } }]",
            "a.yaml:6:14: error: the node `lamp-2` is declared twice [a.yaml:6:14: first here (in use[0] of m, n = 2)] "
                + "[a.yaml:7:40: in use[1] of m]"
        ),
        (
            module + "use: [{ module: m, with: { n: 1 } }]\nnodes: { lamp-1: {} }",
            "a.yaml:6:14: error: the node `lamp-1` is declared twice [a.yaml:8:10: first here] [a.yaml:7:7: in use[0] of m]"
        ),
        (
            module.replacing("$(n) }", with: "$(n), ttl: 5 }")
                + "use: [{ module: m, with: { n: 1 }, override: { nodes: { lamp-1: { ttl: 7 } } } }]",
            "a.yaml:7:72: error: the module sets this itself (an instance can set what the module leaves open"
        ),
        (
            module + "use: [{ module: m, with: { n: 1 }, override: { nodes: { lmap-1: { ttl: 7 } } } }]",
            "a.yaml:7:57: error: `m` has no node `lmap-1` (an instance overrides what its module declares)"
        ),
        (
            module + "use: [{ module: m, with: { n: 1 }, override: { subnets: {} } }]",
            "a.yaml:7:48: error: unknown key `subnets` (allowed here: groups, nodes, profiles)"
        ),
        (
            module.replacing("$(n) }", with: "$(n), profile: p }") + "use: [{ module: m, for: { n: 1..3 } }]",
            "a.yaml:6:79: error: there is no profile `p` (declare it under `profiles:`) "
                + "[a.yaml:7:7: in use[0] of m, n = 1, and in 2 other instances]"
        ),
        (
            "modules: { o: { modules: { i: { nodes: { a: {} } } }, use: [{ module: i }] } }\nuse: [{ module: i }]",
            "a.yaml:4:17: error: there is no module `i` (it is declared in the module `o`, and only known there)"
        ),
        (
            "modules: { m: { parameters: { n: number, n: text }, nodes: { a-$(n): {} } } }",
            "a.yaml:3:42: error: the key `n` occurs twice in this mapping [a.yaml:3:31: first here]"
        ),
        (
            "modules: { o: { parameters: { r: number }, use: [{ module: i, with: { s: $(r) } }] }, "
                + "i: { parameters: { s: number }, nodes: { a-$(s): { profile: p } } } }\nuse: [{ module: o, for: { r: 1..9 } }]",
            "a.yaml:3:147: error: there is no profile `p` (declare it under `profiles:`) "
                + "[a.yaml:3:50: in use[0] of i, and in 8 other instances] [a.yaml:4:7: in use[0] of o, r = 1]"
        ),
        ("variables: { v: { type: number, default: x } }", "a.yaml:3:42: error: `x` is not a number"),
        ("variables: { v: { type: duration } }", "a.yaml:3:14: error: the variable `v` has no value"),
        ("variables: { v: { type: duration } }\nvalues: { v: 5 }", "a.yaml:4:11: error: "),
        ("variables: { v: 1 }\nvalues: { w: 5 }", "a.yaml:4:11: error: there is no variable `w`"),
        ("variables: { v: 1 }\n---\nvariables: { v: 2 }", "a.yaml:5:14: error: the variable `v` is declared twice"),
        ("groups: { $(g): {} }", "a.yaml:3:11: error: there is no parameter or variable `g`"),
        (
            "groups: { g: { for: { n: 1..2 } } }",
            "a.yaml:3:16: error: `for` repeats an entry, but nothing in the entry differs"
        ),
        ("groups: { g-$(r): { each: r } }", "a.yaml:3:27: error: no node has the tag `r`"),
        ("include: no.yaml", "a.yaml:3:10: error: there is no YAML file `no.yaml` to include"),
        ("include: ../b.yaml", "a.yaml:3:10: error: `../b.yaml` lies outside of the definition's repository"),
        (
            "include: a.yaml",
            "a.yaml:3:10: error: the file includes itself: a.yaml > a.yaml (take one of these lines out)"
        ),
        ("include: back.yaml", "back.yaml:1:10: error: the file includes itself: a.yaml > back.yaml > a.yaml"),
        ("include: empty", "a.yaml:3:10: error: there is no YAML file `empty` to include"),
        ("models: [../b.yaml]", "a.yaml:3:10: error: `../b.yaml` lies outside of the definition's repository"),
        ("products: [../b.yaml]", "a.yaml:3:12: error: `../b.yaml` lies outside of the definition's repository"),
        (
            "vol: 3",
            "a.yaml:3:1: error: unknown key `vol` (a definition has sections such as `nodes:` and `groups:`; "
                + "values of variables stand under `values:`)"
        ),
        ("include: cyclic.yaml", "cyclic.yaml:1:10: error: the file includes itself: cyclic.yaml > cyclic.yaml"),
        ("include: a.yaml", "a.yaml:3:10: error: the file includes itself: a.yaml > a.yaml"),
        ("include: network.yaml", "network.yaml:1:10: error: a file that others include belongs to their network"),
        (
            "defaults: [{ nodes: { a: b }, allow_empty: true, tags: { c: d } }]",
            "a.yaml:3:61: error: an entry that selects nodes by tags cannot give them tags"
        ),
    ]

    @Test("A chain of files that include each other ends at a depth")
    func chainOfFiles() {
        func found(_ count: Int) -> [String] {
            let files = (0..<count).map { number in
                ("f\(number).yaml", number + 1 < count ? "include: f\(number + 1).yaml\n" : "groups: { g: {} }\n")
            }
            return problems(reading([("a.yaml", head + "include: f0.yaml\n")] + files, of: ["a.yaml"]))
        }
        #expect(found(64).isEmpty)
        #expect(
            found(65) == [
                "f63.yaml:1:10: error: files include each other in a chain of more than 64 "
                    + "(include them from one file; a folder stands for its YAML files)"
            ]
        )
    }

    @Test("In a folder, a chain of files may be as long as there are files")
    func chainInFolder() {
        let count = 30_000
        var texts = (0..<count).map { "include: f\($0 + 1).yaml\n" } + ["groups: { g: {} }\n"]
        texts[0] = head + texts[0]
        let files = texts.enumerated().map { number, text in
            SourceFiles.File(path: "f\(number).yaml", bytes: Array(text.utf8))
        }
        let read = DefinitionReader.reading(
            SourceFiles(files: files),
            admits: { _ in true },
            loading: { (_: String) throws(Never) in [] }
        )
        #expect(problems(read).isEmpty)
        #expect(read.definitions.first?.groups.map(\.name.value) == ["g"])
    }

    @Test("Files that include each other are told as a circle, also if all of them are read by themselves")
    func circle() {
        let texts = [("a.yaml", "version: 1\nnetwork: hq\ninclude: b.yaml\n"), ("b.yaml", "include: a.yaml\n")]
        let files = texts.map { SourceFiles.File(path: $0.0, bytes: Array($0.1.utf8)) }
        let (definitions, diagnostics) = DefinitionReader.read(files: SourceFiles(files: files))
        #expect(diagnostics.map(\.message) == ["the file includes itself: a.yaml > b.yaml > a.yaml"])
        #expect(definitions.map(\.network.value) == ["hq"])
    }

    @Test("A mistake gets one message with its place", arguments: mistakes)
    func mistake(_ mistake: (text: String, message: String)) {
        let found = reading(
            [
                ("a.yaml", head + mistake.text + "\n"), ("rooms.csv", Self.csv), ("other.csv", "m,k\n1,2\n"),
                ("empty.csv", "n,k\n"), ("short.csv", "n,k\n1,2\n3\n"), ("twice.csv", "n,n\n1,2\n"),
                ("open.csv", "n,k\n1,\"a\n2,b\n"), ("nameless.csv", "n,,k\n1,2,3\n"), ("spaced.csv", "n n,k\n1,2\n"),
                ("long.csv", "n,k\n1,2\n1,2,3\n"), ("words.csv", "n,k\n1,2\none,2\n"),
                ("back.yaml", "include: a.yaml\n"),
                ("cyclic.yaml", "include: cyclic.yaml\n"), ("network.yaml", "network: other\n"),
            ]
        )
        let problems = problems(found)
        #expect(Self.mistakes.count > 70)
        #expect(problems.count == 1, "\(problems)")
        #expect(problems.first?.hasPrefix(mistake.message) == true, "\(problems.first ?? "")")
    }
}
