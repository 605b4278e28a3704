import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

/// The access tag of the house has a model of a company, 0x003F:0x002A.
@Suite("Commands with vendor models of files")
struct VendorModelCommandTests {
    private static let models = """
        models:
          access-tag:
            company: 0x003F
            model: 0x002A
            types: { tag-mode: u8 0=idle 1=armed 2=lost ! }
            messages:
              access-tag-get: { opcode: 0x01, answer: access-tag-status }
              access-tag-set: { opcode: 0x02, fields: "mode:tag-mode", answer: access-tag-status }
              access-tag-status: { opcode: 0x03, fields: "mode:tag-mode", direction: status }
            states:
              tag-mode: { get: access-tag-get, set: access-tag-set }

        """
    private let via = ["--via", "simulator"]

    /// The house, configured, whose definition names a file with the tag's model and uses its name.
    private func house() throws -> CommandFixture {
        let fixture = try CommandFixture()
        let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../examples/house").standardizedFileURL
        for name in ["house.yaml", "network.json"] {
            try FileManager.default.copyItem(
                at: examples.appending(path: name),
                to: fixture.folder.appending(path: name)
            )
        }
        try #require(fixture.run("init").status == 0)
        try #require(fixture.run("import", "--cdb", "network.json").status == 0)
        let text = String(decoding: try #require(fixture.read("house.yaml")), as: UTF8.self)
        let named = text.replacing("network: house\n", with: "network: house\nmodels: [vendors/tag.yaml]\n")
            .replacing("        0x003F:0x002A:\n", with: "        access-tag:\n")
        #expect(text.contains("0x003F") && named.contains("models:") && !named.contains("0x003F"))
        try fixture.write(Self.models, to: "vendors/tag.yaml")
        let before = fixture.run("plan").output
        try fixture.put(nil, to: "house.yaml")
        try fixture.write(named, to: "house.yaml")
        let expected = Self.words(before.replacing("0x003F:0x002A", with: "access-tag"))
        #expect(Self.words(fixture.run("plan").output) == expected)
        let applied = fixture.run(["apply", "--auto-approve"] + via)
        try #require(applied.status == 0, "\(applied.combined)")
        return fixture
    }

    /// The words of a plan, without the spaces between columns and the digest, which covers the names.
    private static func words(_ text: String) -> [Substring] {
        text.split(separator: "\n").filter { !$0.hasPrefix("Digest:") }.flatMap { $0.split(separator: " ") }
    }

    @Test("get, set and send take the models of the definition; the simulator holds and answers their states")
    func definition() throws {
        let fixture = try house()
        let first = fixture.run(["get", "tag", "tag-mode"] + via)
        #expect(first.status == 0 && first.output.hasSuffix("tag         0  tag-mode  idle\n"), "\(first.combined)")
        let set = fixture.run(["set", "tag", "tag-mode", "armed"] + via)
        #expect(set.status == 0 && set.output == "tag-mode armed: 1 as asked.\n", "\(set.combined)")
        let json = fixture.run(["get", "tag", "--json"] + via)
        #expect(json.output.contains(#""model":"access-tag","state":"tag-mode","value":"armed""#), "\(json.combined)")
        let sent = fixture.run(["send", "tag", "access-tag", "get"] + via)
        #expect(sent.status == 0 && sent.output == "tag: access-tag-status mode=armed\n", "\(sent.combined)")
        let wrong = fixture.run(["send", "tag", "access-tag", "gte"] + via)
        #expect(wrong.status == 64 && wrong.error.contains("access-tag has no message `gte`"), "\(wrong.error)")
        let typo = fixture.run(["send", "tag", "acess-tag", "get"] + via)
        #expect(typo.status == 64 && typo.error.contains("Did you mean `access-tag`?"), "\(typo.error)")
        #expect(fixture.run("plan", "--detailed-exitcode").status == 0)
    }

    @Test("shells complete the names of models, states, words and messages of the definition")
    func completion() throws {
        let fixture = try house()
        let lines = [
            (words: ["get", "tag", ""], argument: 1, name: "tag-mode"),
            (words: ["set", "tag", "tag-mode", ""], argument: 2, name: "armed"),
            (words: ["send", "tag", ""], argument: 1, name: "access-tag"),
            (words: ["send", "tag", "access-tag", ""], argument: 2, name: "access-tag-set"),
        ]
        for (words, argument, name) in lines {
            let call = ["---completion", words[0], "--", "positional@\(argument)", "\(words.count)", "0", "meshplan"]
            let result = fixture.run(call + words)
            let offered = result.output.split(separator: "\n").map(String.init)
            #expect(result.status == 0 && offered.contains(name), "\(result.combined)")
        }
    }

    @Test("Files of the command line stand in for a definition; without either, octets stay hexadecimal")
    func files() throws {
        let fixture = try house()
        try #require(fixture.run(["set", "tag", "tag-mode", "lost"] + via).status == 0)
        try fixture.put(nil, to: "house.yaml")
        let named = fixture.run(["get", "0x0109", "tag-mode", "--models", "vendors/tag.yaml"] + via)
        #expect(named.status == 0 && named.output.hasSuffix("tag-mode  lost\n"), "\(named.combined)")
        let unknown = fixture.run(["get", "0x0109", "tag-mode"] + via)
        #expect(unknown.status == 64 && unknown.error.contains("there is no state `tag-mode`"), "\(unknown.error)")
        let octets = ["send", "0x0109", "0x003F:0x002A", "--opcode", "0xC13F00", "--expect", "0xC33F00"]
        let silent = fixture.run(octets + via)
        #expect(silent.status == 4, "without a description the simulator does not answer: \(silent.combined)")
        try fixture.write("models: { a: { company: 0x003F } }\n", to: "bad.yaml")
        let bad = fixture.run(["get", "0x0109", "--models", "bad.yaml"] + via)
        #expect(bad.status == 65 && bad.error.contains("bad.yaml:1:11"), "\(bad.error)")
        #expect(fixture.run(["get", "0x0109", "--models", "none.yaml"] + via).status != 0)
    }

    @Test("show, plan, explanations and JSON call the model by its name; numbers stay where no file names it")
    func names() throws {
        let fixture = try house()
        #expect(fixture.run("show", "node.0x0109").output.contains("\n  access-tag\n"))
        #expect(fixture.run("show", "node.0x0109", "--json").output.contains(#""model":"access-tag""#))
        let why = fixture.run("show", "node.tag", "--why")
        #expect(why.status == 0 && why.output.contains("Element 0, access-tag"), "\(why.combined)")
        let text = String(decoding: try #require(fixture.read("house.yaml")), as: UTF8.self)
        try fixture.put(nil, to: "house.yaml")
        try fixture.write(text.replacing("ttl: 3, period: 10s", with: "ttl: 4, period: 10s"), to: "house.yaml")
        let plan = fixture.run("plan")
        #expect(plan.output.contains("element[0].access-tag.publication"), "\(plan.combined)")
        #expect(fixture.run("plan", "--json").output.contains("node.tag.element[0].access-tag.publication"))
        try fixture.put(nil, to: "house.yaml")
        #expect(fixture.run("show", "node.0x0109").output.contains("\n  0x003F:0x002A\n"))
    }

    @Test("A state of the model stands in plan, drift, show and definition in the words of its description")
    func states() throws {
        let fixture = try house()
        let text = String(decoding: try #require(fixture.read("house.yaml")), as: UTF8.self)
        let keys = "          keys: [cat-flap]\n"
        let declared = text.replacing(keys, with: keys + "          states: { tag_mode: armed }\n")
        try #require(text != declared)
        try fixture.put(nil, to: "house.yaml")
        try fixture.write(declared, to: "house.yaml")
        let lasting = Self.models.replacing("set: access-tag-set }", with: "set: access-tag-set, lasting: on }")
        try fixture.put(nil, to: "vendors/tag.yaml")
        try fixture.write(lasting, to: "vendors/tag.yaml")
        let first = fixture.run("plan")
        #expect(first.output.contains("element[0].access-tag.state.tag-mode  armed\n"), "\(first.combined)")
        let applied = fixture.run(["apply", "--auto-approve"] + via)
        try #require(applied.status == 0, "\(applied.combined)")
        #expect(fixture.run("plan", "--detailed-exitcode").status == 0)
        let shown = fixture.run("show", "node.tag", "--json")
        #expect(shown.output.contains(#""state":"tag-mode","value":"armed""#), "\(shown.combined)")

        try setByOther("lost", lasting, fixture)
        _ = fixture.run(["refresh"] + via)
        let drift = fixture.run("drift")
        #expect(drift.output.contains("armed") && drift.output.contains("lost"), "\(drift.combined)")
        #expect(!drift.output.contains(#/0x0[12]\s/#), "\(drift.combined)")
        let plan = fixture.run("plan")
        #expect(plan.output.contains("lost -> armed"), "\(plan.combined)")
        let adopted = fixture.run("drift", "--adopt")
        #expect(adopted.output.contains("access-tag: { states: { mode: lost } }"), "\(adopted.combined)")
    }

    /// Lets somebody with another database, and so another provisioner, set the tag's mode.
    private func setByOther(_ value: String, _ models: String, _ fixture: CommandFixture) throws {
        let other = try CommandFixture()
        other.random = SplitMix64(seed: 43)
        try #require(fixture.run("export", "--cdb", "out.json").status == 0)
        try other.write(String(decoding: try #require(fixture.read("out.json")), as: UTF8.self), to: "out.json")
        try other.write(models, to: "tag.yaml")
        try #require(other.run("init").status == 0)
        try #require(other.run("import", "--cdb", "out.json").status == 0)
        // The other one has only the title of the network.
        let air = fixture.folder.appending(path: ".meshplan/house.simulator")
        let others = other.folder.appending(path: ".meshplan/brian-and-mary-s-house.simulator")
        try FileManager.default.copyItem(at: air, to: others)
        let set = other.run(["set", "tag", "tag-mode", value, "--models", "tag.yaml"] + via)
        try #require(set.status == 0, "\(set.combined)")
        try FileManager.default.removeItem(at: air)
        try FileManager.default.copyItem(at: others, to: air)
    }

    @Test("validate says where a named file is missing or wrong")
    func validate() throws {
        let fixture = try house()
        #expect(fixture.run("validate").status == 0)
        try fixture.put(nil, to: "vendors/tag.yaml")
        let missing = fixture.run("validate")
        #expect(missing.status == 65, "\(missing.combined)")
        #expect(missing.error.contains("house.yaml:5:10") && missing.error.contains("vendors/tag.yaml"))
        // A definition from elsewhere must not show what stands in other files.
        let text = String(decoding: try #require(fixture.read("house.yaml")), as: UTF8.self)
        try fixture.write("user: lavender\n", to: "netrc")
        try fixture.put(nil, to: "house.yaml")
        try fixture.write(text.replacing("[vendors/tag.yaml]", with: "[netrc]"), to: "house.yaml")
        let other = fixture.run("validate")
        #expect(other.status == 65 && !other.combined.contains("lavender"), "\(other.combined)")
        try fixture.put(nil, to: "house.yaml")
        try fixture.write(text, to: "house.yaml")
        try fixture.write(Self.models.replacing("u8 0=idle", with: "u99 0=idle"), to: "vendors/tag.yaml")
        let wrong = fixture.run("validate")
        #expect(wrong.status == 65 && wrong.error.contains("vendors/tag.yaml:5:24"), "\(wrong.error)")
        // Whoever operates needs no definition, so a bad one is passed over.
        #expect(fixture.run(["get", "tag", "battery"] + via).error.contains("Ignoring the definition here"))
    }

    @Test("Going back reads the files with models from the history")
    func history() throws {
        let fixture = try house()
        let text = String(decoding: try #require(fixture.read("house.yaml")), as: UTF8.self)
        try fixture.put(nil, to: "house.yaml")
        try fixture.write(text.replacing("ttl: 3, period: 10s", with: "ttl: 4, period: 10s"), to: "house.yaml")
        try #require(fixture.run(["apply", "--auto-approve"] + via).status == 0)
        try fixture.put(nil, to: "vendors/tag.yaml")
        let back = fixture.run(["rollback", "--auto-approve"] + via)
        #expect(back.status == 0, "\(back.combined)")
    }
}
