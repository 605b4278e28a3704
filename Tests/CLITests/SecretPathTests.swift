import DefinitionModel
import Definitions
import MeshCore
import Testing

@testable import MeshplanCLI

@Suite("Paths of files with secrets in definitions")
struct SecretPathTests {
    private let text = """
        version: 1
        network: hq
        subnets: { s: { key: { file: s.hex } } }
        nodes:
          a:
            uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001
            provisioning: { static: { file: secrets/a.hex }, public_key: { file: ../a.pub } }
          b:
            uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0002
            provisioning: { static: { file: /etc/b.hex }, public_key: { file: /etc/b.pub } }
          c: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0003, provisioning: { static: { env: C } } }
          d: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0004 }
        """

    private func resolved(_ path: String) throws -> Definition {
        let files = SourceFiles(files: [.init(path: path, bytes: Array(text.utf8))])
        let (definitions, diagnostics) = DefinitionReader.read(files: files)
        #expect(diagnostics.isEmpty)
        return try #require(definitions.first).resolvingKeyFiles(in: files)
    }

    @Test("Relative paths start from the file that names them, absolute ones stay")
    func relative() throws {
        let definition = try resolved("sites/hq/nodes.yaml")
        #expect(definition.subnets.first?.key?.value == .file("sites/hq/s.hex"))
        #expect(
            definition.nodes.map { $0.provisioning?.staticValue?.value } == [
                .file("sites/hq/secrets/a.hex"), .file("/etc/b.hex"), .environment("C"), nil,
            ]
        )
        #expect(
            definition.nodes.map { $0.provisioning?.publicKeyFile?.value } == [
                "sites/hq/../a.pub", "/etc/b.pub", nil, nil,
            ]
        )
    }

    @Test("Paths of a definition in the working folder stay as they are")
    func workingFolder() throws {
        let definition = try resolved("hq.yaml")
        #expect(definition.subnets.first?.key?.value == .file("s.hex"))
        #expect(definition.nodes.first?.provisioning?.staticValue?.value == .file("secrets/a.hex"))
    }
}
