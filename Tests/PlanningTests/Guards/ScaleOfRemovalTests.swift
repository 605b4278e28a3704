import DefinitionModel
import Definitions
import MeshCore
import Planning
import TestSupport
import Testing

/// What `mass-removal` says of groups and keys that lose their users, and `empty-selector` of rules that select nobody.
@Suite("Removals on a large scale")
struct ScaleOfRemovalTests {
    /// A building of 60 lamps, of which the first 24 are in the guests' area, as after an apply of ``yaml(_:nodes:)``.
    private static func building() throws -> Office {
        var office = try Office()
        let lamp = try required(office.network.nodes.first { $0.name == "lamp-1" })
        office.network.nodes.removeAll { $0.uuid != office.network.ownProvisioner }
        office.network.provisioners[0].unicastRanges = [0x0001...0x0FFF]
        for number in 0..<60 as Range<UInt16> {
            var copy = lamp
            copy.uuid = DeviceUUID(rawValue: Octets16(high: 9, low: UInt64(number)))
            copy.name = "lamp-\(number)"
            copy.unicastAddress = try required(UnicastAddress(rawValue: 0x0100 + 2 * number))
            for model in copy.elements[0].models.indices { copy.elements[0].models[model].subscriptions = [] }
            office.network.nodes.append(copy)
        }
        try office.apply(yaml("{ kind: lamp, area: guest }"))
        return office
    }

    /// The definition with a rule for the guests' lamps.
    private static func yaml(_ selector: String, nodes: Int = 60, more: String = "") -> String {
        let digits = { (number: Int) in String(number, radix: 16) }
        let lines = (0..<nodes).map { number in
            let uuid = "0000000000000009" + String(repeating: "0", count: 16 - digits(number).count) + digits(number)
            let tags = "kind: lamp, area: \(number < 24 ? "guest" : "office"), row: r\(number % 6)"
            return "  lamp-\(number): { uuid: \(uuid), tags: { \(tags) } }\n"
        }
        return Office.definition + "nodes:\n" + lines.joined()
            + "subscriptions:\n  - { groups: [kitchen], models: [generic-onoff-server], nodes: \(selector) }\n" + more
    }

    private func findings(_ result: PlanningResult) throws -> [String] {
        try required(result.plan).findings.map { "\($0.planGuard.rawValue): \($0.message)" }
    }

    @Test("A group that loses an unusual share of its users is told, although few nodes of the network lose anything")
    func groups() throws {
        let office = try Self.building()
        #expect(try required(try office.result(Self.yaml("{ kind: lamp, area: guest }")).plan).isEmpty)
        let result = try office.result(Self.yaml("{ area: guest, row: r0 }"))
        #expect(
            try findings(result) == [
                "mass-removal: 20 of 60 managed nodes (33 %) would lose something, more than 30 %"
            ]
        )
        let limited = try office.result(Self.yaml("{ area: guest, row: r0 }", more: "limits: { removals: 40% }\n"))
        #expect(
            try findings(limited) == [
                "mass-removal: group `kitchen` would lose 20 of its 24 subscriptions and publications (83 %), more than 40 %"
            ]
        )
        let finding = try required(limited.plan?.findings.first)
        #expect(finding.nodes.count == 20 && finding.nodes.first == "lamp-1")
        let allowed = try office.result(
            Self.yaml("{ area: guest, row: r0 }", more: "limits: { removals: 40% }\n"),
            options: PlannerOptions(allowed: [.massRemoval])
        )
        #expect(allowed.refusals == [] && allowed.diagnostics.isEmpty)
    }

    @Test("Few users, few nodes, a group that goes itself, and nodes that leave are no loss of a group")
    func noGroups() throws {
        let office = try Self.building()
        // Four of 24, one row.
        let rest = "{ area: guest, row: \"*\" }"
        #expect(try findings(try office.result(Self.yaml(rest))) == [])
        let without = (0..<60).filter { $0 >= 24 || $0 % 6 != 0 }.map { "lamp-\($0)" }
        let names = "[\(without.prefix(20).joined(separator: ", "))]"
        #expect(try findings(try office.result(Self.yaml(names))) == [])
        // The rule goes with its group; 24 of 60 nodes lose something then, and that is what is said.
        let gone =
            Self.yaml("all", more: "limits: { removals: 50% }\n").replacing(
                " kitchen: { parent: all-lights },",
                with: ""
            )
            .split(separator: "\n").filter { !$0.contains("groups: [kitchen]") && $0 != "subscriptions:" }
            .joined(separator: "\n")
        #expect(try findings(try office.result(gone)) == [])
        // Nobody of those who stay leaves the group.
        #expect(try findings(try office.result(Self.yaml("{ area: guest }", nodes: 59))) == [])
        // Who destroys has said so.
        let destroyed = try office.result(Self.yaml("all"), options: PlannerOptions(purpose: .destroy))
        #expect(try findings(destroyed).filter { $0.hasPrefix("mass-removal") } == [])
    }

    @Test("A key that loses an unusual share of its bindings is told")
    func keys() throws {
        var office = try Self.building()
        let bound = { (keys: String) in
            "profiles: { p: { elements: { 0: { generic-onoff-server: { keys: \(keys) } } } } }\n"
        }
        // Only 12 lamps have the second key at all.
        func yaml(_ keys: String) -> String {
            let lines = Self.yaml("{ area: guest }").split(separator: "\n").map { (line: Substring) -> String in
                let isOne = (0..<12).contains { String(line).hasPrefix("  lamp-\($0):") }
                return isOne ? String(line).replacing("tags:", with: "profile: p, tags:") : String(line)
            }
            return lines.joined(separator: "\n") + "\n" + bound(keys)
        }
        try office.apply(yaml("[lighting, sensing]"))
        let result = try office.result(yaml("[lighting]"))
        #expect(
            try findings(result) == [
                "mass-removal: application key `sensing` would lose 12 of its 12 bindings (100 %), more than 30 %"
            ]
        )
    }

    @Test("Whatever was applied before is guarded where its selectors select nobody any more")
    func emptySelector() throws {
        let office = try Self.building()
        func result(_ yaml: String, allowed: Set<PlanGuard> = []) throws -> PlanningResult {
            let files = SourceFiles(files: [SourceFiles.File(path: "former.yaml", bytes: Array(yaml.utf8))])
            let (definitions, diagnostics) = DefinitionReader.read(files: files, toleratesEmptySelectors: true)
            #expect(!diagnostics.contains { $0.severity == .error })
            return Planner.plan(
                definition: try required(definitions.first),
                network: office.network,
                base: (Octets16(high: 1, low: 1), 7),
                identifier: Octets16(high: 2, low: 2),
                options: PlannerOptions(allowed: allowed)
            )
        }
        let empty = try result(Self.yaml("{ kind: lamp, aera: guest }"))
        #expect(
            try findings(empty).first
                == "empty-selector: an entry of `subscriptions` selects no node (`aera=guest, kind=lamp`), and nodes lose "
                + "what it gave them"
        )
        #expect(empty.refusals.contains(.emptySelector))
        let error = try required(empty.diagnostics.first { $0.message.hasPrefix("an entry") })
        #expect(error.location != nil && error.hint?.contains("`allow_empty: true`") == true)
        #expect(error.hint?.remedies == [.allow(guard: "empty-selector")])
        let defaults = try result(Self.yaml("{ area: guest }", more: "defaults: [{ nodes: { no: body }, ttl: 5 }]\n"))
        #expect(try findings(defaults) == ["empty-selector: an entry of `defaults` selects no node (`no=body`)"])
        let meant = Self.yaml(
            "{ area: guest }",
            more: "defaults: [{ nodes: { no: body }, allow_empty: true, ttl: 5 }]\n"
        )
        #expect(try findings(try result(meant)) == [])
        let allowed = try result(Self.yaml("{ aera: guest }"), allowed: [.emptySelector, .massRemoval])
        #expect(allowed.refusals == [])
    }
}
