import DefinitionModel
import MeshCore
import Testing

@testable import Definitions

@Suite("Provisioning in definitions")
struct ProvisioningTests {
    private func node(_ settings: String, rules: String = "", profile: String? = nil) -> String {
        var text = head
        if !rules.isEmpty { text += "provisioning: \(rules)\n" }
        if let profile { text += "profiles: { p: { provisioning: \(profile) } }\n" }
        return text
            + "nodes: { a: { uuid: \(uuid(1))\(profile == nil ? "" : ", profile: p"), provisioning: \(settings) } }\n"
    }

    @Test("Everything that can be said is read, with its place")
    func everything() throws {
        let (definitions, problems) = definitions(
            head + """
                provisioning: { require: authenticated }
                nodes:
                  a:
                    uuid: \(uuid(1))
                    on_remove: reset
                    provisioning:
                      oob: static
                      static: { file: secrets/a.hex }
                      public_key: { file: secrets/a.pub }
                      algorithm: hmac
                      attention: 5s
                  b: { uuid: \(uuid(2)), provisioning: { oob: none, public_key: { file: b.pub } } }
                  c: { uuid: \(uuid(3)), provisioning: { static: { env: C_STATIC } } }
                  d: { uuid: \(uuid(4)), provisioning: }
                  e: { uuid: \(uuid(5)) }
                """
        )
        #expect(problems == [])
        let definition = try #require(definitions.first)
        #expect(definition.provisioning?.requirement?.value == .authenticated)
        #expect(definition.provisioning?.requirement?.location.line == 3)
        let settings = try #require(definition.nodes[0].provisioning)
        #expect(settings.location.line == 8)
        #expect(settings.method?.value == .staticOOB)
        #expect(settings.staticValue?.value == .file("secrets/a.hex"))
        #expect(settings.staticValue?.location == DefinitionModel.SourceLocation(file: 0, line: 10, column: 23))
        #expect(settings.publicKeyFile?.value == "secrets/a.pub")
        #expect(settings.algorithm?.value == .hmacSHA256)
        #expect(settings.attention?.value == 5)
        #expect(definition.nodes[1].provisioning?.method?.value == .noOOB)
        #expect(definition.nodes[2].provisioning?.staticValue?.value == .environment("C_STATIC"))
        #expect(definition.nodes[3].provisioning?.method == nil && definition.nodes[3].provisioning != nil)
        #expect(definition.nodes[4].provisioning == nil)
    }

    @Test(
        "Algorithms have short names and those of the specification",
        arguments: [
            ("cmac", ProvisioningAlgorithm.cmacAES128), ("hmac", .hmacSHA256),
            ("BTM_ECDH_P256_CMAC_AES128_AES_CCM", .cmacAES128), ("BTM_ECDH_P256_HMAC_SHA256_AES_CCM", .hmacSHA256),
        ]
    )
    func algorithms(_ word: String, _ algorithm: ProvisioningAlgorithm) {
        let (definitions, problems) = definitions(node("{ algorithm: \(word) }"))
        #expect(problems == [])
        #expect(definitions.first?.nodes.first?.provisioning?.algorithm?.value == algorithm)
    }

    @Test(
        "Values that cannot be are pointed out",
        arguments: [
            (
                "{ oob: sttic }",
                "`sttic` is not a method (did you mean `static`? write one of: input, none, output, static)"
            ),
            (
                "{ algorithm: cmca }",
                "`cmca` is not an algorithm (did you mean `cmac`? write one of: BTM_ECDH_P256_CMAC_AES128_AES_CCM, "
                    + "BTM_ECDH_P256_HMAC_SHA256_AES_CCM, cmac, hmac)"
            ),
            ("{ attention: 5 }", "`5` has no unit (write 5ms, 5s, 5m or 5h)"),
            (
                "{ attention: 256s }",
                "a device cannot draw attention to itself for `256s` (write whole seconds, 0s to 255s)"
            ),
            (
                "{ attention: 1.5s }",
                "a device cannot draw attention to itself for `1.5s` (write whole seconds, 0s to 255s)"
            ),
            (
                "{ obo: none }",
                "unknown key `obo` (did you mean `oob`? allowed here: algorithm, attention, oob, public_key, static, via)"
            ),
            ("authenticated", "a mapping for provisioning is expected here, not a text"),
            (
                "{ static: { file: a, env: B } }",
                "a static value has exactly one source, not 2 (write `static: { file: PATH }` or `static: { env: NAME }`, "
                    + "or keep it in a file for `the file of secrets`)"
            ),
            (
                "{ public_key: { env: KEY } }",
                "unknown source of a public key (write `public_key: { file: PATH }`, or keep it in a file for `the file of secrets`)"
            ),
            (
                "{ oob: none, static: { env: A } }",
                "`static` and `oob: none` contradict each other (write `oob: static`, or leave one of the two out) "
                    + "[a.yaml:3:76: the method]"
            ),
            (
                "{ static: { env: A }, oob: output }",
                "`static` and `oob: output` contradict each other (write `oob: static`, or leave one of the two out) "
                    + "[a.yaml:3:96: the method]"
            ),
        ]
    )
    func values(_ settings: String, _ expected: String) {
        let problems = diagnose(node(settings))
        #expect(problems.count == 1)
        #expect(problems.first?.contains("error: \(expected)") == true, "\(problems)")
        #expect(problems.first?.hasSuffix(expected) == true, "\(problems)")
    }

    @Test("The longest attention is 255 seconds, however it is written", arguments: ["255s", "255000ms", "0s", "4m"])
    func attention(_ text: String) {
        #expect(diagnose(node("{ attention: \(text) }")) == [])
    }

    @Test("A node's values win over its profile's, value by value")
    func merged() throws {
        let (definitions, problems) = definitions(
            node(
                "{ oob: static, static: { env: A }, attention: 0s }",
                profile: "{ oob: output, algorithm: cmac, attention: 5s }"
            )
        )
        #expect(problems == [])
        let definition = try #require(definitions.first)
        let profile = definition.profiles.first?.provisioning
        let merged = try #require(ProvisioningSettings.merged(definition.nodes.first?.provisioning, over: profile))
        #expect(merged.method?.value == .staticOOB)
        #expect(merged.algorithm?.value == .cmacAES128)
        #expect(merged.attention?.value == 0)
        #expect(merged.staticValue?.value == .environment("A"))
        #expect(ProvisioningSettings.merged(nil, over: profile) == profile)
        #expect(ProvisioningSettings.merged(merged, over: nil) == merged)
        #expect(ProvisioningSettings.merged(nil, over: nil) == nil)
    }

    @Test("Contradictions between a node and its profile are found as well")
    func contradictions() {
        #expect(
            diagnose(node("{ static: { env: A } }", profile: "{ oob: input }")) == [
                "a.yaml:4:98: error: `static` and `oob: input` contradict each other "
                    + "(write `oob: static`, or leave one of the two out) [a.yaml:3:39: the method]"
            ]
        )
    }

    @Test("What belongs to one device cannot stand in a profile", arguments: ["static", "public_key"])
    func profiles(_ key: String) {
        #expect(
            diagnose(head + "profiles: { p: { provisioning: { \(key): { file: x } } } }\n") == [
                "a.yaml:3:34: error: `\(key)` belongs to one device, not to a profile "
                    + "(write it in the `provisioning` of the node)"
            ]
        )
    }

    @Test("Where authentication is required, no OOB needs the public key")
    func required() {
        let problem =
            "error: `oob: none` does not authenticate the device, and the network requires that "
            + "(choose another method, or give the public key of the device: `public_key: { file: PATH }`) "
            + "[a.yaml:3:26: the requirement]"
        let rules = "{ require: authenticated }"
        #expect(diagnose(node("{ oob: none }", rules: rules)) == ["a.yaml:4:76: \(problem)"])
        #expect(diagnose(node("{}", rules: rules, profile: "{ oob: none }")) == ["a.yaml:4:39: \(problem)"])
        #expect(diagnose(node("{ public_key: { file: x } }", rules: rules, profile: "{ oob: none }")) == [])
        #expect(diagnose(node("{ oob: none }", rules: "{ require: none }")) == [])
        #expect(diagnose(node("{ oob: none }", rules: "{}")) == [])
        #expect(diagnose(node("{}", rules: rules)) == [])
    }

    @Test("The rules of a network are words of the language and stand in one document")
    func rules() {
        #expect(
            diagnose(head + "provisioning: { require: authentic }\n") == [
                "a.yaml:3:26: error: `authentic` is not a requirement (did you mean `authenticated`? "
                    + "write one of: authenticated, claimed, none)"
            ]
        )
        #expect(
            diagnose(head + "provisioning: { require: none }\n", "provisioning: { require: authenticated }\n") == [
                "b.yaml:1:1: error: `provisioning` of the network is given twice [a.yaml:3:1: first here]"
            ]
        )
        #expect(
            diagnose(head + "provisioning: { oob: none }\n") == [
                "a.yaml:3:17: error: unknown key `oob` (allowed here: require)"
            ]
        )
    }

    @Test("a file with devices or secrets among the definitions is told where it belongs")
    func misplacedFiles() {
        let hint =
            "Devices and their secrets belong in files of their own, for `the file of devices` and `the file of secrets`; if such a file is "
            + "in the folder of the definition, name the definition's files"
        #expect(
            diagnose(head, "products: {}\ndevices: {}\n") == [
                "b.yaml:1:11: error: a list of files with products is expected here, not a mapping (move them into a file "
                    + "outside of the definition, and name it: `products: [devices/products.yaml]`)",
                "b.yaml:2:1: error: unknown key `devices` (\(hint))",
            ]
        )
    }

    private static let value = "fedcba98765432100123456789abcdef"

    @Test(
        "A secret in a definition is refused, not repeated, and its line is not shown",
        arguments: [
            "{ static: \(value) }", "{ static: [\(value)] }", "{ static: \"\(value)\" }", "{ static: { \(value): 1 } }",
            "{ static: { value: \(value) } }", "{ static: { env: \"\(value)\" } }", "{ static: { file: [\(value)] } }",
            "{ public_key: \(value)\(value)\(value)\(value) }", "{ sttic: \(value) }",
            "{ oob: bogus, static: \(value) }",
            "{ oob: bogus, statik: [\(value)] }", "{ attention: 1, static: { value: \(value) } }",
        ]
    )
    func secrets(_ settings: String) {
        let files = sources([node(settings)])
        let diagnostics = DefinitionReader.read(files: files).diagnostics
        #expect(!diagnostics.isEmpty)
        for diagnostic in diagnostics {
            #expect(diagnostic.concealsSource, "\(compact(diagnostic, files))")
            #expect(!compact(diagnostic, files).contains("fedcba98"))
        }
    }

    @Test("A static value says where it may stand instead")
    func staticScalar() {
        #expect(
            diagnose(node("{ static: 0011 }")) == [
                "a.yaml:3:79: error: a definition must not contain a static value (write `static: { file: PATH }` or "
                    + "`static: { env: NAME }`, or keep it in a file for `the file of secrets`)"
            ]
        )
        let shown = DefinitionReader.read(files: sources([node("{ oob: bogus, static: { env: A } }")])).diagnostics
        #expect(shown.map(\.concealsSource) == [false])
    }

    @Test("Lines with secrets are found once, however many values beside them are wrong")
    func manyProblems() {
        let nodes = (0..<2000).map { "  n\($0): { uuid: x, provisioning: { static: 00\($0) } }\n" }.joined()
        let diagnostics = DefinitionReader.read(files: sources([head + "nodes:\n" + nodes])).diagnostics
        #expect(diagnostics.count == 101)
        #expect(diagnostics.count { $0.concealsSource } == 100)
    }
}
