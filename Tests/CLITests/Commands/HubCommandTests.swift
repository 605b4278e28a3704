import Bearers
import DefinitionModel
import Foundation
import MeshCore
import Synchronization
import SystemLayer
import TestSupport
import Testing

import let Basics.programVersion

@testable import MeshplanCLI

@Suite("meshplan hub, and gateways that dial it")
struct HubCommandTests {
    /// A command in a thread of its own, in the role of a process, until it is stopped.
    private final class Running: @unchecked Sendable {
        private let fixture: CommandFixture
        private let isStopped = Atomic<Bool>(false)
        private let finished = DispatchSemaphore(value: 0)
        private var result: CommandFixture.Result?
        private let printed = Mutex("")

        /// What it has written so far.
        var text: String { printed.withLock { $0 } }

        init(beside other: CommandFixture, _ arguments: [String]) {
            fixture = CommandFixture(sharing: other)
            fixture.interruptCount = { [unowned self] in isStopped.load(ordering: .acquiring) ? 1 : 0 }
            fixture.onText = { [unowned self] text in printed.withLock { $0 += text } }
            Thread { [self] in
                result = fixture.run(arguments)
                finished.signal()
            }.start()
        }

        /// Interrupts the command, which looks at that at its next event at the latest, and waits for its end.
        func stop() throws -> CommandFixture.Result {
            isStopped.store(true, ordering: .releasing)
            try #require(finished.wait(timeout: .now() + 70) == .success)
            return try #require(result)
        }
    }

    private func office() throws -> CommandFixture {
        let fixture = try CommandFixture()
        try #require(fixture.run("init").status == 0)
        return fixture
    }

    private func masked(_ result: CommandFixture.Result) -> String {
        result.transcript.replacing(#/[0-9a-f]{64}/#, with: "(fingerprint)")
    }

    @Test("makes the files of a hub and of its gateways, and says what to do with each")
    func pair() throws {
        let fixture = try office()
        expectSnapshot(masked(fixture.run("hub", "pair", "office")), "hub-pair.txt")
        expectSnapshot(masked(fixture.run("hub", "pair", "office", "--gateway", "basement")), "hub-pair-gateway.txt")
        #expect(try fixture.mode(".meshplan/gateways/office/basement.client.pem") == 0o600)
    }

    @Test(
        "options that make no sense are refused with a reason",
        arguments: [
            ("gateway", "One of --listen and --dial is needed."), ("gateway --dial h", "--dial needs --certificate."),
            ("gateway --listen unix:a --name b", "--name needs --dial."),
            (
                "gateway --dial h:x --certificate f",
                "`h:x` is not an address: the port is not a number from 0 to 65535."
            ),
            ("gateway --dial h --certificate f --certificate g", "--certificate is repeated only"),
            ("gateway --dial h --certificate f --name a..b", "`a..b` cannot be the name of a gateway."),
            ("hub --listen h --certificate f", "`h` is not an address: it must begin with unix: or tcp:."),
            ("hub --listen unix:a --serve unix:a --certificate f", "--listen and --serve need different addresses."),
            ("hub --listen unix:a --certificate f --deny x", "`x` is not a fingerprint (64 hexadecimal digits)."),
            ("hub --listen unix:a --certificate f --gateways 0", "--gateways takes 1 to 8192."),
            ("hub --listen unix:a --certificate f --metrics x", "`x` is not an address"),
            ("scan --via hub://", "after hub:// comes the name of a gateway"),
            ("scan --via hub://a@unix:", "`hub://a@unix:` is not an address: the path is missing"),
        ]
    )
    func options(line: String, message: String) throws {
        let result = try CommandFixture().run(line.split(separator: " ").map(String.init))
        #expect(result.status == 64 && result.error.contains(message), "\(result.error)")
    }

    @Test("a hub serves clients at addresses of its machine only")
    func remote() throws {
        let fixture = try office()
        let hub = fixture.run("hub", "--listen", "unix:g", "--serve", "tcp:0.0.0.0:0", "--certificate", "f")
        #expect(hub.status == 5 && hub.error.contains("which could use the radios of all gateways"), "\(hub.error)")
    }

    @Test("a gateway takes the name of its file only, and each side a file for its role")
    func files() throws {
        let fixture = try office()
        let folder = ".meshplan/gateways/office"
        try #require(fixture.run("hub", "pair", "office").status == 0)
        try #require(fixture.run("hub", "pair", "office", "--gateway", "basement").status == 0)
        let named = fixture.run(
            ["gateway", "--dial", "h", "--name", "roof", "--certificate", "\(folder)/basement.client.pem"]
        )
        #expect(named.status == 64 && named.error.contains("is the file of “basement”"), "\(named.error)")
        let server = fixture.run("gateway", "--dial", "h", "--certificate", "\(folder)/office.gateway.pem")
        #expect(server.status == 1 && server.error.contains("the file is for a gateway, not for a client"))
        let client = fixture.run("hub", "--listen", "unix:g", "--certificate", "\(folder)/basement.client.pem")
        #expect(client.status == 1 && client.error.contains("the file is for a client, not for a gateway"))
        let own = fixture.run("gateway", "--dial", "h", "--certificate", "\(folder)/client.pem")
        #expect(own.status == 1 && own.error.contains("which cannot be the name of a gateway"), "\(own.error)")
        let both = fixture.run(
            ["gateway", "--dial", "h", "--listen", "unix:a", "--certificate", "\(folder)/office.gateway.pem"]
        )
        #expect(both.status == 64 && both.error.contains("none of the files of --certificate is for the hub"))
    }

    @Test("where the hub is comes from the way, a variable or the settings, or is the usual place")
    func places() throws {
        let fixture = try office()
        func completed() throws -> String { try fixture.completed(["hub", "status"]).joined(separator: " ") }
        #expect(try completed() == "hub status")
        let missing = fixture.run("scan", "--via", "hub://basement@unix:nowhere")
        #expect(missing.status == 1 && missing.error.contains("cannot connect to hub://basement@unix:nowhere"))
        try fixture.write("hub: unix:/run/hub.sock\n", to: ".meshplan.yaml")
        #expect(try completed() == "hub status --hub unix:/run/hub.sock")
        #expect(try fixture.completed(["hub", "status", "--hub", "h"]) == ["hub", "status", "--hub", "h"])
        fixture.environment["MESHPLAN_HUB"] = "office:7000"
        #expect(try completed() == "hub status --hub office:7000")
        let name = try #require(HubName("basement"))
        #expect(try BearerChoice("hub://basement") == .hub(name, nil))
        #expect(try BearerChoice("hub://basement@[::1]") == .hub(name, .tcp(host: "::1", port: 7449)))
        #expect(try BearerChoice("hub://basement@unix:x") == .hub(name, .unix(path: "x")))
        fixture.environment["MESHPLAN_HUB"] = "office:x"
        let wrong = fixture.run("hub", "status")
        #expect(wrong.status == 64 && wrong.error.contains("the variable MESHPLAN_HUB"), "\(wrong.error)")
    }

    /// What a hub tells collectors at the address that it has printed.
    private static func metrics(of hub: Running) throws -> String {
        let port = try #require(hub.text.firstMatch(of: #/metrics at tcp:127\.0\.0\.1:([0-9]+)/#)?.1)
        let script = #"exec 3<>/dev/tcp/127.0.0.1/\#(port); printf 'GET /metrics HTTP/1.1\r\n\r\n' >&3; cat <&3"#
        let result = try SpawnedProcess.run(["/bin/bash", "-c", script])
        #expect(result.ending.status == 0)
        return result.output
    }

    @Test("scan, hub status and its JSON through a hub, and what is said if it is not there")
    func whole() throws {
        let fixture = try CommandFixture.house()
        try fixture.write("hub: unix:c.sock\n", to: ".meshplan.yaml")
        let away = fixture.run("scan", "--via", "hub://basement")
        #expect(away.status == 1 && away.error.contains("Is the hub running on this machine"), "\(away.error)")
        let folder = ".meshplan/gateways/office"
        try #require(fixture.run("hub", "pair", "office").status == 0)
        try #require(fixture.run("hub", "pair", "office", "--gateway", "basement").status == 0)
        let simulator = SimulatorThread(beside: fixture, ["--listen", "unix:mesh.sock", "--speed", "20"])
        try waitForSocket("mesh.sock", in: fixture)
        let hub = Running(
            beside: fixture,
            [
                "hub", "--listen", "unix:g.sock", "--serve", "unix:c.sock", "--certificate",
                "\(folder)/office.gateway.pem", "--metrics", "tcp:127.0.0.1:0",
            ]
        )
        let gateway = Running(
            beside: fixture,
            [
                "gateway", "--dial", "unix:g.sock", "--certificate", "\(folder)/basement.client.pem", "--via",
                "unix:mesh.sock",
            ]
        )
        var status = fixture.run("hub", "status")
        let deadline = ContinuousClock.now.advanced(by: .seconds(30))
        while !status.output.contains("0/4"), ContinuousClock.now < deadline {
            status = fixture.run("hub", "status")
        }
        #expect(
            status.output == """
                1 gateway connected; hub since 2026-11-18T11:06:40Z, version \(programVersion)
                NAME      SINCE                 VERSION  CLIENTS  LINKS  FROM
                basement  2026-11-18T11:06:40Z  \(programVersion)          0    0/4  a local process

                """,
            "\(status.output)\(status.error)"
        )
        let scan = fixture.run("scan", "--via", "hub://basement", "--time", "1s")
        #expect(scan.status == 0, "\(scan.error)")
        let metrics = try Self.metrics(of: hub)
        for line in [
            "meshplan_hub_gateways 1", #"meshplan_hub_gateway_links_most{gateway="basement"} 4"#,
            "meshplan_hub_gateways_total 1", "meshplan_hub_clients_total 1", "meshplan_hub_calls_answered_total 1",
            "meshplan_hub_floods_total 0", "meshplan_hub_start_time_seconds 1795000000",
        ] {
            #expect(metrics.split(separator: "\n").contains(line[...]), "\(line): \(metrics)")
        }
        #expect(metrics.contains(#/meshplan_hub_octets_total{direction="received"} [1-9]/#), "\(metrics)")
        let unknown = fixture.run("scan", "--via", "hub://attic", "--time", "1s")
        #expect(unknown.error.contains("no gateway attic is connected to the hub"), "\(unknown.error)")
        #expect(unknown.error.contains("Connected are: basement."))
        let json = fixture.run("hub", "status", "--json")
        let schema = try JSONSchema("meshplan-events.schema.json")
        let lines = try json.output.split(separator: "\n").map { try JSONParser.parse(Array($0.utf8)) }
        for line in lines { #expect(schema.mistakes(in: line).isEmpty, "\(schema.mistakes(in: line))") }
        #expect(lines.map { $0["type"]?.text } == ["version", "hub", "hub_gateway"])
        try fixture.write(
            "version: 1\nnetworks: { house: { folder: ., via: [hub://basement, hub://attic] } }\n",
            to: "fleet.yaml"
        )
        let fleet = fixture.run("fleet", "status")
        #expect(
            fleet.output.hasSuffix(
                """

                Network  Gateway   Connected since       Version  Links
                house    basement  2026-11-18T11:06:40Z  \(programVersion)      0/4
                house    attic     not connected         –            –

                """
            ),
            "\(fleet.combined)"
        )
        let parsed = try fixture.run("fleet", "status", "--json").output.split(separator: "\n")
            .map { try JSONParser.parse(Array($0.utf8)) }
        for line in parsed { #expect(schema.mistakes(in: line).isEmpty, "\(schema.mistakes(in: line))") }
        #expect(parsed.count { $0["type"]?.text == "fleet_gateway" } == 2)
        let served = try hub.stop()
        let came = "basement came from a local process, version \(programVersion) with"
        #expect(served.status == 0 && served.output.contains(came))
        #expect(served.output.contains("client 1 (a local process) uses basement"), "\(served.output)")
        let lost = fixture.run("fleet", "status")
        #expect(lost.output.contains("house    attic     (not known)"), "\(lost.combined)")
        #expect(lost.error.contains("the gateways are not known"), "\(lost.error)")
        let dialled = try gateway.stop()
        #expect(dialled.output.contains("g.sock as basement, 4 links via unix:mesh.sock"))
        #expect(dialled.output.contains("connected to the hub “office”"), "\(dialled.output)")
        #expect(dialled.output.contains("the hub has ended the connection: the hub was stopped"), "\(dialled.output)")
        _ = simulator.stop()
    }
}
