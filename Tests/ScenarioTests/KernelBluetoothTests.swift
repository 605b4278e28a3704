import Foundation
import Testing

/// What only the kernel's Bluetooth can be asked for: peers of all kinds, and adapters that cannot be used.
@Suite("Kernel Bluetooth", .enabled(if: KernelRadio.isHere), .serialized, .timeLimit(.minutes(10)))
struct KernelBluetoothTests {
    /// A peer that is otherwise than most, or a controller.
    struct Peer: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// Options of `gatt_server.py`.
        var options: [String]
    }

    static let peers = [
        Peer(testDescription: "UUIDs of 128 bits", options: ["--uuids-128"]),
        Peer(testDescription: "a client of its own, which exchanges the MTU at the same time", options: ["--asks-mtu"]),
        Peer(testDescription: "a peer that answers late, behind its first notification", options: ["--delay", "0.3"]),
        Peer(testDescription: "a controller with extended scanning and connecting", options: ["--extended"]),
        Peer(testDescription: "a controller with one link", options: ["--links", "1"]),
    ]

    /// Nobody scans and nobody is connected.
    private static let rest = "not scanning, 0 links"

    @Test("A node is configured through every kind of peer, and nothing stays behind", arguments: peers)
    func configure(through peer: Peer) async throws {
        let house = try await House.make()
        defer { house.remove() }
        let field = try Field(.kernel, to: house, radio: peer.options)
        let apply = try await field.apply(["--node", "push"])
        #expect(apply.contains("Apply complete."), "\(apply)")
        try await field.adapter?.wait(for: Self.rest)
    }

    @Test("An apply whose proxy ends the connection again and again completes")
    func endedConnections() async throws {
        let house = try await House.make()
        defer { house.remove() }
        let field = try Field(.kernel, to: house, radio: ["--drop-after", "20", "--drops", "2"])
        let apply = try await field.apply()
        let links = apply.components(separatedBy: "Connected through the proxy at ").count - 1
        #expect(links == 3, "\(apply)")
        try await field.expectFinished()
    }

    @Test("What a peer refuses is told in plain words")
    func refusedSubscription() async throws {
        let house = try await House.make()
        defer { house.remove() }
        let field = try Field(.kernel, to: house, radio: ["--error", "0x05"])
        let apply = try await field.meshplan("apply", ["--auto-approve", "--listen", "0", "--node", "push"])
        #expect(apply.status != 0)
        #expect(apply.output.contains("refuses turning notifications on"), "\(apply.output)")
    }

    @Test("A scan that was killed leaves the adapter to those who scan and connect next")
    func killedScan() async throws {
        let house = try await House.make()
        defer { house.remove() }
        let field = try Field(.kernel, to: house)
        let adapter = try #require(field.adapter)
        let killed = try field.start("scan", ["--time", "1m"])
        try await adapter.wait(for: "scanning, 0 links")
        killed.signal(SIGKILL)
        #expect(try killed.finish() == SIGKILL)
        let scan = try await field.meshplan("scan", ["--time", "6s"])
        #expect(scan.status == 0 && scan.output.contains("Home Network"), "\(scan.output)")
        let apply = try await field.apply(["--node", "push"])
        #expect(apply.contains("Apply complete."), "\(apply)")
    }

    @Test("Beside a discovery of bluetoothd", .enabled(if: KernelRadio.isBesideDaemon))
    func besideDiscovery() async throws {
        let house = try await House.make()
        defer { house.remove() }
        let field = try Field(.kernel, to: house)
        let program = URL(filePath: "/usr/bin/bluetoothctl")
        let discovery = try LiveProcess(program, ["--timeout", "60", "scan", "on"], in: house.folder, through: .pipes)
        try discovery.wait(for: "Discovery started")
        let scan = try await field.meshplan("scan", ["--time", "6s"])
        #expect(scan.status == 0 && scan.output.contains("Home Network"), "\(scan.output)")
        let apply = try await field.apply(["--node", "push"])
        #expect(apply.contains("Apply complete."), "\(apply)")
        let doctor = try await house.meshplan(["doctor"])
        #expect(doctor.output.contains("bluetoothd runs"), "\(doctor.output)")
    }

    // MARK: Adapters that cannot be used

    @Test("An adapter that is switched off", .enabled(if: !KernelRadio.isBesideDaemon, "bluetoothd switches it on"))
    func switchedOff() async throws {
        let house = try await House.make()
        defer { house.remove() }
        let field = try Field(.kernel, to: house, radio: ["--off"])
        let adapter = try #require(field.adapter)
        try await expectRefusal("\(adapter.name) is switched off", mending: "power on", by: field)
    }

    @Test("An adapter that rfkill blocks")
    func blocked() async throws {
        let house = try await House.make()
        defer { house.remove() }
        let field = try Field(.kernel, to: house)
        let adapter = try #require(field.adapter)
        try adapter.block(true)
        defer { try? adapter.block(false) }
        try await expectRefusal("\(adapter.name) is blocked", mending: "rfkill unblock bluetooth", by: field)
    }

    @Test("An adapter that is pulled out while it is used")
    func pulledOut() async throws {
        let house = try await House.make()
        defer { house.remove() }
        let field = try Field(.kernel, to: house)
        let apply = try field.start("apply", ["--auto-approve", "--listen", "0"])
        try apply.wait(for: "Connected through the proxy at ")
        field.adapter?.remove()
        #expect(try apply.finish() != 0)
        #expect(apply.transcript.contains("is gone"), "\(apply.transcript)")
        #expect(apply.transcript.contains("Next: "), "\(apply.transcript)")
    }

    @Test("An adapter that is not there")
    func missing() async throws {
        let house = try await House.make()
        defer { house.remove() }
        let scan = try await house.meshplan(["scan", "--via", "gatt"])
        #expect(scan.status != 0 && scan.output.contains("no Bluetooth adapter"), "\(scan.output)")
        let field = try Field(.kernel, to: house)
        let other = try await house.meshplan(["scan", "--via", "gatt", "--adapter", "hci41"])
        #expect(other.status != 0 && other.output.contains("no Bluetooth adapter hci41"), "\(other.output)")
        #expect(other.output.contains(try #require(field.adapter).name), "\(other.output)")
    }

    @Test("A user without rights, and one with just the capability that is asked for")
    func withoutRights() async throws {
        let house = try await House.make()
        defer { house.remove() }
        let field = try Field(.kernel, to: house)
        let user = "65534"
        _ = try await house.run(URL(filePath: "/bin/chown"), ["-R", user, house.folder.path])
        func asUser(_ capabilities: String, _ arguments: [String]) async throws -> (status: Int32, output: String) {
            let rights = ["--inh-caps", capabilities, "--ambient-caps", capabilities, "--bounding-set", capabilities]
            return try await house.run(
                URL(filePath: "/usr/bin/setpriv"),
                ["--reuid", user, "--clear-groups"] + rights + [House.meshplan.path] + arguments
            )
        }
        let scan = ["scan", "--time", "4s"] + field.via
        let refused = try await asUser("-all", scan)
        #expect(refused.status != 0 && refused.output.contains("sudo setcap cap_net_raw+ep"), "\(refused.output)")
        let doctor = try await asUser("-all", ["doctor"])
        #expect(doctor.output.contains("sudo setcap cap_net_raw+ep"), "\(doctor.output)")
        let allowed = try await asUser("-all,+net_raw", scan)
        #expect(allowed.status == 0 && allowed.output.contains("Home Network"), "\(allowed.output)")
    }

    /// Commands that need the radio, and the doctor, say what is wrong and what mends it.
    private func expectRefusal(
        _ problem: String,
        mending: String,
        by field: Field,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for output in try await [
            field.meshplan("scan", ["--time", "4s"]).output, field.house.meshplan(["doctor"]).output,
        ] {
            #expect(output.contains(problem), "\(output)", sourceLocation: sourceLocation)
            #expect(output.contains(mending), "\(output)", sourceLocation: sourceLocation)
        }
    }
}
