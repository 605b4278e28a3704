import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan doctor")
struct DoctorCommandTests {
    @Test("tells what an imported network leaves to be desired, and what a broken one has")
    func examines() throws {
        let fixture = try CommandFixture.house()
        expectSnapshot(fixture.run("doctor").transcript, "doctor.txt")
        expectSnapshot(fixture.run("doctor", "--json").transcript, "doctor.jsonl")
        #expect(fixture.run("state", "mv", "group.Bedroom", "group.Attic").status == 0)
        let path = fixture.folder.appendingPathComponent(".meshplan/house.meshdb").path
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let open = fixture.run("doctor")
        #expect(open.status == 1 && open.output.contains("chmod 600 .meshplan/house.meshdb"), "\(open.output)")
    }

    @Test("without a database it says how to begin, of another network that there is none")
    func nothing() throws {
        let fixture = try CommandFixture.house()
        #expect(fixture.run("doctor", "--network", "attic").status == 1)
        #expect(try CommandFixture().run("doctor").error.contains("meshplan init"))
    }
}
