import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("--proxy")
struct ProxyOptionTests {
    @Test("Commands that send go through the node that is named, and say it where the database has none such")
    func named() throws {
        let fixture = try CommandFixture.house()
        let applied = fixture.run("apply", "--via", "simulator", "--auto-approve", "--proxy", "0x0104")
        #expect(applied.status == 0 && applied.error.contains(" (0x0104).\n"), "\(applied)")
        let known = fixture.run("refresh", "--via", "simulator", "--proxy", "0x0104")
        #expect(known.status == 0, "\(known)")
        let unknown = fixture.run("refresh", "--via", "simulator", "--proxy", "nobody")
        let text = unknown.output + unknown.error
        #expect(unknown.status != 0)
        #expect(text.contains("the database has no node nobody, which is to be the proxy"), "\(unknown)")
    }

    @Test("apply takes the definition's name for a node, too, and refuses one that nobody has before anything else")
    func definitionsNames() throws {
        let fixture = try CommandFixture.house()
        let nobody = fixture.run("apply", "--via", "simulator", "--proxy", "nobody")
        #expect(nobody.status == 64 && nobody.output.isEmpty, "\(nobody)")
        #expect(nobody.error.contains("the database has no node nobody"), "\(nobody)")
        let applied = fixture.run("apply", "--via", "simulator", "--auto-approve", "--proxy", "bell")
        #expect(applied.status == 0 && applied.error.contains(" (0x0104).\n"), "\(applied)")
    }

    @Test("A proxy that is not heard ends the run with who was heard instead")
    func notHeard() throws {
        let fixture = try CommandFixture.house()
        for proxy in ["C0:11:22:33:44:55", "0x0004"] {
            let result = fixture.run("apply", "--via", "simulator", "--auto-approve", "--proxy", proxy)
            let text = result.output + result.error
            #expect(result.status != 0)
            #expect(text.contains(" is not heard; heard instead: "), "\(result)")
            #expect(text.contains(" dBm)"), "\(result)")
        }
        // The failed attempts have lost nothing.
        #expect(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 0)
    }
}
