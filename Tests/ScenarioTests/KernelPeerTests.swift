import Foundation
import Testing

/// Tests peers of all kinds, which need the kernel's Bluetooth.
@Suite("Kernel peers", .enabled(if: KernelRadio.isHere), .serialized, .timeLimit(.minutes(45)))
struct KernelPeerTests {
    /// An unusual peer or controller.
    struct Peer: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// Options of `gatt_server.py`.
        var options: [String]
        /// The number of connections needed: after one that ends early, another follows.
        var connections = 1
    }

    static let peers = [
        Peer(testDescription: "UUIDs of 128 bits", options: ["--uuids-128"]),
        Peer(testDescription: "a client of its own, which exchanges the MTU at the same time", options: ["--asks-mtu"]),
        Peer(testDescription: "a peer that answers late, behind its first notification", options: ["--delay", "0.3"]),
        Peer(testDescription: "a peer that notifies what nobody has asked for", options: ["--flood", "20"]),
        // Ends at discovery, not at the first request, the exchange of the MTU: a bug of Linux 6.1.192 kills the
        // process there.
        Peer(
            testDescription: "a peer that ends the connection instead of telling its services",
            options: ["--end-at", "discovery", "--times", "1"],
            connections: 2
        ),
        Peer(
            testDescription: "a peer whose other services change",
            options: ["--changed", "0x0001-0x0005", "--times", "1"]
        ),
        Peer(
            testDescription: "a peer whose services all change",
            options: ["--changed", "0x0001-0xFFFF", "--times", "1"],
            connections: 2
        ),
        Peer(testDescription: "a private address", options: ["--private", "600"]),
        Peer(testDescription: "a controller with extended scanning and connecting", options: ["--extended"]),
        Peer(testDescription: "a controller with one link", options: ["--links", "1"]),
    ]

    /// The adapter is idle: no scan and no connection.
    private static let rest = "not scanning, 0 links"

    /// One house serves all peers, because only the way to it differs.
    @Test("A node is asked through every kind of peer, and nothing stays behind")
    func everyKind() async throws {
        let house = try await House.make()
        defer { house.remove() }
        let field = try Field(.kernel, to: house)
        field.adapter?.remove()
        for peer in Self.peers {
            let simulator = house.folder.appending(path: "s")
            let adapter = try VirtualAdapter(simulator: simulator, options: peer.options)
            let refresh = try await house.meshplan(
                ["refresh", "--node", "push", "--via", "gatt", "--adapter", adapter.name, "--json"]
            )
            #expect(refresh.status == 0, "\(peer.testDescription): \(refresh.output)")
            try expectStages(in: refresh.output)
            #expect(adapter.connections == peer.connections, "\(peer.testDescription): \(refresh.output)")
            try await adapter.wait(for: Self.rest)
            adapter.remove()
        }
    }

    /// Expects that every successful link reported the duration of each stage, and that these add up to the whole.
    private func expectStages(in output: String) throws {
        let links = output.split(separator: "\n").filter { $0.hasPrefix(#"{"type":"link_up""#) }
        #expect(!links.isEmpty, "\(output)")
        for line in links {
            let link = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let stages = try #require(link["gatt"] as? [String: Int], "\(line)")
            #expect(
                Set(stages.keys) == ["wait_ms", "connect_ms", "mtu_ms", "discover_ms", "subscribe_ms"],
                "\(line)"
            )
            let whole = try #require(link["connect_ms"] as? Int, "\(line)")
            // Each duration is rounded down, and the end of the last stage is noticed a moment later, especially in an
            // emulated guest.
            let sum = stages.values.reduce(0, +)
            #expect(sum > 0 && sum <= whole && whole - sum < 1_000, "\(line)")
            print("Stages of the link: \(line)")
        }
    }

    @Test("An apply whose proxy ends the connection again and again, and has a new address each time, completes")
    func endedConnections() async throws {
        let house = try await House.make()
        defer { house.remove() }
        let field = try Field(.kernel, to: house, radio: ["--drop-after", "20", "--times", "2", "--private", "600"])
        let apply = try await field.apply()
        let links = apply.components(separatedBy: "Connected through ").count - 1
        #expect(links == 3, "\(apply)")
        // Nobody was called at a former address, which would take time.
        #expect(!apply.contains("does not answer within"), "\(apply)")
        try await field.expectFinished()
    }

    @Test("A proxy that does not answer any more is left, and the next try completes")
    func hangingPeer() async throws {
        let house = try await House.make()
        defer { house.remove() }
        let field = try Field(.kernel, to: house, radio: ["--hang-at", "discovery", "--times", "1"])
        let apply = try await field.apply(["--node", "push"])
        #expect(apply.contains("has not answered within 10 s"), "\(apply)")
        #expect(apply.contains("Apply complete."), "\(apply)")
        try await field.adapter?.wait(for: Self.rest)
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
}
