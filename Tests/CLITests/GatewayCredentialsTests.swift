import DefinitionModel
import Foundation
import MeshCore
import SystemLayer
import TLS
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("Credentials for gateways")
struct GatewayCredentialsTests {
    /// The effects of a command in the folder of a fixture.
    ///
    /// - Parameter tell: receives what standard error shows.
    private func context(_ fixture: CommandFixture, tell: @escaping (String) -> Void = { _ in }) -> Context {
        Context(
            Effects(
                workingDirectory: fixture.folder.path,
                environment: [:],
                output: Output { _ in nil },
                errorOutput: Output { text in
                    tell(text)
                    return nil
                },
                terminal: Terminal(isInputTerminal: false, isOutputTerminal: false, isErrorTerminal: false, width: 80),
                readLine: { nil },
                lineInput: LineInput(poll: { .nothing }, discard: {}),
                now: { fixture.now },
                randomBits: { 0 },
                interrupts: Interrupts(arm: {}, count: { 0 }),
                process: ProcessIdentity(number: 1, user: "tester", host: "bench"),
                pause: { _ in }
            )
        )
    }

    private func failure(_ name: String?, _ fixture: CommandFixture) -> Failure? {
        do {
            _ = try GatewayCredentials.find(name, in: context(fixture))
            return nil
        } catch {
            return error as? Failure
        }
    }

    @Test("the only pairing needs no name, one of several does")
    func choice() throws {
        let fixture = try CommandFixture()
        let none = try #require(failure(nil, fixture))
        #expect(none.message == "no gateway is paired with this folder")
        #expect(none.hint?.contains("meshplan gateway pair NAME") == true)
        try #require(fixture.run("init").status == 0)
        try #require(fixture.run("gateway", "pair", "basement").status == 0)
        #expect(try GatewayCredentials.find(nil, in: context(fixture)).name == "basement")
        #expect(try GatewayCredentials.find("basement", in: context(fixture)).name == "basement")
        // A folder without a client file is no pairing.
        try fixture.write("", to: ".meshplan/gateways/empty/notes.txt")
        try #require(fixture.run("gateway", "pair", "attic").status == 0)
        let several = try #require(failure(nil, fixture))
        #expect(several.message == "several gateways are paired with this folder: attic, basement")
        #expect(several.hint == "Name one, as in gateway://attic@HOST:PORT.")
        let found = try GatewayCredentials.find("attic", in: context(fixture))
        #expect(found.name == "attic" && found.context.role == .client)
        let unknown = try #require(failure("cellar", fixture))
        #expect(unknown.message == "there is no pairing with a gateway cellar")
        #expect(unknown.hint?.hasPrefix("There are: attic, basement. ") == true)
        #expect(failure("../basement", fixture)?.status == .usage)
    }

    @Test("a colleague's file works in the place that pair has named")
    func colleague() throws {
        let office = try CommandFixture()
        try #require(office.run("init").status == 0)
        try #require(office.run("gateway", "pair", "basement").status == 0)
        try #require(
            office.run("gateway", "pair", "basement", "--client", "ann", "--out", "ann.client.pem").status == 0
        )
        let ann = try CommandFixture()
        let pem = String(decoding: try #require(office.read("ann.client.pem")), as: UTF8.self)
        try ann.writePrivate(pem, to: ".meshplan/gateways/basement/client.pem")
        let found = try GatewayCredentials.find(nil, in: context(ann))
        #expect(found.context.certificate.name == "ann")
        let refused = ann.run("gateway", "pair", "basement", "--client", "bob")
        #expect(refused.status == 1 && refused.error.contains("Somebody else has made this pairing"))
        #expect(ann.run("gateway", "pair", "basement").status == 1)
    }

    @Test("a file that others can read, of the wrong kind, broken or over is not used")
    func unusable() throws {
        let fixture = try CommandFixture()
        try #require(fixture.run("init").status == 0)
        try #require(fixture.run("gateway", "pair", "basement").status == 0)
        let folder = ".meshplan/gateways/basement"
        let whole = try #require(fixture.read("\(folder)/client.pem"))
        let path = fixture.folder.appendingPathComponent("\(folder)/client.pem").path
        try FileManager.default.setAttributes([.posixPermissions: 0o604], ofItemAtPath: path)
        #expect(failure(nil, fixture)?.hint?.hasPrefix("chmod 600 \(folder)/client.pem") == true)

        let gateway = try #require(fixture.read("\(folder)/basement.gateway.pem"))
        try fixture.writePrivate(String(decoding: gateway, as: UTF8.self), to: "\(folder)/client.pem")
        #expect(failure(nil, fixture)?.message == "\(folder)/client.pem: the file is for a gateway, not for a client")
        try fixture.writePrivate(String(decoding: whole.dropLast(60), as: UTF8.self), to: "\(folder)/client.pem")
        #expect(failure(nil, fixture)?.message.contains("damaged or cut off") == true)

        try fixture.writePrivate(String(decoding: whole, as: UTF8.self), to: "\(folder)/client.pem")
        #expect(failure(nil, fixture) == nil)
        fixture.now.rawValue += 3_651 * 86_400
        #expect(failure(nil, fixture)?.message.contains("client.pem: the certificate was valid until 2036-") == true)
    }

    @Test("a gateway is told when its certificate ends soon, a client not on each run")
    func endsSoon() throws {
        let fixture = try CommandFixture()
        try #require(fixture.run("init").status == 0)
        try #require(fixture.run("gateway", "pair", "basement", "--days", "61").status == 0)
        var told = ""
        let context = context(fixture) { told += $0 }
        let path = ".meshplan/gateways/basement/basement.gateway.pem"
        _ = try GatewayPairing.identity(path, role: .server, in: context)
        #expect(told.isEmpty)
        fixture.now.rawValue += 2 * 86_400
        _ = try GatewayPairing.identity(path, role: .server, in: context)
        #expect(told.contains("is valid until 2027-01-18T11:06:40Z, for 59 more days"), "\(told)")
        told = ""
        _ = try GatewayCredentials.find(nil, in: context)
        #expect(told.isEmpty)
    }

    @Test("what --certificate names is read with the same care")
    func certificate() throws {
        let fixture = try CommandFixture()
        try #require(fixture.run("init").status == 0)
        try #require(fixture.run("gateway", "pair", "basement", "--out", "basement.gateway.pem").status == 0)
        let context = context(fixture)
        let identity = try GatewayPairing.identity("basement.gateway.pem", role: .server, in: context)
        #expect(identity.certificate.name == "basement")
        #expect(throws: Failure.self) {
            try GatewayPairing.identity(".meshplan/gateways/basement/client.pem", role: .server, in: context)
        }
        #expect(throws: Failure.self) { try GatewayPairing.identity("none.pem", role: .server, in: context) }
    }
}
