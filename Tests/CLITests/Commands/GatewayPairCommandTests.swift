import DefinitionModel
import Foundation
import MeshCore
import TLS
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan gateway pair")
struct GatewayPairCommandTests {
    private let folder = ".meshplan/gateways/basement"

    private func office() throws -> CommandFixture {
        let fixture = try CommandFixture()
        try #require(fixture.run("init").status == 0)
        return fixture
    }

    private func identity(_ fixture: CommandFixture, _ path: String) throws -> TLSIdentity {
        try TLSIdentity(pem: try #require(fixture.read(path)))
    }

    /// Whether a client's and a gateway's files accept each other.
    private func connect(_ client: TLSIdentity, _ gateway: TLSIdentity, at now: Timestamp) throws -> Bool {
        let client = try TLSSession(TLSContext(client, role: .client), at: now)
        let gateway = try TLSSession(TLSContext(gateway, role: .server), at: now)
        do throws(TLSError) {
            for _ in 0..<3 {
                try gateway.receive(client.takeOutgoing())
                try client.receive(gateway.takeOutgoing())
            }
        } catch {
            return false
        }
        return client.isEstablished && gateway.isEstablished
    }

    /// A transcript without random parts.
    private func masked(_ result: CommandFixture.Result) -> String {
        result.transcript.replacing(#/[0-9a-f]{64}/#, with: "(fingerprint)")
    }

    @Test("makes files that get on with each other, for their owner alone, and says what to do with each")
    func first() throws {
        let fixture = try office()
        expectSnapshot(masked(fixture.run("gateway", "pair", "basement")), "gateway-pair.txt")
        for name in ["authority.pem", "client.pem", "basement.gateway.pem"] {
            #expect(try fixture.mode("\(folder)/\(name)") == 0o600)
        }
        #expect(try fixture.mode(folder) == 0o700 && fixture.mode(".meshplan/gateways") == 0o700)
        let gateway = try identity(fixture, "\(folder)/basement.gateway.pem")
        let client = try identity(fixture, "\(folder)/client.pem")
        #expect(gateway.certificate.name == "basement" && client.certificate.name == "tester@bench")
        #expect(gateway.authority.name == "authority of basement")
        #expect(try connect(client, gateway, at: fixture.now))
        // A clock that had no power may be a year behind. After ten years the certificates expire.
        let day: Int64 = 86_400
        func after(_ days: Int64) -> Timestamp { Timestamp(rawValue: fixture.now.rawValue + days * day) }
        #expect(try connect(client, gateway, at: after(-364)))
        #expect(try !connect(client, gateway, at: after(-366)))
        #expect(try connect(client, gateway, at: after(3_649)))
        #expect(try !connect(client, gateway, at: after(3_651)))
    }

    @Test("makes a further client's file, and tells how it is installed and shut out")
    func furtherClient() throws {
        let fixture = try office()
        try #require(fixture.run("gateway", "pair", "basement").status == 0)
        let made = fixture.run("gateway", "pair", "basement", "--client", "ann", "--days", "30")
        expectSnapshot(masked(made), "gateway-pair-client.txt")
        #expect(try fixture.mode("\(folder)/ann.client.pem") == 0o600)
        let ann = try identity(fixture, "\(folder)/ann.client.pem")
        #expect(ann.certificate.name == "ann" && made.output.contains(ann.certificate.fingerprintText))
        #expect(try connect(ann, identity(fixture, "\(folder)/basement.gateway.pem"), at: fixture.now))

        let again = fixture.run("gateway", "pair", "basement", "--client", "ann")
        #expect(again.status == 1 && again.error.contains("--renew"))
        #expect(try identity(fixture, "\(folder)/ann.client.pem").certificate == ann.certificate)
        #expect(fixture.run("gateway", "pair", "basement", "--client", "ann", "--renew").status == 0)
        #expect(try identity(fixture, "\(folder)/ann.client.pem").certificate != ann.certificate)
        // The other files still work.
        #expect(try connect(ann, identity(fixture, "\(folder)/basement.gateway.pem"), at: fixture.now))
    }

    @Test("puts its files over no others, whatever it is told", arguments: [["--client", "ann"], []])
    func foreignFile(options: [String]) throws {
        let fixture = try office()
        if !options.isEmpty { try #require(fixture.run("gateway", "pair", "basement").status == 0) }
        try fixture.write("network: house\n", to: "house.yaml")
        for more in [[], ["--renew"]] {
            let refused = fixture.run(["gateway", "pair", "basement", "--out", "house.yaml"] + options + more)
            #expect(refused.status == 1 && refused.error.contains("house.yaml already exists"))
            #expect(!refused.error.contains("--renew"), "\(refused.error)")
            #expect(fixture.read("house.yaml") == Array("network: house\n".utf8))
        }
        #expect(fixture.run(["gateway", "pair", "basement", "--out", "away.pem", "--renew"] + options).status == 0)
        #expect(fixture.run(["gateway", "pair", "basement", "--out", "away.pem", "--renew"] + options).status == 0)
    }

    @Test("has doctor tell which files are of before the pairing was made anew")
    func strangers() throws {
        let fixture = try office()
        try #require(fixture.run("gateway", "pair", "basement").status == 0)
        try #require(fixture.run("gateway", "pair", "basement", "--client", "ann").status == 0)
        #expect(!fixture.run("doctor").output.contains("to another pairing"))
        try #require(fixture.run("gateway", "pair", "basement", "--renew").status == 0)
        let told = fixture.run("doctor").output
        #expect(told.contains("warning: \(folder)/ann.client.pem belongs to another pairing"), "\(told)")
        #expect(told.components(separatedBy: "to another pairing").count == 2, "the others are new: \(told)")
        #expect(told.contains("meshplan gateway pair basement --client ann --renew"))
    }

    @Test("replaces nothing unless told to, and then shuts out all that was before")
    func renewal() throws {
        let fixture = try office()
        try #require(fixture.run("gateway", "pair", "basement").status == 0)
        try #require(fixture.run("gateway", "pair", "basement", "--client", "ann").status == 0)
        let old = try identity(fixture, "\(folder)/basement.gateway.pem")
        let refused = fixture.run("gateway", "pair", "basement")
        #expect(refused.status == 1 && refused.error.contains("already") && refused.error.contains("--renew"))
        #expect(try identity(fixture, "\(folder)/basement.gateway.pem").certificate == old.certificate)

        let renewed = fixture.run("gateway", "pair", "basement", "--renew")
        #expect(renewed.status == 0)
        #expect(renewed.output.contains("meshplan gateway pair basement --client ann --renew"))
        let client = try identity(fixture, "\(folder)/client.pem")
        #expect(try connect(client, identity(fixture, "\(folder)/basement.gateway.pem"), at: fixture.now))
        #expect(try !connect(client, old, at: fixture.now))
        #expect(
            try !connect(
                identity(fixture, "\(folder)/ann.client.pem"),
                identity(fixture, "\(folder)/basement.gateway.pem"),
                at: fixture.now
            )
        )
    }

    @Test(
        "goes on with a new pairing that was cut short, with the authority that it has",
        arguments: [["basement.gateway.pem", "client.pem"], ["client.pem"]]
    )
    func cutShort(missing: [String]) throws {
        let fixture = try office()
        try #require(fixture.run("gateway", "pair", "basement").status == 0)
        let authority = fixture.read("\(folder)/authority.pem")
        let first = try identity(fixture, "\(folder)/basement.gateway.pem").authority
        for name in missing { try fixture.put(nil, to: "\(folder)/\(name)") }
        // What others may write to may be theirs: nothing of it is signed with.
        let folders = [".meshplan/gateways", folder, "\(folder)/authority.pem"]
        for path in folders + (missing.count == 1 ? ["\(folder)/basement.gateway.pem"] : []) {
            let absolute = fixture.folder.appendingPathComponent(path).path
            let mode = try #require(try fixture.mode(path))
            try FileManager.default.setAttributes([.posixPermissions: mode | 0o020], ofItemAtPath: absolute)
            let refused = fixture.run("gateway", "pair", "basement")
            #expect(refused.status == 1 && refused.error.contains(path), "\(path): \(refused)")
            #expect(fixture.read("\(folder)/client.pem") == nil)
            #expect(fixture.run("doctor").combined.contains(path), "\(path)")
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: absolute)
        }
        let again = fixture.run("gateway", "pair", "basement", "--days", "30")
        #expect(again.status == 0, "\(again)")
        #expect(again.output.contains("Going on with the authority") && again.output.contains(first.fingerprintText))
        let ends = try ["basement.gateway.pem", "client.pem"].map {
            try identity(fixture, "\(folder)/\($0)").certificate.validUntil
        }
        let end = try #require(ends.min())
        #expect(again.output.contains("valid until \(end.text)"), "\(again.output)")
        #expect(fixture.read("\(folder)/authority.pem") == authority)
        #expect(
            try connect(
                identity(fixture, "\(folder)/client.pem"),
                identity(fixture, "\(folder)/basement.gateway.pem"),
                at: fixture.now
            )
        )
        #expect(fixture.run("gateway", "pair", "basement").status == 1)
    }

    @Test("writes elsewhere, never over a file, and git ignores what it writes")
    func elsewhere() throws {
        let fixture = try office()
        try fixture.write("", to: ".gitignore")
        let made = fixture.run("gateway", "pair", "basement", "--out", "basement.gateway.pem")
        #expect(made.status == 0 && made.output.contains("scp basement.gateway.pem HOST:basement.gateway.pem"))
        #expect(made.output.hasSuffix("*.gateway.pem, *.client.pem and *.meshplan-* to .gitignore\n"))
        #expect(try fixture.mode("basement.gateway.pem") == 0o600)
        #expect(fixture.read("\(folder)/basement.gateway.pem") == nil)
        try fixture.write("mine", to: "x.client.pem")
        let refused = fixture.run("gateway", "pair", "basement", "--client", "x", "--out", "x.client.pem")
        #expect(refused.status == 1 && fixture.read("x.client.pem") == Array("mine".utf8))
        #expect(fixture.run("gateway", "pair", "attic", "--out", "x.client.pem").status == 1)
        #expect(fixture.read(".meshplan/gateways/attic/authority.pem") == nil)
        let nowhere = fixture.run("gateway", "pair", "attic", "--out", "no/such/file")
        #expect(nowhere.status == 1 && nowhere.error.contains("No such file or directory"))
    }

    @Test("refuses names and times that cannot be, and a folder that is none of meshplan's")
    func refusals() throws {
        let fixture = try office()
        for name in ["..", "../x", "a/b", "", "a b", String(repeating: "x", count: 49)] {
            #expect(fixture.run("gateway", "pair", "--", name).status == 64, "\(name)")
        }
        for label in ["../x", "", "a b"] {
            #expect(fixture.run("gateway", "pair", "basement", "--client", label).status == 64, "\(label)")
        }
        for days in ["0", "-1", "10951", "x"] {
            #expect(fixture.run("gateway", "pair", "basement", "--days=\(days)").status == 64, "\(days)")
        }
        let early = fixture.run("gateway", "pair", "basement", "--client", "ann")
        #expect(early.status == 1 && early.error.contains("Make the pairing first"))
        #expect(try CommandFixture().run("gateway", "pair", "basement").error.contains("meshplan init"))
        #expect(fixture.read(folder) == nil)
    }

    @Test("an authority that others can read, that is over or that is none, signs nothing")
    func authority() throws {
        let fixture = try office()
        try #require(fixture.run("gateway", "pair", "basement").status == 0)
        let path = fixture.folder.appendingPathComponent("\(folder)/authority.pem").path
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        let open = fixture.run("gateway", "pair", "basement", "--client", "ann")
        #expect(open.status == 1 && open.error.contains("chmod 600 .meshplan/gateways/basement/authority.pem"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        fixture.now.rawValue += 10_951 * 86_400
        #expect(fixture.run("gateway", "pair", "basement", "--client", "ann").error.contains("--renew"))
        try fixture.writePrivate("nonsense", to: "\(folder)/authority.pem")
        let broken = fixture.run("gateway", "pair", "basement", "--client", "ann")
        #expect(broken.status == 1 && broken.error.contains("authority.pem: the file holds neither"))
    }

    @Test("doctor warns sixty days before certificates end, and tells when they have")
    func doctor() throws {
        let fixture = try CommandFixture.house()
        try #require(fixture.run("gateway", "pair", "basement", "--days", "100").status == 0)
        try #require(fixture.run("gateway", "pair", "basement", "--client", "ann", "--days", "50").status == 0)
        expectSnapshot(masked(fixture.run("doctor")), "doctor-gateway.txt")
        fixture.now.rawValue += 41 * 86_400
        let soon = fixture.run("doctor")
        #expect(
            soon.status == 0 && soon.output.contains("client.pem is valid until 2027-02-26T11:06:40Z, for 59 more days")
        )
        fixture.now.rawValue += 60 * 86_400
        let over = fixture.run("doctor", "--json")
        #expect(over.status == 1)
        #expect(over.output.contains(#""gateway":"basement","severity":"error","code":"certificate-expired""#))
        // With a named network, only that is examined.
        #expect(fixture.run("doctor", "--network", "house").status == 0)

        fixture.now.rawValue -= 101 * 86_400
        try fixture.write("nonsense", to: "\(folder)/client.pem")
        let path = fixture.folder.appendingPathComponent("\(folder)/client.pem").path
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let broken = fixture.run("doctor")
        #expect(broken.status == 1 && broken.output.contains("client.pem: the file holds neither"))
        #expect(broken.output.contains("client.pem is accessible to users other than its owner (mode 0644)"))
    }
}
