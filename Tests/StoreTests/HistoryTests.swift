import MeshCore
import Store
import TestSupport
import Testing

@Suite("the history of a database")
struct HistoryTests {
    /// The part of a snapshot that a serial stands for.
    private func state(_ snapshot: Snapshot) -> Snapshot {
        var state = snapshot
        state.replay = []
        state.unresolved = []
        return state
    }

    private func rename(_ node: Node, _ name: String) -> StoreChanges {
        var changes = StoreChanges()
        var node = node
        node.name = name
        changes.nodes = [node]
        return changes
    }

    @Test("whatever commands change, the state where each of them began is known again", arguments: 0..<8)
    func everyState(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let fixture = try Fixture(nodes: 12, seed: seed)
        var known: [UInt64: Snapshot] = [:]
        var model = fixture.network
        for command in 0..<14 {
            // Every second command is another process.
            let database = command % 2 == 0 ? fixture.database : try fixture.reopened()
            let lease = try database.lock(holder: holder("command-\(command)"))
            known[lease.serial] = state(try database.snapshot())
            for _ in 0..<Int.random(in: 0..<6, using: &generator) {
                try database.commit(randomChanges(of: &model, using: &generator), with: lease)
            }
            lease.release()
            for (serial, snapshot) in known {
                let found = try database.snapshot(at: serial)
                #expect(state(found) == snapshot, "serial \(serial) after command \(command) of seed \(seed)")
            }
        }
        let history = try fixture.database.history()
        #expect(history.serials == Set(known.keys).union([history.serial]).sorted())
        #expect(history.entries.map(\.serialAfter).first == history.serial)
        for (entry, next) in zip(history.entries.dropFirst(), history.entries) {
            #expect(entry.serialAfter == next.serialBefore && entry.number + 1 == next.number)
        }
    }

    /// One of the changes that commits make, to a model of the database.
    private func randomChanges(
        of network: inout MeshNetwork,
        using generator: inout some RandomNumberGenerator
    ) -> StoreChanges {
        var changes = StoreChanges()
        switch Int.random(in: 0..<9, using: &generator) {
        case 0...3:
            for _ in 0..<Int.random(in: 1...4, using: &generator) where network.nodes.count > 1 {
                let place = Int.random(in: 1..<network.nodes.count, using: &generator)
                network.nodes[place].name = "n\(UInt16.random(in: 0...UInt16.max, using: &generator))"
                network.nodes[place].defaultTTL = UInt8.random(in: 2...127, using: &generator)
                changes.nodes.removeAll { $0.uuid == network.nodes[place].uuid }
                changes.nodes.append(network.nodes[place])
            }
        case 4 where network.nodes.count > 1:
            let node = network.nodes.remove(at: Int.random(in: 1..<network.nodes.count, using: &generator))
            changes.removedNodes = [node.uuid]
            let retired = RetiredNode(node: node, reason: .reset, retiredAt: now)
            network.retiredNodes.append(retired)
            changes.retiredNodes = [retired]
        case 5:
            network.name = "net \(UInt16.random(in: 0...UInt16.max, using: &generator))"
            changes.network = network
        case 6:
            let uuid = DeviceUUID(rawValue: Octets16(high: 0xBEEF, low: generator.next()))
            let address = UnicastAddress(rawValue: UInt16.random(in: 0x100...0x5FFF, using: &generator))
            let pending = PendingProvisioning(
                uuid: uuid,
                name: "door",
                address: address ?? .first,
                elementCount: 1,
                deviceKeys: [KeyMaterial(Octets16(high: generator.next(), low: generator.next()))],
                netKeyIndex: .primary,
                isSecurelyProvisioned: false,
                attemptedAt: now
            )
            network.pendingProvisionings.append(pending)
            changes.pendingProvisionings = [pending]
        case 7 where !network.pendingProvisionings.isEmpty:
            changes.removedPendingProvisionings = [network.pendingProvisionings.removeFirst().uuid]
            // And what it has become, in the same commit.
            changes.network = network
        default:
            // What changes no state must not count as one.
            changes.replay = [
                ReplayProtection.Entry(source: .last, ivIndex: 1, sequence: .random(in: 0..<1000, using: &generator))
            ]
        }
        return changes
    }

    @Test("says who did what when, with the plans and what came of them")
    func entries() throws {
        let fixture = try Fixture()
        let database = fixture.database
        let lease = try database.lock(holder: holder("apply"))
        let text = DefinitionText(files: [.init(path: "house.yaml", bytes: Array("version: 1\n".utf8))])
        try lease.declare(text)
        #expect(try database.history().entries.isEmpty)
        let plan = Octets16(high: 7, low: 8)
        let run = try database.begin(plan: plan, digest: "abc", user: "anna", host: "desk", at: now, with: lease)
        try database.commit(rename(fixture.network.nodes[1], "lamp"), with: lease)
        try database.end(run, .completed, at: now, with: lease)
        let entry = try #require(try database.history().entries.first)
        #expect(try database.history().entries.count == 1)
        #expect(entry.serialBefore == 1 && entry.serialAfter == 2 && entry.operation == "apply")
        #expect(entry.user == "anna" && entry.host == "desk" && entry.began == now)
        #expect(entry.plans.map(\.run) == [run] && entry.plans.first?.digest == "abc")
        #expect(entry.runs.first?.outcome == .completed)
        let digest = try #require(entry.definition)
        #expect(try database.definition(digest) == text && digest == text.digest())
        lease.release()
        // A run that changed nothing is one all the same.
        let second = try database.lock(holder: holder("apply"))
        _ = try database.begin(plan: Octets16(high: 9, low: 9), user: "anna", host: "desk", at: now, with: second)
        let history = try database.history()
        #expect(history.entries.count == 2 && history.entries[0].serialBefore == history.entries[0].serialAfter)
        #expect(history.entries[0].definition == nil && history.entries[0].runs.first?.outcome == nil)
    }

    @Test("the definition before the last one is the one to roll back to, and its text is kept once")
    func definitions() throws {
        let fixture = try Fixture()
        let texts = ["a", "b", "b", "a"].map {
            DefinitionText(files: [.init(path: "house.yaml", bytes: Array($0.utf8))])
        }
        for (number, text) in texts.enumerated() {
            let lease = try fixture.database.lock(holder: holder("apply"))
            try lease.declare(text)
            try fixture.database.commit(rename(fixture.network.nodes[1], "lamp-\(number)"), with: lease)
            lease.release()
            let previous = try fixture.database.history().previousDefinitionEntry
            let expected: Int? = [nil, 0, 0, 2][number]
            #expect(try previous?.definition == expected.map { try texts[$0].digest() })
        }
        let history = try fixture.database.history()
        #expect(history.definitionEntry(at: 2)?.number == 1)
        #expect(history.definitionEntry(at: 4)?.number == 3)
        #expect(history.definitionEntry(at: 1) == nil)
    }

    @Test("a return keeps its goal until it is reached, and an apply after it gives it up")
    func goals() throws {
        let fixture = try Fixture()
        let database = fixture.database
        let texts = ["a", "b"].map { DefinitionText(files: [.init(path: "x.yaml", bytes: Array($0.utf8))]) }
        func holding(_ text: Int?, _ goal: ReturnGoal?, name: String?) throws -> WriteLease {
            let lease = try database.lock(holder: holder("apply"))
            try lease.declare(text.map { texts[$0] }, goal: goal)
            if let name { try database.commit(rename(fixture.network.nodes[1], name), with: lease) }
            return lease
        }
        for (number, text) in texts.indices.enumerated() {
            let lease = try holding(text, nil, name: "apply-\(number)")
            try database.reachGoal(with: lease)
            lease.release()
        }
        #expect(try database.unfinishedReturn() == nil)
        // Cut short, and then read back by something else.
        try holding(0, .definition, name: "back-1").release()
        try holding(nil, nil, name: "refreshed").release()
        let unfinished = try #require(try fixture.reopened().unfinishedReturn())
        #expect(unfinished.number == 3 && unfinished.goal == .definition)
        #expect(try unfinished.definition == texts[0].digest())
        // Whoever reaches another goal has not reached this one.
        var other = try holding(nil, .state(1), name: nil)
        try database.reachGoal(with: other)
        other.release()
        #expect(try database.unfinishedReturn() == unfinished)
        // Nothing was left to do.
        other = try holding(0, .definition, name: nil)
        try database.reachGoal(with: other)
        other.release()
        #expect(try database.unfinishedReturn() == nil)
        #expect(try database.history().previousDefinitionEntry?.definition == texts[1].digest())
        // A return to a state has no definition, and an apply gives it up.
        try holding(nil, .state(2), name: "back-2").release()
        #expect(try database.unfinishedReturn()?.goal == .state(2))
        try holding(1, nil, name: "apply-3").release()
        #expect(try database.unfinishedReturn() == nil)
        #expect(try database.verify().problems.isEmpty)
    }

    @Test(
        "what nobody confirmed does not count as applied, whether or not anything of it had arrived",
        arguments: [true, false]
    )
    func takenBack(arrived: Bool) throws {
        let fixture = try Fixture()
        let database = fixture.database
        let texts = ["a", "b", "c"].map { DefinitionText(files: [.init(path: "x.yaml", bytes: Array($0.utf8))]) }
        for (number, text) in texts.prefix(2).enumerated() {
            let lease = try database.lock(holder: holder("apply"))
            try lease.declare(text)
            try database.commit(rename(fixture.network.nodes[1], "lamp-\(number)"), with: lease)
            lease.release()
        }
        var lease = try database.lock(holder: holder("apply"))
        try lease.declare(texts[2])
        let pending = try database.awaitConfirmation(with: lease)
        try database.commit(rename(fixture.network.nodes[1], "lamp-2"), with: lease)
        lease.release()
        #expect(try database.history().previousDefinitionEntry?.definition == texts[1].digest())
        lease = try database.lock(holder: holder("rollback"))
        try lease.declare(texts[1], goal: .unconfirmed(since: pending.entry))
        if arrived { try database.commit(rename(fixture.network.nodes[1], "lamp-1"), with: lease) }
        // Cut short here, they still wait.
        #expect(try database.pendingConfirmation() != nil)
        #expect(try database.history().previousDefinitionEntry?.definition == texts[1].digest())
        try database.reachGoal(with: lease)
        lease.release()
        let history = try fixture.reopened().history()
        #expect(try fixture.reopened().confirmationNote()?.decision == .takenBack)
        #expect(try history.previousDefinitionEntry?.definition == texts[0].digest() && history.unfinishedReturn == nil)
        #expect(history.entries.count == 4)
    }

    @Test("former states and definitions are forgotten in the end, and their rows go")
    func retention() throws {
        let fixture = try Fixture(nodes: 3)
        let database = fixture.database
        for number in 0..<80 {
            let lease = try database.lock(holder: holder("apply"))
            try lease.declare(DefinitionText(files: [.init(path: "x.yaml", bytes: Array("\(number)".utf8))]))
            try database.commit(rename(fixture.network.nodes[1], "lamp-\(number)"), with: lease)
            lease.release()
        }
        let history = try database.history()
        #expect(history.entries.count == 80 && history.entries.count { $0.isRestorable } == 50)
        #expect(try database.snapshot(at: 32).network.nodes[1].name == "lamp-30")
        let refused = storeError { _ = try database.snapshot(at: 12) }
        #expect(refused?.code == .unknownSerial && refused?.hint?.contains("the oldest that is known is 31") == true)
        let kept = try history.entries.count { try $0.definition.flatMap { try database.definition($0) } != nil }
        #expect(kept == 20)
        // One commit more sweeps what is left; the number of rows does not grow for ever.
        #expect(try fixture.reopened().snapshot() == database.snapshot())
    }

    @Test("a change that fails leaves neither an entry nor a former state")
    func failedChange() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder("apply"))
        lease.beforeFirstChange { () throws(StoreError) in throw StoreError(.diskFull, "no room for a backup") }
        for _ in 0..<2 {
            let failed = storeError {
                try fixture.database.commit(rename(fixture.network.nodes[1], "lamp"), with: lease)
            }
            #expect(failed?.code == .diskFull)
        }
        #expect(try fixture.database.history().entries.isEmpty && lease.serial == 1)
        lease.beforeFirstChange(nil)
        try fixture.database.commit(rename(fixture.network.nodes[1], "lamp"), with: lease)
        #expect(try fixture.database.snapshot(at: 1).network.nodes[1].name == fixture.network.nodes[1].name)
    }

    @Test("a lock holder that died in the middle leaves an entry that ends where it died")
    func killed() throws {
        let fixture = try Fixture()
        do {
            // The lease goes with the process, without a word.
            let lease = try fixture.database.lock(holder: holder("apply"))
            try fixture.database.commit(rename(fixture.network.nodes[1], "one"), with: lease)
            try fixture.database.commit(rename(fixture.network.nodes[1], "two"), with: lease)
        }
        let database = try fixture.reopened()
        let lease = try database.lock(holder: holder("apply"))
        try database.commit(rename(fixture.network.nodes[1], "three"), with: lease)
        #expect(try database.snapshot(at: 1).network.nodes[1].name == fixture.network.nodes[1].name)
        #expect(try database.snapshot(at: 3).network.nodes[1].name == "two")
        let refused = storeError { _ = try database.snapshot(at: 2) }
        #expect(refused?.hint == "states are known where commands began: the nearest are 1 and 3")
    }

    @Test("that changes wait for confirmation outlives the process, and their state before is kept")
    func confirmation() throws {
        let fixture = try Fixture()
        let database = fixture.database
        var lease = try database.lock(holder: holder("apply"))
        try database.commit(rename(fixture.network.nodes[1], "doubts"), with: lease)
        try database.awaitConfirmation(with: lease)
        try database.commit(rename(fixture.network.nodes[1], "changed"), with: lease)
        #expect(try fixture.reopened().pendingConfirmation()?.deadline == nil)
        let awaited = try database.setConfirmationDeadline(Timestamp(rawValue: 77), with: lease)
        lease.release()
        for number in 0..<70 {
            lease = try database.lock(holder: holder("refresh"))
            try database.commit(rename(fixture.network.nodes[0], "own-\(number)"), with: lease)
            lease.release()
        }
        let pending = try #require(try database.pendingConfirmation())
        #expect(pending == awaited)
        #expect(pending.deadline == Timestamp(rawValue: 77) && pending.user == "anna" && pending.process == 4711)
        #expect(try database.snapshot(at: pending.serial).network.nodes[1].name == "doubts")
        lease = try database.lock(holder: holder("confirm"))
        try database.confirm(with: lease)
        #expect(try database.pendingConfirmation() == nil)
        // The note stays: whoever waits counts on it, and takes nothing else for a confirmation.
        #expect(try fixture.reopened().confirmationNote()?.decision == .confirmed)
        try database.commit(rename(fixture.network.nodes[0], "last"), with: lease)
        #expect(try database.history().entries.count { $0.isRestorable } == 50)
    }

    @Test("a copy opens with the same key, is of its owner alone, and holds the same")
    func copies() throws {
        let fixture = try Fixture(nodes: 30)
        let lease = try fixture.database.lock(holder: holder("apply"))
        try fixture.database.commit(rename(fixture.network.nodes[1], "lamp"), with: lease)
        let target = fixture.folder.file("copy.meshdb")
        #expect(try fixture.database.copy(to: target))
        #expect(try mode(target) == 0o600)
        let copy = try MeshDatabase.open(at: target, key: fixture.key)
        #expect(try copy.snapshot() == fixture.database.snapshot() && copy.history() == fixture.database.history())
        // It replaces an older one, and a place where it cannot be leaves nothing behind.
        #expect(try fixture.database.copy(to: target))
        let failed = storeError { _ = try fixture.database.copy(to: fixture.folder.file("nowhere/copy.meshdb")) }
        #expect(failed?.code == .missing && failed?.path?.hasSuffix("nowhere/copy.meshdb") == true)
    }
}
