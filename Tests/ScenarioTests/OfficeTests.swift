import Foundation
import TestSupport
import Testing

/// `examples/office`: devices in their boxes become a configured network.
///
/// One after the other, for the simulator keeps real time: devices give up whoever is silent for 60 of its seconds.
@Suite("An office from nothing", .serialized, .timeLimit(.minutes(15)))
struct OfficeTests {
    /// How many offices are commissioned by applies that are killed.
    private static let rounds =
        ProcessInfo.processInfo.environment["MESHPLAN_OFFICE_ROUNDS"].flatMap(Int.init) ?? 5
    /// How often an apply is killed in each of them at most.
    private static let kills = 6

    @Test("One apply provisions and configures everything, and the plan after it is empty")
    func atOnce() async throws {
        let office = try House.office()
        defer { office.remove() }
        let apply =
            ["apply", "--auto-approve", "--via", "simulator"]
            + ["--devices", "devices/devices.yaml", "--secrets", "devices/secrets.csv"]
        for arguments in [["init", "--network", "office"], apply, ["plan", "--detailed-exitcode"]] {
            let result = try await office.meshplan(arguments)
            #expect(result.status == 0, "\(result.output.suffix(4_000))")
        }
        let status = try await office.meshplan(["sim", "status"])
        #expect(status.output.contains("44 simulated nodes"))
        #expect(status.output.contains("All are as the mesh database says"))
        try await check(office.meshplan(["show", "--json"]).output.split(separator: "\n").map(String.init))
    }

    @Test(
        "Over a radio that loses a tenth, killed applies end in the same office",
        arguments: 1...max(rounds, 1)
    )
    func killed(seed: Int) async throws {
        let office = try House.office()
        defer { office.remove() }
        let script = try #require(Bundle.module.url(forResource: "disturbed-office", withExtension: "sh"))
        let arguments = [script.path, House.meshplan.path, "\(seed)", "\(Self.kills)"]
        let result = try await office.run(URL(filePath: "/bin/bash"), arguments)
        let lines = result.output.split(separator: "\n").map(String.init)
        // `timeout` has bash report the kill with a line of its own.
        guard result.status == 0, let first = lines.firstIndex(where: { $0.hasPrefix("killed ") }) else {
            throw ScenarioError("seed \(seed): \(result.output)")
        }
        #expect(lines[first] != "killed 0")
        try check(Array(lines[(first + 1)...]))
    }

    /// Every device is a node with addresses of its own, none is left over, and no record of a doubt remains.
    private func check(_ lines: [String]) throws {
        let objects = try lines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        let nodes = objects.filter { $0["type"] as? String == "node" }
        var owners: [Int: String] = [:]
        for node in nodes {
            let name = try #require(node["name"] as? String)
            let address = try #require(node["address"] as? String)
            let first = try #require(Int(address.dropFirst(2), radix: 16))
            for element in 0..<(try #require(node["elements"] as? [Any])).count {
                #expect(owners[first + element] == nil, "\(name) and another node have an address in common")
                owners[first + element] = name
            }
        }
        // Ourselves and 44 devices, from 0x0001 on without a gap: nothing leaked.
        #expect(nodes.count == 45)
        #expect(owners.keys.sorted() == Array(1...owners.count))
        #expect(!objects.contains { $0["type"] as? String == "pending_provisioning" })
        #expect(!objects.contains { $0["type"] as? String == "retired_node" })
    }
}

extension House {
    /// `examples/office` in a folder of its own, without a database.
    fileprivate static func office() throws -> House {
        let office = try House.empty()
        for name in ["office.yaml", "devices"] {
            let item = examples.appending(path: "office").appending(path: name)
            try FileManager.default.copyItem(at: item, to: office.folder.appending(path: name))
        }
        let secrets = office.folder.appending(path: "devices/secrets.csv").path
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secrets)
        return office
    }
}
