import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("Completion of names")
struct CompletionTests {
    /// What a shell gets for the last of these words, of which the first is the command.
    private func offered(
        _ fixture: CommandFixture,
        _ words: [String],
        at argument: String
    ) -> [String] {
        let all = ["meshplan"] + words
        let last = all[all.count - 1]
        let call = ["---completion", words[0], "--", argument, "\(all.count - 1)", "\(last.count)"] + all
        let result = fixture.run(call)
        #expect(result.status == 0 && result.error.isEmpty, "\(result.combined)")
        // The parser remembers for the whole process that a script for zsh was made, maybe by another test, and adds a
        // line with a space for it.
        return result.output.split(separator: "\n").map(String.init).filter { $0 != " " }
    }

    @Test("targets are nodes and groups of the database, and tags of the definition")
    func targets() throws {
        let fixture = try CommandFixture.house()
        let offered = offered(fixture, ["get", ""], at: "positional@0")
        #expect(offered.contains("Bell") && offered.contains("Door Bell") && offered.contains("bell"))
        #expect(offered.contains("group.bedroom") || offered.contains("group.Bedroom"), "\(offered)")
        #expect(offered.suffix(2) == ["bed=left", "bed=right"])
        #expect(self.offered(fixture, ["watch", ""], at: "positional@0") == offered)
        #expect(self.offered(fixture, ["health", ""], at: "positional@0") == offered)
        #expect(self.offered(fixture, ["sensors", ""], at: "positional@0") == offered)
        let elements = self.offered(fixture, ["set", "Bedroom Light/"], at: "positional@0")
        #expect(elements == ["Bedroom Light/0", "Bedroom Light/1", "Bedroom Light/2"])
        let values = self.offered(fixture, ["get", "bed", "=", ""], at: "positional@0")
        #expect(values == ["left", "right"], "bash makes three words of a tag")
    }

    @Test("states are those of the target; set offers those that can be set, and their words")
    func states() throws {
        let fixture = try CommandFixture.house()
        let bell = offered(fixture, ["get", "Bell", ""], at: "positional@1")
        #expect(bell.contains("onoff") && !bell.contains("lightness") && !bell.contains("battery"))
        let quoted = offered(fixture, ["get", "--via", "simulator", "'Bedroom Light'", ""], at: "positional@1")
        #expect(quoted.contains("hsl") && !quoted.contains("battery"))
        let all = offered(fixture, ["get", "nobody", ""], at: "positional@1")
        #expect(all.contains("battery") && all.contains("sensor"))
        let settable = offered(fixture, ["set", "nobody", ""], at: "positional@1")
        #expect(settable.contains("onoff") && !settable.contains("battery"))
        #expect(offered(fixture, ["set", "Bell", "onoff", ""], at: "positional@2") == ["off", "on"])
    }

    @Test("send completes models, their messages and keys; other commands nodes and networks")
    func others() throws {
        let fixture = try CommandFixture.house()
        let models = offered(fixture, ["send", "Bell", ""], at: "positional@1")
        #expect(models.contains("generic-onoff-server") && !models.contains("light-hsl-server"))
        let messages = offered(fixture, ["send", "Bell", "generic-onoff-server", ""], at: "positional@2")
        #expect(messages == ["generic-onoff-get", "generic-onoff-set", "generic-onoff-set-unacknowledged"])
        #expect(offered(fixture, ["send", "--key", ""], at: "--key").contains("Home Automation"))
        #expect(offered(fixture, ["identify", ""], at: "positional@0").contains("Bell"))
        let network = try #require(offered(fixture, ["get", "--network", ""], at: "--network").first)
        #expect(offered(fixture, ["get", "--network", network, ""], at: "positional@0").contains("Bell"))
        let none = offered(fixture, ["get", "--network", "other", ""], at: "positional@0")
        #expect(!none.contains("Bell"))
    }

    @Test("options that select nodes complete nodes, groups, subnets and tags")
    func selection() throws {
        let fixture = try CommandFixture.house()
        #expect(offered(fixture, ["plan", "--node", ""], at: "--node").contains("Bell"))
        #expect(offered(fixture, ["apply", "--exclude", ""], at: "--exclude").contains("Bell"))
        let groups = offered(fixture, ["plan", "--group", ""], at: "--group")
        #expect(groups.contains { $0.lowercased() == "bedroom" }, "\(groups)")
        #expect(offered(fixture, ["refresh", "--tag", ""], at: "--tag").contains("bed=left"))
        #expect(!offered(fixture, ["plan", "--subnet", ""], at: "--subnet").isEmpty)
    }

    @Test("nothing is asked or told where there is no database, or a secret is needed that no file has")
    func closed() throws {
        let empty = try CommandFixture()
        #expect(offered(empty, ["get", ""], at: "positional@0").isEmpty)
        #expect(offered(empty, ["get", "x", ""], at: "positional@1").contains("onoff"))
        let fixture = try CommandFixture.house()
        fixture.isTerminal = true
        let key = try #require(fixture.read(".meshplan/key"))
        try fixture.put(nil, to: ".meshplan/key")
        // The definition stays readable; a key command is not run for a completion.
        fixture.environment["MESHPLAN_KEY_COMMAND"] = "touch ran; false"
        let offered = offered(fixture, ["get", ""], at: "positional@0")
        #expect(!offered.contains("Bell") && offered.contains("bell"))
        #expect(fixture.read("ran") == nil)
        fixture.environment["MESHPLAN_KEY_COMMAND"] = nil
        try fixture.writePrivate(String(decoding: key, as: UTF8.self), to: ".meshplan/key")
        #expect(self.offered(fixture, ["get", ""], at: "positional@0").contains("Bell"))
    }

    @Test("names that a shell would carry out or take apart are not offered")
    func harmless() {
        let names = ["lamp-1", "Kitchen 2", "küche/1", "room=kitchen", "0x0059:0x0001"]
        let hostile = ["$(touch x)", "`x`", "a\nb", "Brian's", "a\"b", "a*", "-rf", "", "a;b", "a\\b", "~x", "{a,b}"]
        #expect(CompletionLine.harmless(names + hostile) == names)
    }

    @Test("the scripts for shells ask for names, and have the guards of --allow")
    func scripts() throws {
        let fixture = try CommandFixture()
        for shell in ["bash", "zsh", "fish"] {
            let script = fixture.run("--generate-completion-script", shell)
            #expect(script.status == 0)
            for command in ["get", "set", "watch", "send", "health", "sensors"] {
                #expect(script.output.contains("---completion \(command) -- positional@0"), "\(shell) \(command)")
            }
            #expect(script.output.contains("---completion get -- positional@1"))
            #expect(script.output.contains("unreachable-ttl") && script.output.contains("mass-removal"), "\(shell)")
        }
    }

    @Test("every argument that is a file or a folder completes them")
    func files() throws {
        let fixture = try CommandFixture()
        let help = fixture.run("--experimental-dump-help")
        let tool = try JSONSerialization.jsonObject(with: Data(help.output.utf8)) as? [String: Any]
        var waiting = [try #require(tool?["command"] as? [String: Any])]
        var seen = 0
        while let command = waiting.popLast() {
            waiting += command["subcommands"] as? [[String: Any]] ?? []
            for argument in command["arguments"] as? [[String: Any]] ?? [] {
                let name = argument["valueName"] as? String ?? ""
                guard ["file", "folder", "dir", "path", "plans"].contains(name) else { continue }
                seen += 1
                #expect(argument["completionKind"] != nil, "\(command["commandName"] ?? "") \(argument)")
            }
        }
        #expect(seen > 100)
    }

    @Test("what a definition declares is offered where a command asks for it")
    func ofDefinition() throws {
        let fixture = try CommandFixture()
        try fixture.write(
            """
            version: 1
            network: villa
            subnets: { home: { index: 0 } }
            groups: { hall: {} }
            floors: { ground: {}, attic: {} }
            nodes: { lamp-1: { tags: { room: hall } } }
            """,
            to: "villa.yaml"
        )
        #expect(offered(fixture, ["graph", "--floor", ""], at: "--floor") == ["attic", "ground"])
        #expect(offered(fixture, ["plan", "--remove", ""], at: "--remove") == ["lamp-1", "room=hall"])
        try fixture.write("", to: "next.mplan")
        let shown = ["node.lamp-1", "group.hall", "subnet.home", "next.mplan"]
        #expect(offered(fixture, ["show", ""], at: "positional@0") == shown)
    }

    @Test("words of a line lose their quotes, and options tell their values")
    func lines() {
        let line = CompletionLine(["meshplan", "get", "'Door Bell'", "Door\\ Bell", "--network=n", "x"], index: 5)
        #expect(line.words == ["meshplan", "get", "Door Bell", "Door Bell", "--network=n"])
        #expect(line.value(of: "--network") == "n" && line.value(of: "--key") == nil)
        #expect(CompletionLine(["a", "--network"], index: 9).value(of: "--network") == nil)
        #expect(CompletionLine(["a"], index: -1).words.isEmpty)
    }
}
