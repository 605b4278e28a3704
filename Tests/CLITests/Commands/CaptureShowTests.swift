import Bearers
import MeshCore
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan capture show")
struct CaptureShowTests {
    /// The house, and the capture of its apply.
    private func house() throws -> CommandFixture {
        let fixture = try CommandFixture.house()
        let result = fixture.run("apply", "--via", "simulator", "--auto-approve", "--capture", "run.pcapng")
        try #require(result.status == 0, "\(result.combined)")
        return fixture
    }

    @Test("names nodes and messages, and hides keys and what carries no message")
    func show() throws {
        let fixture = try house()
        let result = fixture.run("capture", "show", "run.pcapng")
        #expect(result.status == 0, "\(result.combined)")
        let lines = result.output.split(separator: "\n").map(String.init)
        let pattern = #/^\d\d:\d\d:\d\d\.\d{3} [<>]  \S.* > \S.*  \S/#
        for line in lines { #expect(line.contains(pattern), "\(line)") }
        #expect(lines.contains { $0.contains(" > brian  config-default-ttl-set ttl=5") }, "\(result.output)")
        #expect(lines.contains { $0.contains("brian > ") && $0.contains("config-default-ttl-status ttl=5") })
        let keyAdd = lines.filter { $0.contains("config-appkey-add") }
        #expect(!keyAdd.isEmpty && keyAdd.allSatisfy { $0.contains("(secret)") }, "\(keyAdd)")
        #expect(!result.output.contains("segment") && result.error.contains("--all shows segments"))
        #expect(!result.error.contains("no key"), "\(result.error)")
    }

    @Test("one node alone, everything, and JSON")
    func options() throws {
        let fixture = try house()
        let one = fixture.run("capture", "show", "run.pcapng", "--node", "push")
        let lines = one.output.split(separator: "\n")
        #expect(!lines.isEmpty && lines.allSatisfy { $0.contains("push") }, "\(one.output)")
        let all = fixture.run("capture", "show", "run.pcapng", "--all")
        #expect(all.output.contains("segment 1 of 2") && all.output.contains("proxy filter: "), "\(all.output)")
        #expect(all.output.contains("beacon of "))
        let json = fixture.run("capture", "show", "run.pcapng", "--json")
        let member = #""destination_name":"brian""#
        #expect(json.output.contains(#""message":"config-default-ttl-set","fields":{"ttl":"5"}"#), "\(json.output)")
        #expect(json.output.contains(member), "\(json.output)")
        #expect(fixture.run("capture", "show", "run.pcapng", "--node", "nobody").status == 64)
    }

    @Test("a file that was cut off is shown up to there, at whatever octet")
    func cutOff() throws {
        let fixture = try house()
        let whole = try #require(fixture.read("run.pcapng"))
        let lines = fixture.run("capture", "show", "run.pcapng").output
        try fixture.put(Array(whole.dropLast(5)), to: "short.pcapng")
        let result = fixture.run("capture", "show", "short.pcapng")
        #expect(result.status == 0 && !result.output.isEmpty && lines.hasPrefix(result.output), "\(result.combined)")
        #expect(result.error.contains(#/short\.pcapng, byte \d+: the file ends within a block/#), "\(result.error)")
    }

    @Test("hostile files end with a place, and never with a trap")
    func hostile() throws {
        let fixture = try house()
        let whole = try #require(fixture.read("run.pcapng"))
        func check(_ octets: [UInt8], _ text: String) throws {
            try fixture.put(octets, to: "bad.pcapng")
            let result = fixture.run("capture", "show", "bad.pcapng")
            #expect(result.status == 65 && result.error.contains(text), "\(text): \(result.error)")
        }
        try check([], "the file is empty")
        try check(Array("version: 1\nnetwork: house\n".utf8), "byte 0: the file is no pcapng file")
        var bad = whole
        bad[4...7] = [0xFF, 0xFF, 0xFF, 0xFF]
        try check(bad, "byte 4: a block has the impossible length 4294967295")
        var random = SplitMix64(seed: 7)
        for _ in 0..<300 {
            var altered = whole
            for _ in 0..<8 {
                altered[Int(random.next() % UInt64(altered.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            var reader = CaptureReader(altered)
            do throws(CaptureReader.Problem) {
                while try reader.next() != nil {}
            } catch { #expect(error.offset <= altered.count) }
        }
    }
}
