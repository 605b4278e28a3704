import DefinitionModel
import MeshCore
import Planning
import TestSupport
import Testing

@Suite("Plan of a key refresh")
struct KeyRefreshPlannerTests {
    private func result(
        _ network: MeshNetwork,
        excluding excluded: [DeviceUUID] = [],
        subnet: NetKeyIndex = .primary,
        allowed: Set<PlanGuard> = []
    ) -> PlanningResult {
        KeyRefreshPlanner.plan(
            KeyRefreshRequest(subnet: subnet, excluded: excluded),
            of: network,
            named: "office",
            base: (Octets16(high: 1, low: 1), 7),
            identifier: Octets16(high: 2, low: 2),
            options: PlannerOptions(allowed: allowed)
        )
    }

    @Test("Who is excluded may be the last proxy of the subnet")
    func lastProxy() throws {
        var office = try Office()
        for name in ["we", "lamp-2", "switch-1"] { try office.change(name) { $0.features.proxy = .disabled } }
        let lamp = try #require(office.network.nodes.first { $0.name == "lamp-1" }?.uuid)
        #expect(result(office.network).refusals == [])
        let refused = result(office.network, excluding: [lamp])
        #expect(refused.refusals == [.lastProxy])
        #expect(refused.plan?.findings.map(\.resources) == [["node.lamp-1"]])
        #expect(refused.diagnostics.map(\.message).first?.contains("last GATT proxy, `lamp-1`") == true)
        #expect(result(office.network, excluding: [lamp], allowed: [.lastProxy]).refusals == [])
    }

    /// The steps in words: `lamp-1 NetKey`, `distribute`, …
    private func steps(_ plan: Plan) -> [String] {
        let names = Dictionary(uniqueKeysWithValues: plan.nodes.map { ($0.uuid, $0.name) })
        return plan.steps.map { step in
            switch step.work {
            case .edit(.refreshKeys(_, let stage, replacing: _)): "\(stage)"
            case .edit(.exclude(let uuid)): "exclude \(names[uuid] ?? "?")"
            case .configure(let uuid, .updateNetKey): "\(names[uuid] ?? "?") NetKey"
            case .configure(let uuid, .updateAppKey): "\(names[uuid] ?? "?") AppKey"
            case .configure(let uuid, .setKeyRefreshPhase(_, let transition)): "\(names[uuid] ?? "?") \(transition)"
            default: "?"
            }
        }
    }

    @Test("Each phase waits for all nodes, and every step is there once")
    func complete() throws {
        let plan = try required(result(try Office().network).plan)
        let lamps = ["lamp-1", "lamp-2", "switch-1"]
        var expected: [String] = ["distribute"]
        for lamp in lamps { expected += ["\(lamp) NetKey", "\(lamp) AppKey"] }
        expected.append("useNewKeys")
        for lamp in lamps { expected.append("\(lamp) useNewKeys") }
        expected.append("revokeOldKeys")
        for lamp in lamps { expected.append("\(lamp) revokeOldKeys") }
        expected.append("finish")
        #expect(steps(plan) == expected)
        let dependencies = plan.steps.map(\.dependencies)
        #expect(dependencies[7] == [0, 1, 2, 3, 4, 5, 6], "phase 2 after all keys")
        #expect(Array(dependencies[8...10]) == [[7], [7], [7]])
        #expect(dependencies[11] == [7, 8, 9, 10])
        #expect(plan.cost.messages == 12)
        #expect(try PlanFile.decode(PlanFile.encode(plan)) == plan)
        #expect(
            plan.changes.map(\.address).prefix(3) == [
                "subnet.building", "application_key.lighting", "node.lamp-1.subnet.building",
            ]
        )
        #expect(plan.notes.contains { $0.hasPrefix("Subnet building is the primary one") })
    }

    @Test("What nodes have confirmed is not sent again; a refresh goes on in the phase that it is in")
    func goingOn() throws {
        var office = try Office()
        var made: UInt64 = 0x90
        office.network.beginKeyRefresh(of: .primary) {
            made += 1
            return KeyMaterial(Octets16(high: 1, low: made))
        }
        try office.change("lamp-1") { node in
            node.confirm(.updated, of: .primary)
            node.confirmUpdate(of: .first)
        }
        try office.change("lamp-2") { $0.confirm(.updated, of: .primary) }
        var plan = try required(result(office.network).plan)
        #expect(Array(steps(plan).prefix(4)) == ["lamp-2 AppKey", "switch-1 NetKey", "switch-1 AppKey", "useNewKeys"])
        for name in ["lamp-1", "lamp-2", "switch-1"] {
            try office.change(name) { node in
                node.confirm(.updated, of: .primary)
                node.confirmUpdate(of: .first)
            }
        }
        office.network.useNewKeys(of: .primary)
        try office.change("lamp-1") { $0.confirm(.revoked, of: .primary) }
        try office.change("lamp-2") { $0.confirm(.usingNewKey, of: .primary) }
        plan = try required(result(office.network).plan)
        #expect(
            steps(plan) == [
                "switch-1 useNewKeys", "revokeOldKeys", "lamp-2 revokeOldKeys", "switch-1 revokeOldKeys", "finish",
            ]
        )
        #expect(plan.nodes.map(\.name) == ["lamp-2", "switch-1"])
        #expect(try PlanFile.decode(PlanFile.encode(plan)) == plan)
    }

    @Test(
        "A node that has missed the new key in phase 2, as another tool left it, gets it before anything else happens"
    )
    func straggler() throws {
        var office = try Office()
        office.network.beginKeyRefresh(of: .primary) { KeyMaterial(Octets16(high: 1, low: 1)) }
        office.network.useNewKeys(of: .primary)
        for name in ["lamp-1", "switch-1"] {
            try office.change(name) { node in
                node.confirm(.updated, of: .primary)
                node.confirmUpdate(of: .first)
            }
        }
        let plan = try required(result(office.network).plan)
        #expect(Array(steps(plan).prefix(4)) == ["lamp-2 NetKey", "lamp-2 AppKey", "useNewKeys", "lamp-1 useNewKeys"])
    }

    @Test("The edits of a plan belong to one refresh: once it is finished they begin no other")
    func once() throws {
        var office = try Office()
        let plan = try required(result(office.network).plan)
        var made: UInt64 = 0x90
        func carryOut() {
            for step in plan.steps {
                guard case .edit(let edit) = step.work else { continue }
                office.network.apply(edit) { (_: KeySource) throws(Never) in
                    made += 1
                    return KeyMaterial(Octets16(high: 1, low: made))
                }
            }
        }
        carryOut()
        #expect(made == 0x92 && office.network.netKeys[0].phase == .normal)
        let finished = office.network
        carryOut()
        #expect(office.network == finished && made == 0x92)
        let next = try required(result(office.network).plan)
        #expect(next.steps.first?.work != plan.steps.first?.work)
    }

    @Test("Who is left out is excluded first, and gets nothing")
    func exclusion() throws {
        var office = try Office()
        let lamp = try required(office.network.nodes.first { $0.name == "lamp-2" })
        let plan = try required(result(office.network, excluding: [lamp.uuid]).plan)
        #expect(steps(plan).first == "exclude lamp-2" && !steps(plan).dropFirst().contains { $0.hasPrefix("lamp-2") })
        #expect(plan.steps[1].dependencies == [0])
        #expect(plan.nodes.first?.action == .exclude)
        #expect(try PlanFile.decode(PlanFile.encode(plan)) == plan)
        try office.change("lamp-2") { $0.isExcluded = true }
        let later = try required(result(office.network).plan)
        #expect(!steps(later).contains { $0.contains("lamp-2") })
        #expect(later.notes.contains("1 node that was excluded before is left out."))
    }

    @Test("Who has the new key already cannot be shut out any more, which is said")
    func tooLate() throws {
        var office = try Office()
        office.network.beginKeyRefresh(of: .primary) { KeyMaterial(Octets16(high: 1, low: 1)) }
        try office.change("lamp-2") { $0.confirm(.updated, of: .primary) }
        let lamp = try required(office.network.nodes.first { $0.name == "lamp-2" })
        let plan = try required(result(office.network, excluding: [lamp.uuid]).plan)
        #expect(plan.notes.contains { $0.hasPrefix("lamp-2 has got the new key already") })
    }

    @Test("What cannot be refreshed is refused with a way out")
    func errors() throws {
        var office = try Office()
        try office.change("lamp-1") { $0.deviceKey = nil }
        try office.change("lamp-2") { $0.isProtected = true }
        let lamp1 = try required(office.network.nodes.first { $0.name == "lamp-1" })
        let lamp2 = try required(office.network.nodes.first { $0.name == "lamp-2" })
        office.network.recordAttempt(
            PendingProvisioning(
                uuid: DeviceUUID(rawValue: Octets16(high: 9, low: 9)),
                name: "new",
                address: try required(UnicastAddress(rawValue: 0x80)),
                elementCount: 1,
                deviceKeys: [KeyMaterial(Octets16(high: 9, low: 1))],
                netKeyIndex: .primary,
                isSecurelyProvisioned: false,
                attemptedAt: Timestamp(rawValue: 0)
            )
        )
        let own = office.network.ownProvisioner
        let stranger = DeviceUUID(rawValue: Octets16(high: 8, low: 8))
        let refused = result(office.network, excluding: [lamp2.uuid, own, stranger])
        #expect(refused.plan == nil && refused.diagnostics.count == 4)
        for part in [
            "meshplan's own provisioner", "there is no node",
            "`lamp-1` (0x0010) has no device key", "`new` may have become a node",
        ] {
            #expect(refused.diagnostics.contains { $0.message.contains(part) }, "\(part)")
        }
        let pending = DeviceUUID(rawValue: Octets16(high: 9, low: 9))
        #expect(result(office.network, excluding: [lamp1.uuid, pending]).plan != nil)
        let guarded = result(office.network, excluding: [lamp1.uuid, lamp2.uuid, pending])
        #expect(guarded.refusals == [.protectedNode] && guarded.diagnostics.count == 1)
        let guests = office.network.netKeys[1].index
        #expect(result(office.network, excluding: [lamp1.uuid], subnet: guests).plan == nil, "it does not know it")
        #expect(result(office.network, subnet: try required(NetKeyIndex(rawValue: 77))).plan == nil)
    }

    @Test("Steps and dependencies grow with the nodes, not with their square")
    func size() throws {
        var office = try Office()
        let lamp = try required(office.network.nodes.first { $0.name == "lamp-1" })
        for number in 0..<10_000 {
            var node = lamp
            node.uuid = DeviceUUID(rawValue: Octets16(high: 3, low: UInt64(number)))
            node.name = "node-\(number)"
            node.unicastAddress = try required(UnicastAddress(rawValue: UInt16(0x100 + 2 * number)))
            office.network.nodes.append(node)
        }
        let start = ContinuousClock.now
        let plan = try required(result(office.network).plan)
        #expect(start.duration(to: .now) < .seconds(10))
        #expect(plan.steps.count == 4 * 10_003 + 4)
        #expect(plan.steps.reduce(0) { $0 + $1.dependencies.count } < 3 * plan.steps.count)
    }

    @Test("A plan says which refreshes are unfinished, and who still has keys that it should not have")
    func advice() throws {
        var office = try Office()
        let yaml = Office.definition + Office.nodes()
        #expect(try required(try office.result(yaml).plan).notes == [])
        try office.change("we") { $0.isManaged = false }
        var extra = try required(office.network.nodes.first { $0.name == "lamp-1" })
        extra.uuid = DeviceUUID(rawValue: Octets16(high: 4, low: 4))
        extra.name = "gone"
        extra.unicastAddress = try required(UnicastAddress(rawValue: 0x0040))
        office.network.nodes.append(extra)
        #expect(
            try required(try office.result(yaml).plan).notes.map(\.text).contains(
                "gone keeps the keys of subnet building when forgotten. To shut out a node that is gone for good: "
                    + "a key refresh of subnet building without gone"
            )
        )
        try office.change("gone") { node in
            node.isExcluded = true
            node.removalPolicy = .reset
        }
        let excluded = try required(try office.result(yaml).plan)
        #expect(
            excluded.notes.map(\.text) == [
                "These excluded nodes still have the keys of subnet building: gone. "
                    + "Shut them out with: a key refresh of subnet building"
            ]
        )
        #expect(excluded.nodes.map(\.action) == [.forget], "who is excluded cannot be reset")
        office.network.beginKeyRefresh(of: .primary) { KeyMaterial(Octets16(high: 1, low: 1)) }
        try office.change("lamp-1") { $0.confirm(.updated, of: .primary) }
        #expect(
            try required(try office.result(yaml).plan).notes.map(\.text) == [
                "The key refresh of subnet building is not finished (phase 1, 1 of 3 nodes have the new key): "
                    + "a key refresh of subnet building"
            ]
        )
    }
}
