import DefinitionModel
import Foundation
import MeshCore
import Testing

@testable import Definitions

@Suite("Definitions that are written")
struct DefinitionWriterTests {
    /// Every key that definitions have, with values that are not what is so without them.
    private static let everything = """
        version: 1
        network: "null"
        title: "a: ü"
        description: "no"
        limits: { removals: 50% }
        provisioning: { require: authenticated }
        subnets: { "007": { index: 7, protect: on, key: { env: KEY } }, "no": { key: { file: "a: b # c" } }, c: {} }
        application_keys: { "on": { subnet: "no", index: 9, key: { env: KEY2 }, protect: off }, k2: { subnet: c } }
        groups:
          g: { address: 0xC009, protect: on }
          "0x10": { label: 0073e7e4d8b9440faf8415df4c56c0e1, parent: g }
          1e3: {}
        defaults:
          - { provisioning: { oob: static, attention: 5s }, ttl: 3 }
          - { nodes: [n1, "a*"], features: { friend: on } }
          - { nodes: { room: "*" }, secure_network_beacon: off,
              states: { light-lightness-server: { range: [5%, 100%], default: 80% }, sensor-server: {} } }
        floors: { "2": { title: "on", plan: f.svg, positions: p.csv, width: 30m }, attic: { height: 825cm } }
        scenes: { presentation: 1, "off": 7 }
        time_zone: -03:30
        schedules:
          ev: { when: every workday at 19:30, do: recall presentation over 2s, nodes: n2 }
        profiles:
          q: { product: 0x0059:0x0010 }
          p:
            provisioning: { oob: static, algorithm: hmac, via: remote }
            subnets: [c]
            application_keys: ["on"]
            network_transmit: { count: 1 }
            relay_retransmit: { count: 8, interval: 320ms }
            features: { relay: on, proxy: off }
            nlc: [blc, ocs]
            elements:
              3: { 0x0059:0x0001: { keys: [], subscribe: [], publish: none }, generic-level-server: {} }
        nodes:
          n1:
            uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0001
            profile: p
            address: 0x0100
            position: { floor: "2", x: 3.005m, y: 7m, from: { x: 1m, y: 0m } }
            tags: { room: "a \\"b\\\\ \\t\\n\\x07\\u2028\\U0001F4A1", floor: "2", "y": "~" }
            protect: off
            on_remove: reset
            provisioning: { static: { file: x }, public_key: { file: y } }
            heartbeat:
              publish: { to: n2/3, period: 65536s, count: 4, ttl: 127, features: [relay, low_power], subnet: c }
              subscribe: { from: provisioner, to: all-proxies, period: 2s }
            node_identity: { "no": off, c: off }
            sar_transmitter: { segment_interval: 160ms, unicast_retransmissions: 15,
              unicast_retransmissions_without_progress: 0, unicast_retransmissions_interval: 400ms,
              unicast_retransmissions_interval_increment: 25ms, multicast_retransmissions: 1,
              multicast_retransmissions_interval: 50ms }
            sar_receiver: { segments_threshold: 31, acknowledgment_delay_increment: 7, discard_timeout: 80s,
              acknowledgment_retransmissions: 3, receiver_segment_interval: 10ms }
            private_beacon: { state: on, random_update_interval: 0s }
            private_gatt_proxy: off
            on_demand_private_proxy: 255s
            private_node_identity: { "007": off }
            subnet_bridge:
              state: off
              table:
                - { subnets: ["no", c], addresses: [n2, 0xC123], direction: one_way }
                - { subnets: [c, "no"], addresses: [0x0007, n2], direction: both }
          n2:
            uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0002
            heartbeat: { publish: off, subscribe: off }
            nlc: []
            private_beacon: off
            on_demand_private_proxy: off
            subnet_bridge: on
            provisioning: { static: { env: Z }, via: { node: n1 } }
            elements:
              0:
                generic-onoff-client:
                  keys: ["on"]
                  publish: { to: "0x10", key: "on", ttl: 0, period: 1.5s, friendship_credentials: on,
                    retransmit: { count: 7, interval: 1600ms } }
              1: { generic-onoff-client: { keys: ["on", k2], publish: { to: n1/0, key: k2, period: 630m,
                    retransmit: { count: 0 } } } }
              2:
                light-lc-server:
                  states:
                    mode: off
                    properties: { light-control-time-run-on: 10m, light-control-lightness-on: 80% }
                sensor-server:
                  states: { setting: { present-ambient-temperature: { motion-threshold: 20% } } }
                scheduler-server:
                  states: { schedules: { 1: [any, all, any, 8, 30, 0, [monday, friday], scene, 2s, 7], 2: {
                    hour: 1, minute: 0, action: off } } }
                generic-location-server: { states: {} }
          another-1: { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0003 }
        subscriptions:
          - { groups: [g, 1e3, all-relays], models: [0x1000, generic-level-client], nodes: all, element: 2 }
          - { groups: [g], models: [0x1000], nodes: { room: k*, "y": "~" }, allow_empty: true }
          - { groups: ["0x10"], models: [0x1000], nodes: n* }
        publications:
          - { node: n1, model: 0x1001, to: all-nodes, key: k2, element: 1 }
          - { nodes: "*-1", model: 0x1003, to: 0xFF10, key: "on" }
        moved:
          - { from: group.a.b, to: group.g }
          - { from: application_key.z, to: application_key.on }
        checks:
          "off: a": { nodes: { room: "*" }, allow_empty: true, have: { tags: [room, "on"] }, severity: warning }
          c:
            for_each: room
            have:
              tags: { room: [hall*, "1"], floor: "*" }
              profile: [p, q]
              features: { relay: on, proxy: off, friend: off }
              model: generic-onoff-client
              keys: [k2, "on"]
              subscribe: [g, $(room)]
              publish: $(floor)-$(room).x
            count: { at_least: 2, at_most: 4 }
          d: { have: { tags: room, profile: p, subscribe: $(room) }, count: 0 }
          e: { nodes: n*, count: { at_most: 7 } }
        tests:
          "on: a": [{ press: n1/2 on, within: 300ms, expect: { nodes: all, element: 2, onoff: on }, others: unchanged }]
          b:
            for_each: { without: relays }
            steps:
              - { sense: n1 present-ambient-light-level 100 lx, expect: [{ nodes: n*, ctl: 3000K }, { nodes: all, onoff: off }] }
              - { power_off: [n1, another-1], within: 1500ms, expect: { nodes: { room: "*" }, lightness: 40% } }
              - { power_on: { room: "*" } }
              - { wait: 2m }
              - { fault: n1 overheat }
              - { set: group.g lightness 40% }
          c: { for_each: { without: { room: "*" } }, steps: [{ press: n1 off }] }
          d:
            for_each: { tag: room, nodes: n* }
            steps:
              - { recall: 3 in group.$(room), expect: { nodes: { room: $(room) }, onoff: on, within: 2s }, others: [unchanged, silent] }
              - { fault: n1 overheat, expect: { nodes: all, faults: [overheat, 0x80], heartbeat: n1, hops: 3, arrives: 1s }, others: silent }
          e: { for_each: { node: n* }, steps: [{ press: $(node)/0 on, expect: { nodes: $(node), faults: none } }] }
          f: [{ wait: 1s, expect: { nodes: provisioner, heartbeat: n1, hops: 3, within: 30s } }]
        """

    /// Reads a text in which nothing is wrong that matters here.
    private func read(_ text: String) throws -> Definition {
        let (definitions, problems) = definitions(text)
        #expect(problems.filter { $0.contains("error: ") } == [])
        return try #require(definitions.first)
    }

    @Test(
        "What is written is read as the same definition, and written the same",
        arguments: [everything, DesignExampleTests.text]
    )
    func roundTrip(text: String) throws {
        let definition = try read(text)
        let written = DefinitionWriter.text(of: definition)
        let again = try read(written)
        #expect(contents(of: again) == contents(of: definition))
        #expect(DefinitionWriter.text(of: again) == written)
    }

    @Test("Every key of the language can be written")
    func complete() throws {
        let written = DefinitionWriter.text(of: try read(Self.everything))
        // What is said once for many is written out. Where each part comes from is a comment.
        let expanded: Set<Keyword> = [
            .modules, .use, .include, .variables, .values, .module, .parameters, .repetition, .each, .rows, .with,
            .override,
            .type, .defaultValue, .description,
            // Where files lie is no part of what a definition says.
            .products,
        ]
        for keyword in Set(LanguageSchema.definition.records.flatMap(\.keys)).subtracting(expanded) {
            #expect(
                written.contains("\(keyword.rawValue): ") || written.contains("\(keyword.rawValue):\n"),
                "\(keyword)"
            )
        }
    }

    @Test("The examples are written and read as the same", arguments: ["house/house.yaml", "office/office.yaml"])
    func examples(path: String) throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let url = root.appendingPathComponent("examples").appendingPathComponent(path)
        let file = SourceFiles.File(path: url.lastPathComponent, bytes: Array(try Data(contentsOf: url)))
        let reading = try DefinitionReader.reading(SourceFiles(files: [file])) { path throws in
            let data = try Data(contentsOf: url.deletingLastPathComponent().appendingPathComponent(path))
            return [SourceFiles.File(path: path, bytes: Array(data))]
        }
        #expect(!reading.diagnostics.contains { $0.severity == .error })
        var definition = try #require(reading.definitions.first)
        // What is written names vendor models by their identifiers. Only their states need their descriptions.
        definition.modelNames = ModelNames()
        let written = SourceFiles.File(path: "written.yaml", bytes: Array(DefinitionWriter.text(of: definition).utf8))
        let again = DefinitionReader.read(files: SourceFiles(files: [written] + reading.files.files.dropFirst()))
        #expect(!again.diagnostics.contains { $0.severity == .error })
        var read = try #require(again.definitions.first)
        read.modelNames = ModelNames()
        #expect(contents(of: read) == contents(of: definition))
    }

    @Test(
        "Texts that YAML could take for something else are quoted",
        arguments: [
            ("kitchen", "kitchen"), ("kitchen-1.a_b", "kitchen-1.a_b"), ("1st", "1st"), ("12", "\"12\""),
            ("1e3", "\"1e3\""), ("0x10", "\"0x10\""), ("2001-01-01", "\"2001-01-01\""), ("No", "\"No\""),
            ("null", "\"null\""), ("y", "\"y\""), ("~", "\"~\""), ("", "\"\""), ("a b", "\"a b\""),
            ("a: b", "\"a: b\""),
            ("-a", "\"-a\""), ("a\"\\", "\"a\\\"\\\\\""), ("a\u{7}\u{2028}\u{E000}", "\"a\\x07\\u2028\\uE000\""),
            ("\u{1F4A1}", "\"\u{1F4A1}\""), ("\u{10FFFF}", "\"\\U0010FFFF\""),
        ]
    )
    func quoting(text: String, written: String) throws {
        #expect(DefinitionValue.quotedIfNeeded(text) == written)
        let tagged = "version: 1\nnetwork: n\nnodes: { a: { uuid: \(uuid(1)), tags: { t: \(written) } } }"
        #expect(try read(tagged).nodes.first?.tags["t"]?.value == text)
    }

    @Test("Long lists are broken, and comments stay comments")
    func layout() throws {
        let names = (1...30).map { "node-with-a-name-\($0)" }
        var text = ""
        DefinitionValue.Field("nodes", .texts(names)).write(to: &text, indent: 2)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 120 } && text.hasPrefix("  nodes:\n    [node"))
        let nodes = names.enumerated().map { "\($1): { uuid: \(uuid($0)) }" }.joined(separator: ", ")
        let rule =
            "subscriptions: [{ groups: [g], models: [0x1000], nodes: [\(names.prefix(20).joined(separator: ", "))] }]"
        let definition = try read("version: 1\nnetwork: n\ngroups: { g: {} }\nnodes: { \(nodes) }\n\(rule)")
        let written = DefinitionWriter.text(of: definition, header: ["a\nnodes: 1\u{85}"], footer: ["", "end"])
        #expect(written.hasPrefix("# a\u{FFFD}nodes: 1\u{FFFD}\nversion: 1\n") && written.hasSuffix("\n#\n# end\n"))
        #expect(contents(of: try read(written)) == contents(of: definition))
    }

    /// Everything that a value holds but places in files.
    private func contents(of value: Any) -> String {
        if value is DefinitionModel.SourceLocation { return "" }
        let mirror = Mirror(reflecting: value)
        guard !mirror.children.isEmpty else { return "\(value)" }
        let children = mirror.children.map { "\($0.label ?? ""):\(contents(of: $0.value))" }
        let isUnordered = mirror.displayStyle == .dictionary || mirror.displayStyle == .set
        return "(\((isUnordered ? children.sorted() : children).joined(separator: ",")))"
    }
}
