import DefinitionModel
import Foundation
import MeshCore
import Planning
import Store
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan show: records of provisioning")
struct ShowRecordsTests {
    @Test("lists who may be a node and who is none any more, without any key")
    func records() throws {
        let fixture = try CommandFixture.house()
        let folder = fixture.folder.path + "/.meshplan"
        let path = folder + "/house.meshdb"
        let database = try MeshDatabase.open(at: path, key: KeyFile.load(from: folder + "/key"))
        let now = Timestamp(rawValue: 1_795_000_000)
        let holder = LockHolder(user: "tester", host: "bench", process: 1, operation: "test", since: now)
        let lease = try database.lock(holder: holder)
        var network = try database.snapshot().network
        var changes = StoreChanges()

        let secret = KeyMaterial(Octets16(high: 0x5EC2_E75E_C2E7_5EC2, low: 0x0123_4567_89AB_CDEF))
        let attempt = PendingProvisioning(
            uuid: DeviceUUID(rawValue: Octets16(high: 0xD0, low: 1)),
            name: "kitchen-7",
            address: try required(UnicastAddress(rawValue: 0x0210)),
            elementCount: 3,
            deviceKeys: [secret, KeyMaterial(Octets16(high: 0x5EC2_E75E_C2E7_5EC2, low: 1))],
            netKeyIndex: .primary,
            isSecurelyProvisioned: false,
            attemptedAt: now
        )
        changes.pendingProvisionings = [network.recordAttempt(attempt)]
        for (name, reason) in [("Bedroom Light", RetiredNode.Reason.reset), ("Door Bell", .replaced)] {
            let uuid = try required(network.nodes.first { $0.name == name }?.uuid)
            changes.retiredNodes.append(try required(network.retire(uuid, reason: reason, at: now)))
            changes.removedNodes.append(uuid)
        }
        network.nodes[0].removalPolicy = .reset
        network.nodes[0].unprovisionedSeenAt = now
        changes.nodes = [network.nodes[0]]
        // The second node's addresses are free again.
        network.exclusions[0].addresses.removeAll { $0.rawValue == 0x0103 }
        changes.network = network
        try database.commit(changes, with: lease)
        lease.release()

        let text = fixture.run("show").output
        let records = try #require(text.firstRange(of: "\nPending provisionings").map { text[$0.lowerBound...] })
        expectSnapshot(String(records), "show-records.txt")
        #expect(text.contains("reset on removal, seen unprovisioned 2026-11-18"))
        let lines = fixture.run("show", "--json").output
        let kinds = ["\"type\":\"pending_provisioning\"", "\"type\":\"retired_node\""]
        let shown = lines.split(separator: "\n").filter { line in kinds.contains { line.contains($0) } }
        expectSnapshot(shown.joined(separator: "\n") + "\n", "show-records.jsonl")
        #expect(lines.contains(#""on_remove":"reset","unprovisioned_seen_at":"2026-11-18"#))
        for output in [text, lines] { #expect(!output.lowercased().contains("5ec2e75e")) }
    }

    @Test("what nobody knows to be there is not claimed to be there, until it is read back")
    func doubtful() throws {
        let fixture = try CommandFixture.house()
        try #require(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 0)
        let folder = fixture.folder.path + "/.meshplan"
        let database = try MeshDatabase.open(at: folder + "/house.meshdb", key: KeyFile.load(from: folder + "/key"))
        let holder = LockHolder(user: "tester", host: "bench", process: 1, operation: "test", since: fixture.now)
        let lease = try database.lock(holder: holder)
        let network = try database.snapshot().network
        let bedroom = try #require(network.groups.first { $0.name == "bedroom" }?.address)
        var lamp = try #require(network.nodes.first { $0.name == "brian" })
        let element = try #require(
            lamp.elements.firstIndex { $0.models.contains { $0.subscriptions.contains(bedroom) } }
        )
        let model = try #require(lamp.elements[element].models.first { $0.subscriptions.contains(bedroom) })
        lamp.doubt(
            .deleteSubscription(ModelAddress(element: UInt8(element), model: model.identifier), bedroom)
        )
        var changes = StoreChanges()
        changes.nodes = [lamp]
        try database.commit(changes, with: lease)
        lease.release()

        let path = "element[\(element)].\(model.identifier.name).subscription.bedroom"
        #expect(fixture.run("show", "node.brian").output.contains("  not known to be there  \(path)\n"))
        #expect(fixture.run("show", "group.bedroom").output.contains(#/brian +element [0-9] +[a-z-]+ +not known/#))
        let json = fixture.run("show", "node.brian", "--json").output
        #expect(json.contains(#""in_doubt":"Model Subscription Delete""#), "\(json)")
        for command in ["drift", "plan"] {
            let text = fixture.run(command).output.split { $0 == "\n" || $0 == " " }.joined(separator: " ")
            #expect(text.contains("Note: brian: nobody knows whether \(path) is there"), "\(text)")
        }
        #expect(fixture.run("refresh", "--via", "simulator").status == 0)
        for command in [["drift"], ["plan"], ["show", "node.brian"], ["show", "group.bedroom"]] {
            let text = fixture.run(command).output
            #expect(!text.contains("nobody knows") && !text.contains("not known"), "\(text)")
        }
    }
}
