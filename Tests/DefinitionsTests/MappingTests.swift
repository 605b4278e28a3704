import DefinitionModel
import MeshCore
import Testing

@testable import Definitions

@Suite("Mappings, anchors and merges")
struct MappingTests {
    @Test("Duplicate keys are shown with the place of the first")
    func duplicates() {
        #expect(
            diagnose(head + "groups:\n  a: {}\n  \"a\": {}\nversion: 1\n") == [
                "a.yaml:5:3: error: the key `a` occurs twice in this mapping [a.yaml:4:3: first here]",
                "a.yaml:6:1: error: the key `version` occurs twice in this mapping [a.yaml:1:1: first here]",
            ]
        )
    }

    @Test("Every key of the language has a bit of its own in a set of keys")
    func keywordSet() {
        for (symbol, _) in Keyword.all.enumerated() {
            var set = KeywordSet()
            set.insert(UInt32(symbol))
            #expect(set.contains(UInt32(symbol)) && !set.isSubset(of: KeywordSet()))
        }
        var others = KeywordSet()
        others.insert(1000)
        #expect(!others.isSubset(of: NodeDefinition.mapping.record.allowed))
        #expect(NodeDefinition.mapping.record.needed.isSubset(of: NodeDefinition.mapping.record.allowed))
    }

    @Test("A key may stand in a mapping and in one inside it")
    func nestedKeys() {
        #expect(diagnose(head + "nodes: { a: { tags: { a: b, nodes: c, tags: d }, uuid: \(uuid(1)) } }\n") == [])
    }

    @Test("Keys that are no text are refused, and empty and odd names too")
    func keys() {
        let hint = "(names are letters, digits, `.`, `_` and `-`, and start with a letter or digit)"
        #expect(
            diagnose(head + "groups: { ? [a] : {}, 1 2: {}, \"\": {}, -x: {}, ä: {} }\n") == [
                "a.yaml:3:13: error: a key is expected here, not a list",
                "a.yaml:3:23: error: `1 2` is not a name \(hint)",
                "a.yaml:3:32: error: `` is not a name \(hint)",
                "a.yaml:3:40: error: `-x` is not a name \(hint)",
                "a.yaml:3:48: error: `ä` is not a name \(hint)",
            ]
        )
    }

    @Test("Merged keys stand behind own ones, and the first of several mappings wins")
    func merge() throws {
        let (definitions, problems) = definitions(
            head + """
                profiles:
                  base: &base { ttl: 3, features: { relay: on } }
                  more: &more { <<: *base, ttl: 4, secure_network_beacon: on }
                nodes:
                  a: { uuid: \(uuid(1)), <<: *base, ttl: 9 }
                  b: { uuid: \(uuid(2)), <<: [*more, *base] }
                  c: { uuid: \(uuid(3)), <<: { ttl: 7 } }
                """
        )
        #expect(problems == [])
        let nodes = try #require(definitions.first).nodes
        #expect(nodes.map { $0.settings.defaultTTL?.value } == [9, 4, 7])
        #expect(nodes.map { $0.settings.relay?.value } == [true, true, nil])
        #expect(nodes.map { $0.settings.secureNetworkBeacon?.value } == [nil, true, nil])
        #expect(nodes[1].settings.relay?.location.line == 4)
    }

    @Test("A merge must be of mappings and stands once")
    func badMerges() {
        #expect(
            diagnose(
                head + """
                    nodes:
                      a: { <<: { ttl: 3 }, <<: { ttl: 4 }, uuid: \(uuid(1)) }
                      b: { <<: [x], uuid: \(uuid(2)) }
                      c: { <<: x, uuid: \(uuid(3)) }
                      d: { "<<": {}, uuid: \(uuid(4)) }
                    """
            ) == [
                "a.yaml:4:24: error: the key `<<` occurs twice in this mapping [a.yaml:4:8: first here]",
                "a.yaml:5:13: error: `<<` merges mappings, not a text",
                "a.yaml:6:12: error: `<<` merges mappings, not a text",
                // So many keys are allowed that they are not listed.
                "a.yaml:7:8: error: unknown key `<<`",
            ]
        )
    }

    @Test("What is wrong behind an alias is said once, whoever refers to it")
    func aliases() {
        #expect(
            diagnose(
                head + """
                    nodes:
                      a: { uuid: \(uuid(1)), features: &f { relay: maybe } }
                      b: { uuid: \(uuid(2)), features: *f }
                      c: { uuid: \(uuid(3)), features: *f }
                    """
            ) == [
                "a.yaml:4:70: error: `maybe` is neither on nor off (write on or off (also true, yes, false, no))"
            ]
        )
    }

    @Test("Aliases need an anchor before them and cannot lead back into themselves")
    func badAliases() {
        #expect(
            diagnose(head + "groups: &g { a: {} }\nprofiles: *h\nsubnets: &s { a: *s }\n---\nnodes: *g\n") == [
                "a.yaml:4:11: error: there is no anchor `h` before this "
                    + "(an anchor is written `&name` before a value; quote text that starts with `*`)",
                "a.yaml:5:18: error: the value that is named `s` contains itself",
                "a.yaml:7:8: error: there is no anchor `g` before this "
                    + "(an anchor is written `&name` before a value; quote text that starts with `*`)",
            ]
        )
    }
}
