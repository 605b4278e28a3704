import DefinitionModel
import MeshCore
import Planning
import TestSupport
import Testing

/// Each note of a plan with a case in which it stands there, and the nearest one in which it would be untrue.
@Suite("Notes of plans, and when they must not appear")
struct NoteTests {
    /// A note: what it begins with or holds, the notes where it is true, and those where it is not.
    struct Case: CustomTestStringConvertible, Sendable {
        var text: String
        var isThere: @Sendable () throws -> [String]
        var isNot: @Sendable () throws -> [String]
        var testDescription: String { text }
    }

    private static let device = "  new: { uuid: 00000000000000000000000000000031 }\n"
    private static let both = "subnets: [building, guests], application_keys: [lighting, sensing]"

    private static func notes(
        _ office: Office,
        _ yaml: String = Office.definition + Office.nodes(),
        _ options: PlannerOptions = PlannerOptions()
    ) throws -> [String] {
        let result = try office.result(yaml, options: options)
        return try required(result.plan).notes.map(\.text)
    }

    /// What is said beside the plan, with its place left out.
    private static func diagnostics(_ office: Office, _ yaml: String) throws -> [String] {
        try office.result(yaml).diagnostics.map { "\($0.severity): \($0.message)" }
    }

    private static func refreshNotes(
        _ office: Office,
        of subnet: UInt16 = 0,
        excluding names: [String] = []
    ) throws -> [String] {
        let result = KeyRefreshPlanner.plan(
            KeyRefreshRequest(
                subnet: try required(NetKeyIndex(rawValue: subnet)),
                excluded: office.network.nodes.filter { names.contains($0.name) }.map(\.uuid)
            ),
            of: office.network,
            named: "office",
            base: (Octets16(high: 1, low: 1), 7),
            identifier: Octets16(high: 2, low: 2)
        )
        return try required(result.plan).notes.map(\.text)
    }

    private static func office(_ change: (inout Office) throws -> Void = { _ in }) throws -> Office {
        var office = try Office()
        try office.change("we") { $0.isManaged = false }
        try change(&office)
        return office
    }

    private static func without(_ name: String) -> String {
        Office.definition
            + Office.nodes().split(separator: "\n").filter { !$0.contains("\(name):") }.joined(separator: "\n")
    }

    static let cases: [Case] = [
        Case(text: "1 device is provisioned into subnet building") {
            try notes(office(), Office.definition + Office.nodes() + device)
        } isNot: {
            try notes(office(), Office.definition + Office.nodes())
        },
        Case(text: "The composition of 1 node is read first") {
            try notes(office { try $0.change("lamp-1") { $0.elements = [] } })
        } isNot: {
            try notes(office())
        },
        Case(text: "is not in the definition and is left alone") {
            try notes(office { try $0.change("lamp-2") { $0.isManaged = false } }, without("lamp-2"))
        } isNot: {
            // It is excluded: nobody has to decide on it any more.
            try notes(
                office {
                    try $0.change("lamp-2") { node in
                        node.isManaged = false
                        node.isExcluded = true
                    }
                },
                without("lamp-2")
            )
        },
        Case(text: "`lamp-2` is no longer in the definition, so it is forgotten: it keeps what it has") {
            try notes(office(), without("lamp-2"))
        } isNot: {
            // Several are one note, and what is reset keeps nothing.
            try notes(office(), Office.definition + "nodes: { lamp-1: { uuid: 00000000000000000000000000000011 } }\n")
                + notes(office { try $0.change("lamp-2") { $0.removalPolicy = .reset } }, without("lamp-2"))
        },
        Case(text: "keeps the keys of subnet building when forgotten") {
            try notes(office(), without("lamp-2"))
        } isNot: {
            // It is reset, and keeps nothing.
            try notes(office { try $0.change("lamp-2") { $0.removalPolicy = .reset } }, without("lamp-2"))
        },
        Case(text: "The replaced device of lamp-1 (0x0012) keeps the keys of subnet building") {
            // Another node has its name: it has taken its place.
            try notes(
                office {
                    try $0.change("lamp-2") { $0.name = "lamp-1" }
                },
                without("lamp-2")
            )
        } isNot: {
            try notes(office(), without("lamp-2"))
        },
        Case(text: "key refresh of subnet building without lamp-2, switch-1") {
            try notes(office(), Office.definition + "nodes: { lamp-1: { uuid: 00000000000000000000000000000011 } }\n")
        } isNot: {
            try notes(office(), without("lamp-2"))
        },
        Case(text: "The replaced device of lamp-2 (0x0012) keeps the keys of subnet building") {
            // A device of its name takes its place with this plan.
            try notes(office(), without("lamp-2") + "\n" + device.replacing("new:", with: "lamp-2:"))
        } isNot: {
            try notes(office(), without("lamp-2") + "\n" + device)
        },
        Case(text: "Subnet guests stays in the database for 1 node") {
            try notes(
                office {
                    $0.manageAll()
                    try $0.apply(Office.definition + Office.nodes(lamp2: both))
                },
                without("lamp-2").replacing(", guests: {}", with: "").replacing(
                    ", sensing: { subnet: guests }",
                    with: ""
                )
            )
        } isNot: {
            try notes(
                office {
                    $0.manageAll()
                    try $0.apply(Office.definition + Office.nodes(lamp2: both + ", on_remove: reset"))
                },
                without("lamp-2").replacing(", guests: {}", with: "").replacing(
                    ", sensing: { subnet: guests }",
                    with: ""
                )
            )
        },
        Case(text: "`lamp-2` is no longer in the definition, and is reset: its definition said `on_remove: reset` when")
        {
            try notes(
                office { try $0.apply(Office.definition + Office.nodes(lamp2: "on_remove: reset")) },
                without("lamp-2")
            )
        } isNot: {
            try notes(office { try $0.apply(Office.definition + Office.nodes()) }, without("lamp-2"))
        },
        Case(text: "1 node publishes to lamp-2, which leaves the network") {
            try notes(office { try $0.publishToLamp2() }, without("lamp-2"))
        } isNot: {
            // The definition puts something else in its place, or the publisher leaves, too.
            try notes(
                office {
                    try $0.publishToLamp2()
                    try $0.change("switch-1") { $0.removalPolicy = .reset }
                },
                Office.definition + "nodes: { lamp-1: { uuid: 00000000000000000000000000000011 } }\n"
            )
                + notes(
                    office { try $0.publishToLamp2() },
                    without("lamp-2").replacing(
                        "0013, ",
                        with: "0013, elements: { 0: { generic-onoff-client: { publish: none } } }"
                    )
                )
        },
        Case(text: "Subnet second is created in addition to building, the primary subnet") {
            try notes(
                office { $0.network.netKeys[0].isManaged = false },
                Office.definition.replacing("building: { index: 0 }", with: "second: {}")
                    .replacing("subnet: building", with: "subnet: guests").replacing("lighting", with: "fresh")
            )
        } isNot: {
            // It is the primary one under another name.
            try notes(
                office { $0.network.netKeys[0].isManaged = false },
                Office.definition.replacing("building", with: "second")
            )
        },
        Case(text: "The key refresh of subnet building is not finished (phase 1") {
            try notes(office { $0.network.beginKeyRefresh(of: .primary) { KeyMaterial(Octets16(high: 1, low: 1)) } })
        } isNot: {
            try notes(office())
        },
        Case(text: "These excluded nodes still have the keys of subnet building: lamp-2.") {
            try notes(office { try $0.change("lamp-2") { $0.isExcluded = true } }, without("lamp-2"))
        } isNot: {
            try notes(
                office {
                    try $0.change("lamp-2") { node in
                        node.isExcluded = true
                        node.netKeys = []
                    }
                },
                without("lamp-2")
            )
        },
        // Of a key refresh.
        Case(text: "is the primary one") {
            try refreshNotes(office())
        } isNot: {
            try refreshNotes(office(), of: 1)
        },
        Case(text: "1 node that was excluded before is left out") {
            try refreshNotes(office { try $0.change("lamp-2") { $0.isExcluded = true } })
        } isNot: {
            try refreshNotes(office(), excluding: ["lamp-2"])
        },
        Case(text: "If the definition still has lamp-2, remove it before the next plan") {
            try refreshNotes(office(), excluding: ["lamp-2"])
        } isNot: {
            try refreshNotes(office { try $0.change("lamp-2") { $0.isManaged = false } }, excluding: ["lamp-2"])
        },
        Case(text: "lamp-2 still knows subnet guests") {
            try refreshNotes(
                office {
                    try $0.change("lamp-2") {
                        $0.netKeys.append(NodeKey(index: try required(NetKeyIndex(rawValue: 1))))
                    }
                },
                excluding: ["lamp-2"]
            )
        } isNot: {
            try refreshNotes(office(), excluding: ["lamp-2"])
        },
        Case(text: "Seen unprovisioned, so they are not asked: lamp-2") {
            try refreshNotes(office { try $0.change("lamp-2") { $0.unprovisionedSeenAt = Timestamp(rawValue: 1) } })
        } isNot: {
            try refreshNotes(
                office { try $0.change("lamp-2") { $0.unprovisionedSeenAt = Timestamp(rawValue: 1) } },
                excluding: ["lamp-2"]
            )
        },
        // Beside the plan.
        Case(
            text: "note: `generic-level-server` on element 1 of node `lamp-1` subscribes without an application key"
        ) {
            try diagnostics(try keyless(), level())
        } isNot: {
            // The definition gives it a key, or it has one already.
            try diagnostics(try keyless(), level("keys: [lighting], ")) + diagnostics(office(), level())
        },
        Case(text: "note: node `lamp-1` also gets subnet `guests`, which its `subnets` do not list") {
            try diagnostics(
                office(),
                Office.definition + Office.nodes(lamp1: "subnets: [building], application_keys: [sensing, lighting]")
            )
        } isNot: {
            try diagnostics(office(), Office.definition + Office.nodes(lamp1: both))
                + diagnostics(
                    office(),
                    Office.definition + Office.nodes(lamp1: "application_keys: [sensing, lighting]")
                )
        },
        Case(text: "warning: group `alarm` is removed, and `siren` is created") {
            try diagnostics(
                office { $0.manageAll() },
                Office.definition.replacing("alarm: {}", with: "siren: {}") + Office.nodes()
            )
        } isNot: {
            try diagnostics(
                office { $0.manageAll() },
                Office.definition.replacing("alarm: {}", with: "siren: {}") + Office.nodes()
                    + "moved: [{ from: group.alarm, to: group.siren }]\n"
            )
        },
    ]

    /// The office whose lamp-1 has no key on its second element.
    private static func keyless() throws -> Office {
        try office { try $0.change("lamp-1") { $0.elements[1].models[0].bindings = [] } }
    }

    private static func level(_ keys: String = "") -> String {
        Office.definition
            + Office.nodes(lamp1: "elements: { 1: { generic-level-server: { \(keys)subscribe: [kitchen] } } }")
    }

    @Test("A note is there where it is true, and nowhere else", arguments: cases)
    func note(_ note: Case) throws {
        let (there, not) = (try note.isThere(), try note.isNot())
        #expect(there.contains { $0.contains(note.text) }, "\(there)")
        #expect(!not.contains { $0.contains(note.text) }, "\(not)")
    }

    @Test("Whoever is reset uses no group any more, and nobody is told that it does")
    func groupsOfResetNodes() throws {
        let office = try Self.office { $0.manageAll() }
        for purpose in [Plan.Purpose.destroy] {
            let notes = try Self.notes(office, Office.definition + Office.nodes(), PlannerOptions(purpose: purpose))
            #expect(!notes.contains { $0.contains("left alone") || $0.contains("still used") }, "\(notes)")
        }
    }

    @Test("Groups that leave with forgotten nodes are one refusal, and its way out works")
    func forgottenFloor() throws {
        var office = try Self.office { $0.manageAll() }
        let all =
            Office.definition
            + Office.nodes(lamp1: "on_remove: reset", lamp2: "on_remove: reset", switch1: "on_remove: reset")
        let rest = Office.definition.replacing("all-lights: {}, kitchen: { parent: all-lights }, ", with: "")
        let refused = try office.result(rest)
        let finding = try required(refused.plan?.findings.first { $0.planGuard == .groupInUse })
        #expect(
            finding.message
                == "groups `all-lights` and `kitchen` would be removed although `lamp-1`, `lamp-2` and `switch-1` "
                + "would still use them"
        )
        #expect(refused.plan?.findings.count { $0.planGuard == .groupInUse } == 1)
        let hint = try required(refused.diagnostics.first { $0.message == finding.message }?.hint)
        #expect(hint.contains("3 of these nodes are forgotten and would keep what they have"))
        #expect(
            hint.contains(
                "To have them reset instead: leave the lines in, or put them back, and plan the removal with resetting"
            )
        )
        // The same by way of the definition.
        try office.apply(all)
        let plan = try required(
            try office.result(rest, options: PlannerOptions(allowed: [.lastProxy, .lastRelay])).plan
        )
        #expect(plan.refusals == [] && plan.nodes.allSatisfy { $0.action == .reset })
    }

    @Test("A key that a model is bound to and publishes with is one refusal, and what its hint says lets it go")
    func keptPublication() throws {
        var office = try Self.office()
        try office.change("switch-1") { $0.elements[0].models[0].isPublicationManaged = false }
        let result = try office.result(Office.definition + Office.nodes(switch1: "application_keys: []"))
        let finding = try required(result.plan?.findings.first)
        #expect(result.plan?.findings.count == 1 && finding.nodes == ["switch-1"])
        #expect(!finding.message.contains("more node"))
        let hint = try required(result.diagnostics.first?.hint)
        #expect(hint.hasPrefix("Keep the key on the node, or give the model `keys` without it and `publish: none` in"))
        func with(_ model: String) throws -> [PlanGuard] {
            let settings = "application_keys: [], elements: { 0: { generic-onoff-client: { \(model) } } }"
            return try office.result(Office.definition + Office.nodes(switch1: settings)).refusals
        }
        #expect(try with("keys: [], publish: none") == [])
        #expect(try with("keys: []") == [.applicationKeyInUse])
        let half = try office.result(
            Office.definition
                + Office.nodes(switch1: "application_keys: [], elements: { 0: { generic-onoff-client: { keys: [] } } }")
        )
        #expect(half.diagnostics.first?.hint?.contains("give the model `publish: none` in") == true)
    }

    @Test("Nobody is left in a subnet only if that is meant")
    func everybodyExcluded() throws {
        let office = try Self.office()
        func result(_ names: [String], _ allowed: Set<PlanGuard> = []) -> PlanningResult {
            KeyRefreshPlanner.plan(
                KeyRefreshRequest(
                    subnet: .primary,
                    excluded: office.network.nodes.filter { names.contains($0.name) }.map(\.uuid)
                ),
                of: office.network,
                named: "office",
                base: (Octets16(high: 1, low: 1), 7),
                identifier: Octets16(high: 2, low: 2),
                options: PlannerOptions(allowed: allowed)
            )
        }
        let all = ["lamp-1", "lamp-2", "switch-1"]
        #expect(result(all).refusals == [.massRemoval])
        #expect(
            result(all).plan?.findings.map(\.message) == [
                "all 3 nodes of subnet `building` would be excluded, so that nobody would be left in it"
            ]
        )
        #expect(result(all, [.massRemoval]).refusals == [])
        #expect(result(Array(all.dropLast())).refusals == [])
        #expect(result([]).refusals == [])
    }
}

extension Office {
    /// Has switch-1 publish to lamp-2 without a definition asking for it.
    fileprivate mutating func publishToLamp2() throws {
        let address = try required(UnicastAddress(rawValue: 0x0012))
        try change("switch-1") { node in
            node.elements[0].models[0].publication?.address = .unicast(address)
            node.elements[0].models[0].isPublicationManaged = false
        }
        try change("lamp-2") { $0.removalPolicy = .reset }
    }
}
