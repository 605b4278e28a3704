import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite(
    "meshplan fleet status with a shared database",
    .enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.isNotInstalled)")
)
struct FleetStatusTests {
    @Test("All networks are asked for at once, and one that is not in order is told as if it were alone")
    func shared() throws {
        let server = try PostgreSQLServer.shared
        let database = try server.newDatabase()
        let fixture = try CommandFixture()
        fixture.environment["MESHPLAN_STATE"] = server.address(database.name)
        let names = ["east", "mill", "north", "south", "west"]
        for name in names { try #require(fixture.run("init", "--network", name).status == 0) }
        try fixture.write(
            "version: 1\nnetworks: { \(names.map { "\($0): { folder: . }" }.joined(separator: ", ")) }\n",
            to: "fleet.yaml"
        )
        func row(_ name: String) -> String {
            let output = fixture.run("fleet", "status").output
            return output.split(separator: "\n").first { $0.hasPrefix(name) }.map(String.init) ?? output
        }
        let all = fixture.run("fleet", "status")
        #expect(all.status == 0 && all.output.split(separator: "\n").count == 6, "\(all.combined)")
        for name in names {
            let alone = fixture.run("fleet", "status", "--select", "network=\(name)").output.split(separator: "\n")
            let fields = row(name).split(separator: " ").map(String.init)
            #expect(alone.last?.split(separator: " ").map(String.init) == fields)
            #expect(fields == [name, "1", "1", "0", "0", "–"])
        }
        #expect(fixture.run("fleet", "status", "--select", "network=mill", "--json").output.contains(#""nodes":1"#))

        let lineage = "(SELECT lineage FROM meshplan_networks WHERE name = 'mill')"
        try server.sql("DELETE FROM meshplan_rows WHERE lineage = \(lineage) AND kind = 3", in: database.name)
        #expect(row("mill").contains("(failed)"))
        let lock = String(decoding: try #require(fixture.read("meshplan.lock.yaml")), as: UTF8.self)
        let north = try #require(lock.firstRange(of: "north:"))
        let later =
            lock[..<north.upperBound]
            + lock[north.upperBound...].replacing("serial: 1", with: "serial: 9", maxReplacements: 1)
        try fixture.put(nil, to: "meshplan.lock.yaml")
        try fixture.write(String(later), to: "meshplan.lock.yaml")
        #expect(row("north").contains("(stale)"))
        #expect(row("south").split(separator: " ").count == 6)
        let told = fixture.run("fleet", "status")
        #expect(told.status == 1)
        #expect(told.error.contains("mill") && told.error.contains("the set of rows"), "\(told.error)")
        #expect(told.error.contains("serial 9"), "\(told.error)")

        // Another key opens none, and that is said of each.
        try fixture.writePrivate(String(repeating: "5e", count: 32) + "\n", to: "other.key")
        let closed = fixture.run("fleet", "status", "--key-file", "other.key")
        #expect(closed.status == 1 && closed.error.contains("does not open"), "\(closed.combined)")
        #expect(closed.output.split(separator: "\n").filter { $0.contains("(failed)") }.count == 5)
    }

    @Test("A server that cannot be reached is named for each network")
    func unreachable() throws {
        let fixture = try CommandFixture()
        fixture.environment["MESHPLAN_STATE"] = "postgres://me@%2Fnowhere/mesh"
        try fixture.write("version: 1\nnetworks: { a: { folder: . }, b: { folder: . } }\n", to: "fleet.yaml")
        let result = fixture.run("fleet", "status")
        #expect(result.status == 1, "\(result.combined)")
        #expect(result.output.split(separator: "\n").filter { $0.contains("(failed)") }.count == 2)
    }
}
