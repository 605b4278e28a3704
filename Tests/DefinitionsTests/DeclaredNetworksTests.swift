import Testing

@testable import Definitions

@Suite("The names of networks that a file declares")
struct DeclaredNetworksTests {
    @Test(
        "are found by the reader of YAML, however they are written",
        arguments: [
            ("network: kitchen\n", ["kitchen"]), ("version: 1\nnetwork: kitchen # ours\n", ["kitchen"]),
            ("\u{FEFF}network: 'kit''chen'\n", ["kit'chen"]), ("\"network\": \"hall\"\n", ["hall"]),
            ("{ version: 1, network: hall }\n", ["hall"]), ("network:\n  hall\n", ["hall"]),
            ("network : hall\r\n", ["hall"]), ("network: a\n---\nnetwork: b\n---\nnetwork: a\n", ["a", "b"]),
            ("? [network]\n: x\nnetwork: y\n", ["y"]), ("a: &x { network: z }\nb: *x\nnetwork: y\n", ["y"]),
            ("network: $(name)\n", ["$(name)"]),
        ]
    )
    func found(_ text: String, _ names: [String]) {
        #expect(DeclaredNetworks(Array(text.utf8)).names == names)
    }

    @Test(
        "are nowhere else",
        arguments: [
            "", "nodes:\n  network: x\n", "note: |\n  network: x\n", "- network: x\n", "# network: x\n",
            "network: [x]\n",
            "version: network\nx: y\n", "network\n", "'\nnetwork: x\n'\n", "\u{0}network: x\n",
        ]
    )
    func absent(_ text: String) { #expect(DeclaredNetworks(Array(text.utf8)).names.isEmpty) }

    @Test("before a mistake are found, so that the mistake is told of that network")
    func broken() {
        #expect(DeclaredNetworks(Array("network: kitchen\nnodes: [\n".utf8)).names == ["kitchen"])
        #expect(DeclaredNetworks(Array("network: [".utf8)).names.isEmpty)
    }

    @Test("are looked for within limits, however deep a file is")
    func deep() {
        let text = String(repeating: "[", count: 1_000_000)
        #expect(DeclaredNetworks(Array(text.utf8)).names.isEmpty)
    }
}
