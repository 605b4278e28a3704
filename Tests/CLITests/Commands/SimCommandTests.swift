import Bearers
import DefinitionModel
import Foundation
import MeshCore
import Synchronization
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan sim")
struct SimCommandTests {
    @Test("an apply over a Unix socket does what one in the process does, and both share the nodes' state")
    func overSocket() throws {
        let fixture = try CommandFixture.house()
        let simulator = SimulatorThread(beside: fixture, ["--listen", "unix:mesh.sock", "--speed", "20"])
        try waitForSocket("mesh.sock", in: fixture)
        let apply = fixture.run("apply", "--via", "unix:mesh.sock", "--auto-approve")
        #expect(apply.status == 0 && apply.output.contains("Apply complete."))
        let busy = fixture.run("apply", "house.yaml", "--via", "simulator", "--auto-approve", "--listen", "0")
        #expect(busy.status == 0, "nothing is left to do, so the simulator's state is not needed")
        #expect(fixture.run("sim", "reset").status == 6)
        let result = try #require(simulator.stop())
        #expect(result.status == 0 && result.output == "listening on unix:mesh.sock\n" && result.error.isEmpty)
        #expect(fixture.run("sim", "status").output == "8 simulated nodes.\nAll agree with the mesh database.\n")
        #expect(fixture.run("plan", "--detailed-exitcode").status == 0)
    }

    @Test("whoever types without end does not keep it from its clients")
    func endlessInput() throws {
        let fixture = try CommandFixture.house()
        let simulator = SimulatorThread(
            beside: fixture,
            ["--listen", "unix:mesh.sock", "--speed", "20"],
            nextLine: { "wave" }
        )
        try waitForSocket("mesh.sock", in: fixture)
        #expect(fixture.run("apply", "--via", "unix:mesh.sock", "--auto-approve").status == 0)
        #expect(try #require(simulator.stop()).error.contains("there is no command `wave`; see help\n"))
    }

    @Test("packets that are no Proxy PDUs do not disturb it, and it breaks no rule")
    func hostileClient() throws {
        let fixture = try CommandFixture.house()
        let simulator = SimulatorThread(beside: fixture, ["--listen", "unix:mesh.sock", "--speed", "20"])
        try waitForSocket("mesh.sock", in: fixture)
        let path = fixture.folder.appendingPathComponent("mesh.sock").path
        let bearer = SocketBearer(address: .unix(path: path))
        let link = try bearer.connect(to: .anyProxy)
        while true {
            if case .opened(link, _, _)? = try bearer.next(until: bearer.now.advanced(by: .seconds(10))) { break }
        }
        for length in 1...200 { try bearer.send((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37) }, on: link) }
        let apply = fixture.run("apply", "--via", "unix:mesh.sock", "--auto-approve")
        #expect(apply.status == 0)
        #expect(simulator.stop()?.status == 0)
    }

    @Test("a client hears the proxies, has links to several nodes over one connection, and learns why one fails")
    func scanningAndManyLinks() throws {
        let fixture = try CommandFixture.house()
        let simulator = SimulatorThread(beside: fixture, ["--listen", "unix:mesh.sock", "--speed", "20"])
        try waitForSocket("mesh.sock", in: fixture)
        let path = fixture.folder.appendingPathComponent("mesh.sock").path
        let bearer = SocketBearer(address: .unix(path: path))
        try bearer.scan(true)
        #expect(bearer.maximumLinks == 4)
        let deadline = bearer.now.advanced(by: .seconds(20))
        var found: [AdvertiserIdentifier] = []
        while found.isEmpty, bearer.now < deadline {
            guard case .heard(let advertisement)? = try bearer.next(until: deadline) else { continue }
            found.append(advertisement.advertiser)
        }
        try bearer.scan(false)
        let advertiser = try #require(found.first)
        let links = [
            try bearer.connect(to: .proxy(advertiser)), try bearer.connect(to: .anyProxy),
            try bearer.connect(to: .provisioning(AdvertiserIdentifier(rawValue: [1]))),
        ]
        var beacons: Set<LinkIdentifier> = []
        var closed: [LinkIdentifier] = []
        while beacons.count + closed.count < 3, bearer.now < deadline {
            switch try bearer.next(until: deadline) {
            case .received(let link, let packet):
                if packet.first == 0x01 { beacons.insert(link) }
            case .closed(let link, _): closed.append(link)
            default: continue
            }
        }
        #expect(beacons == Set(links.prefix(2)) && closed == [links[2]])
        #expect(simulator.stop()?.status == 0)
    }

    @Test("devices alone can be simulated, without any database, and are reached over the socket")
    func devicesAlone() throws {
        let fixture = try CommandFixture()
        try fixture.copy("devices.yaml", to: "sim/devices.yaml")
        let missing = fixture.run("sim", "--devices", "sim/devices.yaml", "--listen", "unix:d.sock")
        #expect(missing.status == 64 && missing.error.contains("--state-file FILE"))
        let simulator = SimulatorThread(
            beside: fixture,
            ["--devices", "sim/devices.yaml", "--state-file", "d.state", "--listen", "unix:d.sock", "--speed", "20"]
        )
        try waitForSocket("d.sock", in: fixture)
        let scan = fixture.run("scan", "--via", "unix:d.sock", "--time", "1s")
        #expect(scan.status == 0 && scan.output.hasPrefix("Unprovisioned devices (4)\n"))
        let identify = fixture.run(
            "identify",
            "0d5c5a0e6f5b4f0ea1a50b1f1c1f0003",
            "--via",
            "unix:d.sock",
            "--time",
            "1s"
        )
        #expect(identify.status == 0 && identify.output.contains("input by pushing a button"))
        let result = try #require(simulator.stop())
        #expect(result.status == 0 && result.error == "Added /d.state to .gitignore\n", "\(result.error)")
        #expect(result.output.contains("\nswitch-1 draws attention for 1 second\n"))
        let status = fixture.run("sim", "status", "--devices", "sim/devices.yaml", "--state-file", "d.state")
        #expect(status.output.hasPrefix("0 simulated nodes, 4 unprovisioned devices.\n"))
        #expect(fixture.run("sim", "reset", "--state-file", "d.state").output == "Removed d.state.\n")
    }

    @Test("a person beside the simulator presses a switch, and the status tells what is lit afterwards")
    func press() throws {
        let fixture = try CommandFixture.house()
        let simulator = SimulatorThread(
            beside: fixture,
            ["--listen", "unix:mesh.sock", "--speed", "20"],
            typing: [
                "press Door Bell 0 on", "press Door Bell 0 up", "press Bell 0 on", "press Bell 4 on", "sense Bell 1",
                "fault Bell overheat", "battery Bell 5", "sense nobody 1",
            ]
        )
        try waitForSocket("mesh.sock", in: fixture)
        _ = fixture.run("scan", "--via", "unix:mesh.sock", "--time", "1s")
        let result = try #require(simulator.stop())
        #expect(result.status == 0)
        #expect(result.output.contains("\nDoor Bell was pressed: on\n"))
        #expect(result.output.contains("\nBell is on\n"))
        #expect(result.output.contains("\nBell has overheat\n"))
        #expect(
            result.error == """
                `press` takes a node, the number of an element, and on or off
                Bell: there is no switch there
                Bell: the node has no such element
                Bell: there is no sensor there
                Bell: there is no battery there
                there is no device `nobody`

                """
        )
        let status = fixture.run("sim", "status")
        #expect(status.output.hasSuffix("\nLIT\nBell  on\n"))
    }

    @Test("the console switches, resets and tells what it does not understand; its end does not end the simulation")
    func console() throws {
        let fixture = try CommandFixture.house()
        let simulator = SimulatorThread(
            beside: fixture,
            ["--listen", "unix:mesh.sock", "--speed", "20"],
            typing: [
                "help", "off Bedside Light (Mary)", "on Bedside Light (Mary)", "", "off nobody", "input nobody 3",
                "input Bedside Light (Mary) 3", "dance", "off", "reset Bedside Light (Mary)", "status",
            ]
        )
        try waitForSocket("mesh.sock", in: fixture)
        let scan = fixture.run("scan", "--via", "unix:mesh.sock", "--time", "1s")
        #expect(scan.output.contains(", is reset"), "\(scan.output)")
        #expect(scan.error == "Recorded in the database that Bedside Light (Mary) has left the network.\n")
        #expect(fixture.run("scan", "--via", "unix:mesh.sock", "--time", "1s").error.isEmpty, "noted once")
        let result = try #require(simulator.stop())
        #expect(result.status == 0)
        expectSnapshot(result.transcript, "sim-console.txt")
    }

    @Test("reset forgets the nodes' state, so that they are again as the database was imported")
    func reset() throws {
        let fixture = try CommandFixture.house()
        #expect(fixture.run("sim", "reset").output == "There is no simulator state at .meshplan/house.simulator.\n")
        _ = fixture.run("apply", "--via", "simulator", "--auto-approve")
        #expect(fixture.run("sim", "reset").output == "Removed .meshplan/house.simulator.\n")
        #expect(fixture.read(".meshplan/house.simulator") == nil)
    }

    @Test("a state file that is cut off anywhere is read as far as it is whole")
    func cutState() throws {
        let fixture = try CommandFixture.house()
        _ = fixture.run("apply", "--via", "simulator", "--auto-approve")
        let whole = try #require(fixture.read(".meshplan/house.simulator"))
        let file = fixture.folder.appendingPathComponent(".meshplan/house.simulator")
        try Data(whole.dropLast(3)).write(to: file)
        #expect(fixture.run("sim", "status").status == 0)
        #expect(fixture.run("plan", "--detailed-exitcode").status == 0)
        try Data("something else".utf8).write(to: file)
        for command in [["sim", "--listen", "unix:x.sock"], ["sim", "status"], ["scan", "--via", "simulator"]] {
            let foreign = fixture.run(command)
            #expect(foreign.status == 65 && foreign.error.contains("meshplan sim reset"))
            #expect(foreign.error.hasPrefix("Error: .meshplan/house.simulator is not the state of a simulator"))
        }
    }

    @Test("a state file that is damaged in the middle says so, with the way out")
    func damagedState() throws {
        let fixture = try CommandFixture.house()
        _ = fixture.run("apply", "--via", "simulator", "--auto-approve")
        var octets = try #require(fixture.read(".meshplan/house.simulator"))
        octets[octets.count / 2] ^= 0x10
        try Data(octets).write(to: fixture.folder.appendingPathComponent(".meshplan/house.simulator"))
        for command in [["refresh", "--via", "simulator"], ["sim", "status"]] {
            let result = fixture.run(command)
            #expect(result.status == 65)
            #expect(
                result.error.hasPrefix(
                    "Error: .meshplan/house.simulator, the state of the simulator, is damaged at octet "
                )
            )
            #expect(result.error.contains("Start over with: meshplan sim reset."))
        }
        #expect(fixture.run("sim", "reset").status == 0)
        #expect(fixture.run("refresh", "--via", "simulator").status == 0)
    }

    @Test("after a reset, and after the state was deleted, the nodes go on answering")
    func answersAfterReset() throws {
        let fixture = try CommandFixture.house()
        _ = fixture.run("apply", "--via", "simulator", "--auto-approve")
        for _ in 0..<3 {
            #expect(fixture.run("refresh", "--via", "simulator").output.contains("as recorded"))
        }
        let reset = fixture.run("sim", "reset")
        #expect(reset.output.hasPrefix("Removed .meshplan/house.simulator.\n"))
        let refresh = fixture.run("refresh", "--via", "simulator")
        #expect(refresh.status == 0 && refresh.output.contains("as recorded"))
        let begun =
            "There is no simulator state at .meshplan/house.simulator: its nodes restart in the state of the "
        #expect(refresh.error.contains(begun))
        try FileManager.default.removeItem(at: fixture.folder.appendingPathComponent(".meshplan/house.simulator"))
        let again = fixture.run("refresh", "--via", "simulator")
        #expect(again.status == 0 && again.error.contains(begun))
        #expect(!fixture.run("refresh", "--via", "simulator").error.contains(begun))
    }

    @Test("a network that was never heard of begins without a note")
    func firstRun() throws {
        let fixture = try CommandFixture.house()
        #expect(!fixture.run("refresh", "--via", "simulator").error.contains("begin anew"))
    }

    @Test("hops that are asked for later are said not to count, those that count already are not")
    func keptHops() throws {
        let fixture = try CommandFixture.house()
        let plain = ["refresh", "--all", "--via", "simulator"]
        for options in [["--radio", "office"], [], ["--radio", "office"]] {
            let result = fixture.run(plain + options)
            #expect(result.error.contains("Reading 8 nodes back") && !result.error.contains("keeps its nodes"))
        }
        let note = "The simulator keeps its nodes where they were, over 2 hops: "
        let hops = fixture.run(plain + ["--hops", "4"])
        #expect(hops.error.contains(note + "--hops 4 takes effect after meshplan sim reset.\n"))
        let radio = fixture.run(plain + ["--radio", "harsh"])
        #expect(radio.error.contains(note + "the 3 of --radio harsh takes effect after meshplan sim reset.\n"))
        #expect(fixture.run("sim", "reset").status == 0)
        #expect(!fixture.run(plain + ["--hops", "4"]).error.contains("keeps its nodes"))
    }

    @Test(
        "what is for the simulator is refused where there is none",
        arguments: [
            ["--hops", "2"], ["--loss", "0.1"], ["--seed", "3"], ["--off", "mary"], ["--deaf", "mary"],
            ["--fail", "mary=0x00:0x05"], ["--iv-index", "60"], ["--radio", "office"],
        ]
    )
    func withoutSimulator(option: [String]) throws {
        let fixture = try CommandFixture.house()
        for command in [["scan", "--via", "unix:x"], ["apply", "--via", "unix:x"], ["refresh", "--via", "tcp:a:1"]] {
            guard option[0] != "--radio" || command[0] == "scan" else { continue }
            let result = fixture.run(command + option)
            #expect(result.status == 64 && result.output.isEmpty)
            #expect(result.error.contains(" needs --via simulator; a separate simulator process takes it itself."))
        }
        guard option[0] != "--radio" else { return }
        #expect(fixture.run(["keys", "refresh", "home"] + option).status == 64)
    }

    @Test("a loss that cannot be is refused with its range", arguments: ["-1", "1.5", "nan"])
    func loss(share: String) throws {
        let result = try CommandFixture.house().run("refresh", "--via", "simulator", "--loss", share)
        let problem =
            share == "-1" ? "--loss does not take a negative number" : "--loss takes a share from 0 to 1, such as 0.2."
        #expect(result.status == 64 && result.error.contains(problem))
    }

    @Test(
        "a speed at which nodes would give up halfway is refused with the reason",
        arguments: ["0", "-1", "nan", "inf", "20.5", "1000"]
    )
    func speed(factor: String) throws {
        let result = try CommandFixture().run("sim", "--listen", "unix:mesh.sock", "--speed=\(factor)")
        #expect(
            result.status == 64 && result.error.contains("a factor above 0 and up to 20: clients run in real time")
        )
    }

    @Test("an address that cannot be listened at is one clear message")
    func cannotListen() throws {
        let fixture = try CommandFixture.house()
        try fixture.write("x", to: "file.sock")
        let result = fixture.run("sim", "--listen", "unix:file.sock")
        #expect(result.status == 1 && result.error.contains("the file exists and is not a socket"))
    }
}
