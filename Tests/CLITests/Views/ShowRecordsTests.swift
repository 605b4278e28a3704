import Foundation
import MeshCore
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
}
