import DefinitionModel
import Foundation
import MeshCore
import SystemLayer
import TLS
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("Files of pairings that are not as they should be")
struct GatewayFileTests {
    private let folder = ".meshplan/gateways/basement"

    private func office(_ pairing: String = "basement") throws -> CommandFixture {
        let fixture = try CommandFixture.house()
        try #require(fixture.run("gateway", "pair", pairing).status == 0)
        return fixture
    }

    private func path(_ fixture: CommandFixture, _ name: String) -> String {
        fixture.folder.appendingPathComponent(name).path
    }

    private func scan(_ fixture: CommandFixture) -> CommandFixture.Result {
        fixture.run("scan", "--time", "1s", "--via", "gateway://basement@127.0.0.1:1")
    }

    private func fingerprint(_ fixture: CommandFixture, _ name: String) throws -> String {
        try TLSIdentity(pem: try #require(fixture.read(name))).certificate.fingerprintText
    }

    @Test(
        "what is no regular file is refused by every command, and nothing waits for a pipe",
        arguments: ["pipe", "folder", "device"]
    )
    func notRegular(kind: String) throws {
        let fixture = try office()
        for name in ["client.pem", "authority.pem", "basement.gateway.pem"] {
            let path = path(fixture, "\(folder)/\(name)")
            try FileManager.default.removeItem(atPath: path)
            switch kind {
            case "pipe": try #require(mkfifo(path, 0o600) == 0)
            case "folder": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            default: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/zero")
            }
        }
        let problem = kind == "folder" ? "is a folder" : "is no regular file but a pipe or a device"
        let commands: [(String, CommandFixture.Result)] = [
            ("client.pem", scan(fixture)),
            ("authority.pem", fixture.run("gateway", "pair", "basement", "--client", "ann")),
            (
                "basement.gateway.pem",
                fixture.run(
                    ["gateway", "--listen", "tcp:0.0.0.0:0", "--certificate", "\(folder)/basement.gateway.pem"]
                )
            ),
        ]
        for (name, result) in commands {
            #expect(result.status == 1 && result.error.contains("\(folder)/\(name) \(problem)"), "\(result.error)")
        }
        let doctor = fixture.run("doctor")
        #expect(doctor.status == 1)
        for (name, _) in commands {
            #expect(doctor.output.contains("\(folder)/\(name) \(problem)"), "\(doctor.output)")
        }
        let list = fixture.run(
            ["gateway", "--listen", "unix:g.sock", "--certificate", "x.pem", "--denied", "\(folder)/client.pem"]
        )
        #expect(list.status == 1)
        #expect(list.error.contains("the list of denied clients, \(folder)/client.pem, \(problem)"), "\(list.error)")
    }

    @Test("a pairing without our file is shown by doctor, and all commands give the same advice, which works")
    func withoutClient() throws {
        let fixture = try office()
        try FileManager.default.removeItem(atPath: path(fixture, "\(folder)/client.pem"))
        let advice = "meshplan gateway pair basement --client office --out \(folder)/client.pem --renew"
        let doctor = fixture.run("doctor")
        #expect(doctor.status == 1 && doctor.output.contains("there is no \(folder)/client.pem"))
        func flat(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
        #expect(flat(doctor.output).contains(advice))
        #expect(flat(scan(fixture).error).contains(advice))
        // The pairing may have been cut short before our file was written, so its command goes on, too.
        let again = fixture.run("gateway", "pair", "basement")
        #expect(again.status == 0 && again.output.contains("Made the pairing"), "\(again.output)\(again.error)")
        #expect(fixture.run("doctor").output.contains("\(folder)/client.pem is the file of"))
        let made = fixture.run(advice.split(separator: " ").dropFirst().map(String.init))
        #expect(
            made.status == 0 && made.output.hasPrefix("Made \(folder)/client.pem, our file for gateway"),
            "\(made.output)"
        )
        #expect(fixture.run("doctor").output.contains("\(folder)/client.pem is the file of “office”"))
        #expect(scan(fixture).error.contains("cannot connect to"))

        for name in ["client.pem", "authority.pem"] {
            try FileManager.default.removeItem(atPath: path(fixture, "\(folder)/\(name)"))
        }
        #expect(flat(scan(fixture).error).contains("Ask whoever has made the pairing"))
    }

    @Test("a client's file that is replaced stays valid: how to shut it out is said, with the fingerprint that it had")
    func replaced() throws {
        let fixture = try office()
        try #require(fixture.run("gateway", "pair", "basement", "--client", "bob").status == 0)
        let former = try fingerprint(fixture, "\(folder)/bob.client.pem")
        #expect(fixture.run("doctor").output.contains("“bob” with the fingerprint \(former)"))
        let renewed = fixture.run("gateway", "pair", "basement", "--client", "bob", "--renew")
        #expect(renewed.output.contains("The old file stays valid until 2036-11-15T11:06:40Z."))
        #expect(renewed.output.contains("echo \(former) bob >> FILE"), "\(renewed.output)")
        let present = try fingerprint(fixture, "\(folder)/bob.client.pem")
        #expect(present != former && renewed.output.contains("echo \(present) bob >> FILE"))

        try FileManager.default.removeItem(atPath: path(fixture, "\(folder)/bob.client.pem"))
        let blind = fixture.run("gateway", "pair", "basement", "--client", "bob", "--renew")
        #expect(blind.output.contains("stays valid until it is denied; the gateway's log shows its fingerprint"))
    }

    @Test("names that look like others, or end oddly, are refused")
    func names() throws {
        let fixture = try office("attic")
        for name in ["attic.", "attic-", "attic_", "a..b", "a.-b", "-attic", ".attic"] {
            let refused = fixture.run("gateway", "pair", "--", name)
            #expect(refused.status == 64 && refused.error.contains("cannot be the name of a gateway"), "\(name)")
        }
        for name in ["Attic", "ATTIC"] {
            let refused = fixture.run("gateway", "pair", name)
            #expect(refused.status == 64 && refused.error.contains("`\(name)` is too similar to `attic`"))
        }
        try #require(fixture.run("gateway", "pair", "attic-2").status == 0)
        #expect(fixture.run("gateway", "pair", "attic_2").error.contains("is too similar to `attic-2`"))
        try #require(fixture.run("gateway", "pair", "attic", "--client", "ann").status == 0)
        for label in ["Ann", "ann.", "an..n"] {
            #expect(fixture.run("gateway", "pair", "attic", "--client", label).status == 64, "\(label)")
        }
        #expect(fixture.run("gateway", "pair", "attic", "--client", "ann", "--renew").status == 0)
        #expect(fixture.run("gateway", "pair", "attic", "--renew").status == 0)
        // Files from another program, or from before this rule, are no obstacle.
        try fixture.writePrivate("", to: ".meshplan/gateways/ATTIC/client.pem")
        #expect(fixture.run("gateway", "pair", "attic", "--renew").status == 0)
    }

    @Test("--out takes a folder, and leaves the pairing's own files alone")
    func out() throws {
        let fixture = try office()
        try FileManager.default.createDirectory(atPath: path(fixture, "usb"), withIntermediateDirectories: false)
        let made = fixture.run("gateway", "pair", "basement", "--client", "ann", "--out", "usb")
        #expect(
            made.status == 0 && made.output.hasPrefix("Made usb/ann.client.pem, the file of ann for gateway"),
            "\(made.output)"
        )
        #expect(
            fixture.run("gateway", "pair", "attic", "--out", "usb/").output.contains("usb/attic.gateway.pem is for")
        )
        #expect(fixture.read("usb/attic.gateway.pem") != nil && fixture.read("usb/ann.client.pem") != nil)
        let authority = try #require(fixture.read("\(folder)/authority.pem"))
        for name in ["authority.pem", "basement.gateway.pem"] {
            let refused = fixture.run(
                ["gateway", "pair", "basement", "--client", "ann", "--renew", "--out", "\(folder)/../basement/\(name)"]
            )
            #expect(refused.status == 64 && refused.error.contains("belongs to the pairing itself"), "\(refused.error)")
        }
        #expect(fixture.read("\(folder)/authority.pem") == authority)
        try #require(fixture.run("gateway", "pair", "basement", "--renew", "--out", "./\(folder)/").status == 0)
        #expect(fixture.read("\(folder)/basement.gateway.pem") != nil, "its usual place, written otherwise")
    }

    @Test("the list of those who are denied takes comments and colons; a line that is no fingerprint is named")
    func denied() throws {
        let fixture = try office()
        let fingerprint = try fingerprint(fixture, "\(folder)/client.pem")
        let colons = stride(from: 0, to: 64, by: 2).map { String(fingerprint.dropFirst($0).prefix(2)) }
        let arguments = ["gateway", "--listen", "unix:g.sock", "--certificate", "none.pem", "--denied", "denied"]
        #expect(fixture.run(arguments).error.contains("the list of denied clients, denied, cannot be opened"))
        try fixture.write(
            "# gone\n\n\(fingerprint) bob, who lost his laptop\n\(colons.joined(separator: ":"))#x\r\n",
            to: "denied"
        )
        #expect(fixture.run(arguments).error.contains("none.pem cannot be opened"), "the list itself is good")
        try fixture.write("\(fingerprint)\n\(fingerprint.dropLast())\u{1B}[2J\n", to: "denied")
        let refused = fixture.run(arguments)
        #expect(
            refused.status == 1 && refused.error.contains("denied, line 2: there is no fingerprint"),
            "\(refused.error)"
        )
        #expect(!refused.error.contains("\u{1B}") && !refused.error.contains(fingerprint.prefix(40)))
        #expect(fixture.run("gateway", "--listen", "unix:g.sock", "--denied", "denied").status == 64)
    }

    @Test("how much time is left is said in days, hours or minutes, never in none")
    func remaining() {
        let cases: [(Int64, String)] = [
            (59 * 86_400 + 1, "for 59 more days"), (2 * 86_400, "for 2 more days"),
            (2 * 86_400 - 1, "for 47 more hours"),
            (7_200, "for 2 more hours"), (7_199, "for 119 more minutes"), (60, "for 1 more minute"),
            (1, "for 1 more minute"),
        ]
        for (seconds, text) in cases { #expect(GatewayExamination.remaining(seconds) == text) }
    }

    @Test("a clock that is behind is told: a client stops at once, doctor says so")
    func clockBehind() throws {
        let fixture = try office()
        fixture.now = Timestamp(rawValue: 0)
        let client = scan(fixture)
        #expect(client.status == 1)
        #expect(
            client.error.contains("is valid from 2025-11-18T11:06:40Z on, and the clock here says 1970-01-01T00:00:00Z")
        )
        #expect(client.error.contains("timedatectl"))
        let doctor = fixture.run("doctor", "--json")
        #expect(doctor.status == 1 && doctor.output.contains(#""code":"certificate-not-yet-valid""#))
        fixture.now = Timestamp(rawValue: 4_000_000_000)
        let late = scan(fixture)
        #expect(
            late.status == 1
                && late.error.contains("was valid until 2036-11-15T11:06:40Z, and the clock here says 2096-")
        )
    }

    @Test("with several gateways each message says which one it speaks of")
    func several() throws {
        let fixture = try office()
        let vias = ["--via", "gateway://basement@127.0.0.1:1", "--via", "gateway://cellar@127.0.0.1:2"]
        let unpaired = fixture.run(["scan", "--time", "1s"] + vias)
        #expect(
            unpaired.error.hasPrefix("Error: gateway://cellar@127.0.0.1:2: there is no pairing"),
            "\(unpaired.error)"
        )
        try #require(fixture.run("gateway", "pair", "cellar").status == 0)
        let nobody = fixture.run(["scan", "--time", "1s"] + vias)
        #expect(nobody.status == 1)
        for via in [vias[1], vias[3]] {
            #expect(nobody.error.contains("cannot connect to \(via): "), "\(nobody.error)")
            #expect(nobody.error.contains("For \(via):"), "\(nobody.error)")
        }
    }

    @Test("an interrupted wait ends a command as every interrupt does")
    func interrupted() {
        #expect(Failure(explaining: BearerError.interrupted(while: "connecting to x")).status == .interrupted)
        #expect(Failure(explaining: BearerError("x is gone")).status == .failure)
    }
}
