import Foundation
import Testing

/// Tests applies over gateways in separate processes, in front of the process simulator.
@Suite("Gateways", .timeLimit(.minutes(45)))
struct GatewayTests {
    /// A simulated house, and gateways to it.
    private final class Site {
        let house: House
        let simulator: LiveProcess

        /// - Parameter radio: options of the radio; by default it loses packets, so that an apply lasts long enough to
        ///   be disturbed.
        init(radio: [String] = ["--hops", "2", "--loss", "0.1"]) async throws {
            house = try await House.make()
            simulator = try LiveProcess(
                House.meshplan,
                ["sim", "run", "--listen", "unix:sim.sock", "--speed", "2"] + radio,
                in: house.folder,
                through: .pipes
            )
            try simulator.wait(for: "listening on")
        }

        deinit {
            house.remove()
        }

        func start(_ arguments: [String]) throws -> LiveProcess {
            try LiveProcess(House.meshplan, arguments, in: house.folder, through: .pipes)
        }

        /// Starts a gateway, and returns the address to reach it.
        func gateway(at address: String, _ more: [String] = []) throws -> (process: LiveProcess, address: String) {
            let gateway = try start(["gateway", "--listen", address, "--via", "unix:sim.sock"] + more)
            try gateway.wait(for: "listening on ")
            return (gateway, try gateway.wait(for: ",").replacing(",", with: ""))
        }

        /// Starts an apply, and waits until it has reached the first nodes.
        func applyBegun(_ vias: [String]) throws -> LiveProcess {
            let arguments = ["apply", "--auto-approve", "--listen", "1s"] + vias.flatMap { ["--via", $0] }
            let apply = try start(arguments)
            try apply.wait(for: "done (")
            return apply
        }

        /// Ends the simulator, which reports broken rules, and compares its nodes with the database.
        func expectComplete() async throws {
            let plan = try await house.meshplan(["plan", "--detailed-exitcode"])
            #expect(plan.status == 0, "\(plan.output)")
            simulator.interrupt()
            #expect(try simulator.finish() == 0, "\(simulator.transcript)")
            let status = try await house.meshplan(["sim", "status"])
            #expect(status.output.contains("All agree with the mesh database."), "\(status.output)")
        }
    }

    @Test(
        "A gateway that is killed, or stopped, in the middle leaves its nodes to the other, and the apply completes",
        arguments: [SIGKILL, SIGSTOP]
    )
    func oneOfTwo(signal: Int32) async throws {
        let site = try await Site()
        let first = try site.gateway(at: "tcp:127.0.0.1:0")
        let second = try site.gateway(at: "unix:second.sock")
        let apply = try site.applyBegun([first.address, second.address])
        let isFirst = try first.process.hasWritten("is open")
        #expect(try second.process.hasWritten("is open") != isFirst, "the same proxy is not connected to twice")
        let (victim, survivor) = isFirst ? (first, second) : (second, first)
        victim.process.signal(signal)
        #expect(try apply.finish() == 0, "\(apply.transcript)")
        #expect(apply.transcript.contains("\(victim.address)"), "\(apply.transcript)")
        #expect(apply.transcript.contains("Apply complete."), "\(apply.transcript)")
        #expect(try survivor.process.hasWritten("is open"), "\(survivor.process.transcript)")
        if signal == SIGSTOP {
            #expect(apply.transcript.contains("has not answered for 15 s"), "\(apply.transcript)")
            victim.process.signal(SIGCONT)
        }
        try await site.expectComplete()
    }

    @Test("With one gateway the nodes become pending when it is killed, and the same apply goes on once it is back")
    func onlyOne() async throws {
        let site = try await Site()
        let gateway = try site.gateway(at: "unix:gateway.sock")
        let apply = try site.applyBegun([gateway.address])
        gateway.process.signal(SIGKILL)
        #expect(try apply.finish() == 4, "\(apply.transcript)")
        #expect(apply.transcript.contains("cannot connect to unix:"), "\(apply.transcript)")
        #expect(apply.transcript.contains("Next: meshplan apply"), "\(apply.transcript)")
        let again = try site.gateway(at: "unix:gateway.sock")
        let rest = try await site.house.meshplan(["apply", "--auto-approve", "--via", again.address])
        #expect(rest.status == 0, "\(rest.output)")
        try await site.expectComplete()
    }

    @Test("A gateway that is started again in the middle is waited for")
    func restarted() async throws {
        let site = try await Site()
        let gateway = try site.gateway(at: "unix:gateway.sock")
        let apply = try site.applyBegun([gateway.address])
        gateway.process.interrupt()
        #expect(try gateway.process.finish() == 0)
        #expect(gateway.process.transcript.hasSuffix("stopped\n"), "\(gateway.process.transcript)")
        try apply.wait(for: "the gateway was stopped")
        let again = try site.gateway(at: "unix:gateway.sock")
        #expect(try apply.finish() == 0, "\(apply.transcript)")
        #expect(try again.process.hasWritten("is open"), "\(again.process.transcript)")
        try await site.expectComplete()
    }

    @Test("A client that vanishes gives its links back at once; one that is stopped does so in time, and goes on later")
    func clients() async throws {
        let site = try await Site()
        let gateway = try site.gateway(at: "unix:gateway.sock", ["--connections", "1"])
        let killed = try site.applyBegun([gateway.address])
        killed.signal(SIGKILL)
        try gateway.process.wait(for: "is closed")
        try gateway.process.wait(for: "left: the other side closed the connection")
        // There is only one link, and it is free again.
        let stopped = try site.applyBegun([gateway.address])
        stopped.signal(SIGSTOP)
        try gateway.process.wait(for: "left: the other side has not answered for 15 s")
        stopped.signal(SIGCONT)
        #expect(try stopped.finish() == 0, "\(stopped.transcript)")
        try await site.expectComplete()
    }

    @Test("Two applies cannot be had at once, but a scan beside an apply can; links are limited for each and for all")
    func several() async throws {
        let site = try await Site()
        let gateway = try site.gateway(at: "unix:gateway.sock", ["--connections", "3", "--client-connections", "2"])
        #expect(gateway.process.transcript.contains("3 links"), "\(gateway.process.transcript)")
        let apply = try site.applyBegun([gateway.address])
        let scan = try await site.house.meshplan(["scan", "--time", "2s", "--via", gateway.address])
        #expect(scan.status == 0 && scan.output.contains("Proxies (1)"), "\(scan.output)")
        #expect(try apply.finish() == 0, "\(apply.transcript)")
        try await site.expectComplete()
    }

    @Test("Over TLS an apply works by a pairing alone; others are turned away with the reason on both sides")
    func secured() async throws {
        let site = try await Site(radio: [])
        for name in ["basement", "attic"] {
            let pairing = try await site.house.meshplan(["gateway", "pair", name])
            #expect(pairing.status == 0, "\(pairing.output)")
        }
        let certificate = ["--certificate", ".meshplan/gateways/basement/basement.gateway.pem"]
        let secured = try site.gateway(at: "tcp:0.0.0.0:0", certificate)
        let port = secured.address.split(separator: ":").last.map(String.init) ?? ""
        let plain = try site.gateway(at: "tcp:127.0.0.1:0")
        let plainPort = plain.address.split(separator: ":").last.map(String.init) ?? ""
        func scan(_ via: String) async throws -> (status: Int32, output: String) {
            try await site.house.meshplan(["scan", "--time", "1s", "--via", via])
        }

        let unsecured = try await scan("tcp:127.0.0.1:\(port)")
        #expect(unsecured.status == 1)
        #expect(unsecured.output.contains("this gateway accepts only TLS connections"), "\(unsecured.output)")
        try secured.process.wait(for: ": the client does not speak TLS")
        let foreign = try await scan("gateway://attic@127.0.0.1:\(port)")
        #expect(foreign.status == 1)
        #expect(foreign.output.contains("is of another pairing"), "\(foreign.output)")
        try secured.process.wait(for: ": the client does not know the authority")
        let reverse = try await scan("gateway://basement@127.0.0.1:\(plainPort)")
        #expect(reverse.status == 1)
        #expect(reverse.output.contains("the gateway does not speak TLS"), "\(reverse.output)")
        try plain.process.wait(for: ": the other side sent the beginning of TLS")

        let via = ["--via", "gateway://basement@127.0.0.1:\(port)"]
        let apply = try await site.house.meshplan(["apply", "--auto-approve"] + via)
        #expect(apply.status == 0, "\(apply.output)")
        // A machine that is busy may be late with an answer, so that a request is sent again; nothing else is sent.
        let figures = try #require(
            apply.output.firstMatch(of: #/Applied 25 steps\. ([0-9]+) messages(?:, ([0-9]+) retr(?:y|ies))?,/#),
            "\(apply.output)"
        )
        #expect(Int(figures.1) == 26 + (figures.2.flatMap { Int($0) } ?? 0), "\(apply.output)")
        try await site.expectComplete()
        let open = try await site.house.meshplan(["gateway", "--listen", "tcp:0.0.0.0:0", "--via", "unix:sim.sock"])
        #expect(open.status == 5 && open.output.contains("can be reached by other machines"), "\(open.output)")
    }
}
