import Catalogue
import DefinitionModel
import MeshCore
import Testing

@testable import Definitions

@Suite("Vendor models of a definition")
struct ModelsOfDefinitionTests {
    private static let exitLight = """
        models:
          exit-light:
            company: 0x0059
            model: 0x0001
            messages:
              exit-light-get: { opcode: 0x01, answer: exit-light-status }
              exit-light-status: { opcode: 0x04, direction: status, fields: "mode:u8" }
            states: { exit-light-mode: { get: exit-light-get } }

        """
    private static let sign = """
        models: { sign: { company: 0x0059, model: 2, messages: { sign-get: { opcode: 0x07 } } } }

        """

    /// A definition whose node, subscription and publication name the model.
    private static func definition(_ models: String, _ name: String = "exit-light") -> String {
        """
        version: 1
        network: t
        \(models)
        subnets: { s: {} }
        application_keys: { k: { subnet: s } }
        groups: { g: {} }
        nodes: { n: { uuid: \(uuid(1)), elements: { 0: { \(name): { keys: [k] } } } } }
        subscriptions: [{ groups: [g], models: [\(name)], nodes: [n] }]
        publications: [{ node: n, model: \(name), to: g, key: k }]

        """
    }

    private func files(_ texts: KeyValuePairs<String, String>) -> SourceFiles {
        SourceFiles(files: texts.map { SourceFiles.File(path: $0.key, bytes: Array($0.value.utf8)) })
    }

    private func read(
        _ given: KeyValuePairs<String, String>,
        loading others: KeyValuePairs<String, String> = [:]
    ) -> (reading: DefinitionReading, problems: [String]) {
        let others = files(others).files
        let reading = DefinitionReader.reading(files(given)) { path throws(Never) -> [SourceFiles.File] in
            let path = NamedFiles.normalized(path)
            return others.filter { $0.path == path || $0.path.hasPrefix(path + "/") }
        }
        return (reading, reading.diagnostics.map { compact($0, reading.files) })
    }

    private let model = ModelIdentifier.vendor(company: 0x0059, model: 1)

    @Test(
        "A definition names files and folders, holds the models itself, or lies beside them; order does not matter",
        arguments: [
            (["a.yaml": "models: [m.yaml]"], ["m.yaml": exitLight]),
            (["a.yaml": "models: [m.yaml]", "m.yaml": exitLight], [:]),
            (["d/a.yaml": "models: [./m.yaml]"], ["d/m.yaml": exitLight]),
            (["d/a.yaml": "models: [../e/m.yaml]"], ["e/m.yaml": exitLight]),
            (["d/a.yaml": "models: [vendors]"], ["d/vendors/m.yaml": exitLight, "d/vendors/o.yml": sign]),
            (["d/a.yaml": "models: [vendors/]", "d/vendors/m.yaml": exitLight], [:]),
            (["a.yaml": "", "m.yaml": exitLight], [:]), (["a.yaml": exitLight], [:]),
            (["a.yaml": "models: [m.yaml, m.yaml]"], ["m.yaml": exitLight]),
        ] as [(KeyValuePairs<String, String>, KeyValuePairs<String, String>)]
    )
    func places(_ given: KeyValuePairs<String, String>, _ others: KeyValuePairs<String, String>) throws {
        let texts = given.map { ($0.key, $0.key.hasSuffix("a.yaml") ? Self.definition($0.value) : $0.value) }
        var all = SourceFiles()
        for (path, text) in texts { all.files.append(SourceFiles.File(path: path, bytes: Array(text.utf8))) }
        let further = files(others).files
        let reading = DefinitionReader.reading(all) { path throws(Never) -> [SourceFiles.File] in
            let path = NamedFiles.normalized(path)
            return further.filter { $0.path == path || $0.path.hasPrefix(path + "/") }
        }
        #expect(reading.diagnostics.map { compact($0, reading.files) } == [])
        #expect(reading.vendorModels.first { $0.name == "exit-light" }?.states.map(\.name) == ["exit-light-mode"])
        let definition = try #require(reading.definitions.first)
        #expect(definition.modelNames.name(of: model) == "exit-light")
        #expect(definition.modelNames.model(named: "exit-light") == model)
        #expect(definition.nodes[0].settings.elements[0]?.models.map(\.identifier.value) == [model])
        #expect(definition.subscriptions[0].models.map(\.value) == [model])
        #expect(definition.publications[0].model.value == model)
        // The same texts, as the history of a database keeps them, say the same without a file to load.
        let again = DefinitionReader.read(files: reading.files)
        #expect(again.diagnostics.isEmpty && again.definitions == reading.definitions)
    }

    @Test("A missing file is told at its place, and only once, not again where its models are used")
    func missing() {
        let (reading, problems) = read(["a.yaml": Self.definition("models: [m.yaml]")])
        #expect(problems.count == 1, "\(problems)")
        let text = "a.yaml:3:10: error: there is no YAML file `m.yaml` with vendor models"
        #expect(problems.first?.hasPrefix(text) == true)
        #expect(reading.vendorModels.isEmpty)
    }

    @Test(
        "What is wrong in a file is told at its place in it",
        arguments: [
            (exitLight.replacing("0x01, answer", with: "0x04, answer"), "m.yaml:7:7", "cannot be told from"),
            (exitLight.replacing("opcode: 0x01", with: "opcode: 0xC13601"), "m.yaml:6:33", "of the company 0x0136"),
            (exitLight.replacing("mode:u8", with: "mode:lux"), "m.yaml:7:", "no type lux"),
            (exitLight.replacing("company: 0x0059", with: "company: many"), "m.yaml:3:14", "`many` is not"),
            (exitLight + "nodes: {}\n", "m.yaml:9:1", "unknown key `nodes`"),
            (exitLight.replacing("exit-light:", with: "time-server:"), "m.yaml:2:3", "model of the Bluetooth SIG"),
            ("models: [x.yaml]\n", "m.yaml:1:9", "a mapping of names is expected here"),
            ("models: {\n", "m.yaml:", ""), ("- 1\n", "m.yaml:1:1", "a mapping"),
        ]
    )
    func wrong(text: String, place: String, message: String) {
        let (_, problems) = read(["a.yaml": Self.definition("models: [m.yaml]", "0x0059:1")], loading: ["m.yaml": text])
        #expect(problems.contains { $0.hasPrefix(place) && $0.contains(message) }, "\(problems)")
    }

    @Test("Opcodes and identifiers that two files use are told with both places")
    func overlapping() {
        let second = Self.exitLight.replacing("exit-light", with: "other")
        let (_, problems) = read(
            ["a.yaml": Self.definition("models: [m.yaml, o.yaml]", "other")],
            loading: ["m.yaml": Self.exitLight, "o.yaml": second]
        )
        #expect(problems.contains { $0.hasPrefix("o.yaml:2:3") && $0.contains("[m.yaml:2:3: first here]") })
        #expect(problems.contains { $0.contains("cannot be told from") && $0.contains("m.yaml:6:7: first here") })
    }

    @Test("A name that no file gives is a mistake as ever, with what is probably meant")
    func unknown() {
        let given: KeyValuePairs = ["a.yaml": Self.definition("models: [m.yaml]", "exit-ligth")]
        let (_, problems) = read(given, loading: ["m.yaml": Self.exitLight])
        #expect(problems.count { $0.contains("`exit-ligth` is not a model (did you mean `exit-light`?)") } == 3)
        #expect(diagnose(Self.definition("")).count == 3)
        #expect(diagnose(Self.definition("models: m.yaml", "0x1000")).first?.contains("write it in brackets") == true)
    }

    @Test("A broken model is told once, and its uses are not")
    func broken() {
        let text = Self.exitLight.replacing("    model: 0x0001\n", with: "")
        let (_, problems) = read(["a.yaml": Self.definition("models: [m.yaml]")], loading: ["m.yaml": text])
        #expect(problems.count == 1 && problems.first?.contains("`model` is missing") == true, "\(problems)")
    }

    @Test("A definition without vendor models has the names of the catalogue only")
    func without() throws {
        let (reading, problems) = read(["a.yaml": Self.definition("", "0x0059:0x0001")])
        #expect(problems == [] && reading.vendorModels.isEmpty)
        #expect(reading.definitions.first?.modelNames == ModelNames())
    }

    @Test("Paths are compared without what does not matter in them")
    func paths() {
        let cases = [
            ("a/./b", "a/b"), ("a/../b", "b"), ("../a", "../a"), ("./", "."), ("/a//b/", "/a/b"), ("a/../../b", "../b"),
        ]
        for (path, normalized) in cases { #expect(NamedFiles.normalized(path) == normalized, "\(path)") }
    }
}
