import DefinitionModel
import MeshCore
import Testing

@testable import Definitions

@Suite("Documents and networks")
struct NetworksTests {
    @Test("Documents and files of one network are put together in reading order")
    func together() {
        let (definitions, problems) = definitions(
            head + "groups: { a: {} }\n---\nnetwork: hq\ngroups: { b: {} }\n",
            "groups: { c: { parent: a } }\n"
        )
        #expect(problems == [])
        #expect(definitions.count == 1)
        #expect(definitions.first?.groups.map(\.name.value) == ["a", "b", "c"])
        #expect(definitions.first?.groups.map(\.name.location.file) == [0, 0, 1])
    }

    @Test("Each network has its own definition and its own names")
    func apart() {
        let (definitions, problems) = definitions(
            head + "groups: { a: {} }\n",
            "version: 1\nnetwork: annex\ngroups: { a: {} }\n---\nnetwork: hq\ngroups: { b: {} }\n"
        )
        #expect(problems == [])
        #expect(definitions.map(\.network.value) == ["hq", "annex"])
        #expect(definitions.map { $0.groups.map(\.name.value) } == [["a", "b"], ["a"]])
    }

    @Test("The same name twice is shown with both places")
    func twice() {
        let section =
            "subnets: { s: {} }\napplication_keys: { k: { subnet: s } }\ngroups: { g: {} }\nprofiles: { p: {} }\n"
        #expect(
            diagnose(
                head + section + "nodes: { n: { uuid: \(uuid(1)) } }\n",
                "network: hq\n" + section + "nodes: { n: { uuid: \(uuid(2)) } }\n"
            ) == [
                "b.yaml:2:12: error: the subnet `s` is declared twice [a.yaml:3:12: first here]",
                "b.yaml:3:21: error: the application key `k` is declared twice [a.yaml:4:21: first here]",
                "b.yaml:4:11: error: the group `g` is declared twice [a.yaml:5:11: first here]",
                "b.yaml:5:13: error: the profile `p` is declared twice [a.yaml:6:13: first here]",
                "b.yaml:6:10: error: the node `n` is declared twice [a.yaml:7:10: first here]",
            ]
        )
    }

    @Test("A document without a network needs exactly one network around it")
    func nameless() {
        #expect(
            diagnose(head, "version: 1\nnetwork: other\n", "groups: {}\n") == [
                "c.yaml:1:1: error: `network` is missing (which of the networks is this part of: `hq`, `other`?)"
            ]
        )
        #expect(
            diagnose("version: 1\ngroups: {}\n") == [
                "a.yaml:1:1: error: `network` is missing (name the network: `network: building`)"
            ]
        )
    }

    @Test("The version is given once and is 1")
    func version() {
        #expect(
            diagnose("network: x\n", "network: x\ngroups: {}\n") == [
                "a.yaml:1:1: error: `version` is missing (start the definition with `version: 1`)"
            ]
        )
        #expect(
            diagnose("version: 2\nnetwork: a b\n") == [
                "a.yaml:1:10: error: `2` is not a version of the language (write `version: 1`)",
                "a.yaml:2:10: error: `a b` is not a name "
                    + "(names are letters, digits, `.`, `_` and `-`, and start with a letter or digit)",
            ]
        )
        #expect(definitions("version: '1'\nnetwork: x\n---\nversion: 1\n").problems == [])
    }

    @Test("Sections may be empty, top-level values may not be something else")
    func sections() {
        #expect(diagnose(head + "subnets:\ngroups: ~\nnodes: {}\nsubscriptions:\npublications: []\n") == [])
        #expect(
            diagnose(head + "groups: []\nsubscriptions: {}\npublications: [x]\n") == [
                "a.yaml:3:9: error: a mapping of names is expected here, not a list",
                "a.yaml:4:16: error: a list of subscriptions is expected here, not a mapping",
                "a.yaml:5:16: error: a publication is expected here, not a text",
            ]
        )
        #expect(diagnose("[]\n") == ["a.yaml:1:1: error: a definition is expected here, not a list"])
    }

    @Test("A folder's definition files are those with the right ending, sorted, without hidden ones")
    func paths() {
        let names = [
            "meshplan.lock.yaml", "b.yaml", "a.yml", ".hidden.yaml", "readme.md", "a.yaml", "x.yaml~", "yaml", "B.yaml",
            "10.yaml",
        ]
        #expect(DefinitionPaths.definitionFiles(among: names) == ["10.yaml", "B.yaml", "a.yaml", "a.yml", "b.yaml"])
    }
}
