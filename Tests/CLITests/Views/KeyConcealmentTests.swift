import DefinitionModel
import Definitions
import MeshCore
import Testing

@testable import MeshplanCLI

@Suite("Concealment of secrets in source lines")
struct KeyConcealmentTests {
    @Test(
        "What stands behind `static` is concealed, whatever its form",
        arguments: [
            ("static: 00112233", "static: ********"),
            ("a: { static: 0011, oob: bogus }", "a: { static: ****, oob: bogus }"),
            ("a: { static: 00:11-22, oob: x }", "a: { static: ********, oob: x }"),
            ("\"static\": \"00 11\", \"oob\": 1", "\"static\": \"** **\", \"oob\": 1"),
            ("static: 'a, b'  # note", "static: '** *'  # note"),
            ("static: abc  # note", "static: ***  # note"),
            ("static: [00, 11]", "static: [*** **]"),
            ("static_oob: 0011", "static_oob: ****"),
            ("static: { file: keys/a.hex }", "static: { file: keys/a.hex }"),
            ("static: { env: ABBA }", "static: { env: ABBA }"),
            ("{ oob: static, attention: 5s }", "{ oob: static, attention: 5s }"),
            ("oob: static", "oob: static"), ("static", "static"), ("static:", "static:"),
        ]
    )
    func staticValues(_ source: String, _ shown: String) {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: source.concealingKeys(first: 200))
        #expect(String(text) == shown)
    }

    @Test("The digits of keys are concealed, UUIDs stay readable")
    func keys() {
        let digits = "00112233445566778899aabbccddeeff"
        var text = String.UnicodeScalarView()
        text.append(contentsOf: "public_key: \(digits)\(digits), uuid: \(digits)".concealingKeys(first: 200))
        #expect(String(text) == "public_key: \(String(repeating: "*", count: 64)), uuid: \(digits)")
    }

    @Test("Lines of files with secrets are not shown, neither the one to blame nor one that it refers to")
    func secretsFiles() {
        let uuid = "0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001"
        let files = SourceFiles(files: [
            .init(path: "batch.csv", bytes: Array("uuid,static\n\(uuid),fedcba\n\(uuid),fedcba\n".utf8))
        ])
        let diagnostics = SecretsFile.read(files: files).diagnostics
        let text = DiagnosticView(files: files, style: .plain).render(diagnostics)
        #expect(text.contains("batch.csv:3:1") && text.contains("first here: batch.csv:2:1"))
        #expect(!text.contains("fedcba"))
    }

    @Test("A static value in a definition shows in no line beside other mistakes")
    func definitions() {
        let text = """
            version: 1
            network: hq
            nodes:
              a: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001, profile: x, provisioning: { static: fedcba, oob: y } }
              b: { uuid: z, provisioning: { static: "fedcba" } }
              c: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001, provisioning: { static: [fedcba], attention: 1 } }
            """
        let files = SourceFiles(files: [.init(path: "hq.yaml", bytes: Array(text.utf8))])
        let diagnostics = DefinitionReader.read(files: files).diagnostics
        #expect(diagnostics.count == 8)
        let shown = DiagnosticView(files: files, style: .plain).render(diagnostics)
        #expect(shown.contains("there is no profile `x`") && !shown.contains("fedcba"))
    }
}
