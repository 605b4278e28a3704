import Bearers
import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("The command line")
struct CommandLineTests {
    @Test("help shows the commands in groups")
    func help() throws {
        let fixture = try CommandFixture()
        let result = fixture.run("--help")
        expectSnapshot(result.transcript, "help.txt")
        #expect(fixture.run().output == result.output)
    }

    @Test(
        "a wrong command line ends with 64 and says what is wrong on standard error",
        arguments: [
            ["plam"], ["plan", "--nope"], ["plan", "--out"], ["show", "a", "b"], ["import"], ["sim"],
            ["sim", "--listen", "nowhere"], ["sim", "--listen", "unix:x", "--radio", "cosy"],
            ["apply", "--via", "simulator", "--radio", "cosy"],
            ["sim", "--listen", "unix:x", "--loss", "2"], ["sim", "--listen", "unix:x", "--fail", "a=b"],
            ["apply", "--via", "pigeon"], ["apply", "--via", "simulator", "--ttl", "1"],
            ["apply", "--via", "simulator", "--via", "unix:x"], ["apply", "--via", "unix:x", "--via", "unix:x"],
            ["keys", "refresh", "home", "--via", "unix:x", "--via", "simulator"], ["scan", "--via", "gateway://"],
            ["scan", "--via", "gateway://basement:port"], ["plan", "--refresh", "all"],
            ["gateway", "--via", "unix:y"], ["gateway", "--listen", "unix:x", "--via", "unix:y", "--adapter", "hci0"],
            ["gateway", "--listen", "unix:x", "--via", "simulator"],
            ["gateway", "--listen", "nowhere", "--via", "unix:y"],
            ["gateway", "--listen", "unix:x", "--via", "unix:y", "--connections", "0"],
            ["gateway", "--listen", "unix:x", "--via", "unix:y", "--deny", String(repeating: "a", count: 64)],
            ["gateway", "--listen", "unix:x", "--via", "unix:y", "--certificate", "f.pem", "--deny", "aa"],
        ]
    )
    func usage(arguments: [String]) throws {
        let result = try CommandFixture().run(arguments)
        #expect(result.status == 64)
        #expect(result.output.isEmpty && result.error.hasPrefix("Error: "))
    }

    @Test("several ways to the mesh are all repeated where a command is to be typed")
    func repeatedVia() {
        #expect(
            MeshRoute.options(["unix:a b.sock", "gateway://basement@10.0.0.7"])
                == " --via 'unix:a b.sock' --via gateway://basement@10.0.0.7"
        )
    }

    @Test(
        "the ways to the mesh are told apart",
        arguments: [
            ("simulator", BearerChoice.simulator), ("unix:a", .socket(.unix(path: "a"))),
            ("tcp:[::1]:7", .socket(.tcp(host: "::1", port: 7))),
            ("gateway://pi", .gateway(pairing: nil, .tcp(host: "pi", port: 7447))),
            ("gateway://basement@pi:80", .gateway(pairing: "basement", .tcp(host: "pi", port: 80))),
            ("gateway://[fe80::1]", .gateway(pairing: nil, .tcp(host: "fe80::1", port: 7447))),
        ]
    )
    func bearerChoices(text: String, choice: BearerChoice) throws {
        #expect(try BearerChoice(text) == choice)
    }

    @Test("a reader that is gone is no error, a full disk is")
    func outputErrors() throws {
        let fixture = try CommandFixture()
        fixture.outputError = .closed
        let gone = fixture.run("--version")
        #expect(gone.status == 0 && gone.error.isEmpty)
        fixture.outputError = .failed("No space left on device")
        let full = fixture.run("--version")
        #expect(full.status == 1)
        #expect(full.error == "Error: cannot write to standard output: No space left on device\n")
    }
}
