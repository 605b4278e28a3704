import Bearers
import Foundation
import MeshCore
import TLS

/// A hub with hundreds of gateways: its memory and its load while nothing happens, how long a packet takes through it
/// beside a hub with one gateway, also while another client floods, and how long all gateways take to be back after a
/// restart.
///
/// The hub is in this process, alone, so that its memory can be told; the gateways are all in another one.
enum HubBenchmark {
    private static let packetSize = 29
    private static let roundTrips = 1_000
    /// What the hub should stay below.
    private static let memoryLimit = 200.0
    private static let restartLimit = 30.0

    /// Runs it; the first word is the number of gateways.
    ///
    /// - Throws: ``BenchmarkFailure`` if a limit is not kept.
    static func run(_ words: [String]) throws {
        var words = words
        if words.first == "gateways", words.count == 4, let count = Int(words[3]) {
            return try HubGateways.run(at: words[1], authority: words[2], count: count)
        }
        var arguments = BenchmarkArguments("hub [GATEWAYS]", words)
        let count = try arguments.number(or: 500, in: 2...4_096)
        try arguments.end()
        words = []
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "hub-\(ProcessInfo.processInfo.processIdentifier)"
        )
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(at: folder) }
        let pairing = try HubPairing(at: folder.appending(path: "authority.pem"))
        let site = Site(folder: folder, pairing: pairing)

        print("a hub with \(count) gateways; one packet of \(packetSize) octets at a time there and back")
        let alone = try site.measure(count: 1, flooded: false)
        print("with one gateway:      " + alone.text)
        let many = try site.measure(count: count, flooded: false)
        print("with \(count) gateways:    " + many.text)
        let flooded = try site.measure(count: count, flooded: true)
        print("while another floods:  " + flooded.text)
        print(String(format: "all there after the start: %.1f s, after a restart: %.1f s", many.arrival, many.restart))
        print(
            String(
                format:
                    "the hub's memory: %.0f MiB at its peak, %.1f KiB more for each gateway; CPU while idle: %.1f %%",
                flooded.memory,
                (many.memory - alone.memory) * 1024 / Double(count - 1),
                many.idle * 100
            )
        )
        guard flooded.memory <= memoryLimit else { throw BenchmarkFailure("more than \(memoryLimit) MiB") }
        guard many.restart <= restartLimit else { throw BenchmarkFailure("more than \(restartLimit) s for a restart") }
    }

    /// The figures of one run.
    private struct Figures {
        var roundTrips: [Double] = []
        var arrival = 0.0
        var restart = 0.0
        var idle = 0.0
        var memory = 0.0

        var text: String {
            let sorted = roundTrips.sorted()
            let (median, late) = (sorted[sorted.count / 2], sorted[sorted.count * 99 / 100])
            return String(format: "median %7.1f us, 99th percentile %7.1f us", median * 1e6, late * 1e6)
        }
    }

    /// The certificates of a hub, and the file with which gateways get theirs.
    private struct HubPairing {
        let security: ConnectionSecurity
        let path: String

        init(at url: URL) throws {
            let now = Timestamp(rawValue: Int64(Date().timeIntervalSince1970))
            let validity = CertificateAuthority.Validity(from: now, until: Timestamp(rawValue: now.rawValue + 86_400))
            let authority = try CertificateAuthority(name: "benchmark", validity: validity)
            let identity = try TLSIdentity(pem: authority.issue(.server, name: "hub", validity: validity))
            security = ConnectionSecurity(try TLSContext(identity, role: .server, parties: .gatewayAndHub)) {
                Timestamp(rawValue: Int64(Date().timeIntervalSince1970))
            }
            path = url.path
            try Data(try authority.pem()).write(to: url)
        }
    }

    private struct Site {
        let folder: URL
        let pairing: HubPairing

        private var gatewayAddress: SocketAddress { .unix(path: folder.appending(path: "g").path) }
        private var clientAddress: SocketAddress { .unix(path: folder.appending(path: "c").path) }

        private func hub(_ clock: BearerClock) throws -> HubServer {
            // Addresses in TCP would run out of ports in the time that closed ones are kept.
            try HubServer(
                gatewaysAt: gatewayAddress,
                clientsAt: clientAddress,
                security: pairing.security,
                clock: clock
            )
        }

        /// Turns until all gateways are there.
        private func wait(_ hub: HubServer, for count: Int, _ clock: BearerClock) throws -> Double {
            let start = clock.now
            while hub.entries.count < count {
                guard start.duration(to: clock.now) < .seconds(120) else {
                    throw BenchmarkFailure("only \(hub.entries.count) of \(count) gateways are there after two minutes")
                }
                try hub.turn(until: clock.now.advanced(by: .milliseconds(50)))
            }
            return start.duration(to: clock.now) / .seconds(1)
        }

        func measure(count: Int, flooded: Bool) throws -> Figures {
            let clock = BearerClock()
            var figures = Figures()
            var hub = try hub(clock)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
            process.arguments = ["hub", "gateways", folder.appending(path: "g").path, pairing.path, "\(count)"]
            try process.run()
            defer {
                process.terminate()
                process.waitUntilExit()
                hub.close()
            }
            figures.arrival = try wait(hub, for: count, clock)
            let (_, cpu) = try ProcessUsage.measure {
                let end = clock.now.advanced(by: .seconds(3))
                while clock.now < end { try hub.turn(until: end) }
            }
            figures.idle = cpu / 3
            let flood = flooded ? Client(at: clientAddress, of: "gateway-1", floods: true) : nil
            let client = Client(at: clientAddress, of: "gateway-0", floods: false)
            while !client.isOver { try hub.turn(until: clock.now.advanced(by: .milliseconds(50))) }
            flood?.stop()
            while flood?.isOver == false { try hub.turn(until: clock.now.advanced(by: .milliseconds(50))) }
            if let error = client.error { throw error }
            figures.roundTrips = client.times
            hub.close()
            hub = try self.hub(clock)
            figures.restart = try wait(hub, for: count, clock)
            figures.memory = ProcessUsage.peakMebibytes
            return figures
        }
    }

    /// A client in a thread of its own.
    private final class Client: @unchecked Sendable {
        private let lock = NSLock()
        private var state: (isOver: Bool, isStopped: Bool) = (false, false)
        private(set) var times: [Double] = []
        private(set) var error: (any Error)?

        init(at address: SocketAddress, of name: String, floods: Bool) {
            Thread { [self] in
                do {
                    let bearer = SocketBearer(address: address, name: "hub://\(name)", behindHub: HubName(name))
                    try floods ? flood(bearer) : measure(bearer)
                } catch {
                    self.error = error
                }
                lock.withLock { state.isOver = true }
            }.start()
        }

        var isOver: Bool { lock.withLock { state.isOver } }

        func stop() { lock.withLock { state.isStopped = true } }

        private func link(_ bearer: SocketBearer) throws -> LinkIdentifier {
            let link = try bearer.connect(to: .anyProxy)
            guard case .opened(link, _, _)? = try event(bearer) else { throw BearerError("the link did not open") }
            return link
        }

        private func event(_ bearer: SocketBearer) throws -> BearerEvent? {
            let deadline = bearer.now.advanced(by: .seconds(20))
            while bearer.now < deadline { if let event = try bearer.next(until: deadline) { return event } }
            return nil
        }

        private func measure(_ bearer: SocketBearer) throws {
            let link = try link(bearer)
            let packet = [UInt8](repeating: 1, count: HubBenchmark.packetSize)
            for _ in 0..<HubBenchmark.roundTrips {
                let start = ContinuousClock.now
                try bearer.send(packet, on: link)
                guard try event(bearer) == .received(link, packet) else { throw BearerError("a packet is lost") }
                times.append(start.duration(to: .now) / .seconds(1))
            }
        }

        private func flood(_ bearer: SocketBearer) throws {
            let link = try link(bearer)
            let packet = [UInt8](repeating: 2, count: 512)
            while !lock.withLock({ state.isStopped }) {
                if bearer.backlog(of: link) < 64 * 1024 { try bearer.send(packet, on: link) }
                while try bearer.next(until: bearer.now) != nil {}
            }
        }
    }
}

/// The gateways of the benchmark, in a process of their own. Each returns what it is sent.
private enum HubGateways {
    static func run(at path: String, authority: String, count: Int) throws {
        let authority = try CertificateAuthority(pem: Array(try Data(contentsOf: URL(fileURLWithPath: authority))))
        let now = Timestamp(rawValue: Int64(Date().timeIntervalSince1970))
        let validity = CertificateAuthority.Validity(from: now, until: Timestamp(rawValue: now.rawValue + 86_000))
        let clock = BearerClock()
        let relays = try (0..<count).map { number in
            let name = "gateway-\(number)"
            let identity = try TLSIdentity(pem: authority.issue(.client, name: name, validity: validity))
            let context = try TLSContext(identity, role: .client, parties: .gatewayAndHub)
            guard let hubName = HubName(name) else { throw BenchmarkFailure("\(name) is no name") }
            let settings = HubDialler.Settings(
                address: .unix(path: path),
                name: hubName,
                program: "benchmark",
                security: ConnectionSecurity(context) { now }
            )
            return GatewayRelay(
                server: try FrameServer(listeningAt: nil, clock: clock),
                bearer: BearerBenchmark.EchoBearer(clock: clock),
                dialler: HubDialler(settings, clock: clock)
            )
        }
        let parent = getppid()
        // The first two carry packets; the others only have to stay alive.
        while getppid() == parent {
            for _ in 0..<20 {
                for relay in relays.prefix(2) { try relay.turn(until: clock.now) }
                try relays[0].turn(until: clock.now.advanced(by: .microseconds(200)))
            }
            for relay in relays.dropFirst(2) { try relay.turn(until: clock.now) }
        }
    }
}
