import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan node")
struct NodeCommandTests {
    @Test("pages of a node are read, kept and shown")
    func readPages() throws {
        let fixture = try CommandFixture.house()
        #expect(!fixture.run("show", "node.268E8CA7-32A3-45B6-9149-AA44BAAD2346").output.contains("composition pages"))
        let result = fixture.run("node", "read-pages", "mary", "--via", "simulator")
        #expect(result.status == 0 && result.output == "mary has only page 0.\n", "\(result.error)")
        #expect(
            fixture.run("show", "node.268E8CA7-32A3-45B6-9149-AA44BAAD2346").output.contains(#/composition pages +0\n/#)
        )
        let json = fixture.run("node", "read-pages", "mary", "--via", "simulator", "--json")
        #expect(json.output.contains(#""type":"composition_pages""#) && json.output.contains(#""pages":{}"#))
        #expect(
            fixture.run("show", "node.268E8CA7-32A3-45B6-9149-AA44BAAD2346", "--json").output.contains(
                #""composition_pages":{}"#
            )
        )
        let nobody = fixture.run("node", "read-pages", "garage", "--via", "simulator")
        #expect(nobody.status == 64 && nobody.error.contains("there is no node `garage`"))
    }

    @Test("a node that is nobody's Friend is told")
    func pollTimeout() throws {
        let fixture = try CommandFixture.house()
        let result = fixture.run("node", "poll-timeout", "mary", "0x0001", "--via", "simulator")
        #expect(result.status == 0 && result.output.hasPrefix("mary is not the Friend of "), "\(result.error)")
        let json = fixture.run("node", "poll-timeout", "mary", "0x0001", "--via", "simulator", "--json")
        #expect(json.output.contains(#""is_friend":false}"#))
    }

    @Test("a node without the model, and ranges that are none, are told")
    func clearSolicitations() throws {
        let fixture = try CommandFixture.house()
        let result = fixture.run("node", "clear-solicitations", "mary", "0x0010-0x001f", "--via", "simulator")
        #expect(result.status == 1)
        #expect(result.error.contains("has no Solicitation PDU RPL Configuration Server on its primary element"))
        for range in ["0x0000", "0x8000", "16", "0x0010-0x000f", "0x0001-0x0100", "0x0001-", "0x0001-2-3"] {
            let wrong = fixture.run("node", "clear-solicitations", "mary", range, "--via", "simulator")
            #expect(wrong.status == 64, "\(range)")
        }
    }
}
