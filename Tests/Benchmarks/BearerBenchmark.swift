import Bearers
import Foundation
import MeshCore
import TLS

/// The cost of the path to a radio: packets there and back, in this process, over a socket, and through a gateway in
/// front of that, plain and with TLS.
///
/// The far end returns each packet at once, so that only the path is measured. All ends are threads of this process;
/// the CPU time is the sum over all of them.
enum BearerBenchmark {
    private static let packets = 20_000
    /// How many packets are under way: enough that no end waits for the other.
    private static let window = 32
    private static let packetSize = 29
    private static let rounds = 5

    /// Prints packets and CPU time for each path, from the fastest of interleaved rounds.
    static func run() throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "bearer-\(ProcessInfo.processInfo.processIdentifier)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let near = SocketAddress.unix(path: folder.appending(path: "a").path)
        let any = SocketAddress.tcp(host: "127.0.0.1", port: 0)
        let pairing = try Pairing()
        let clock = BearerClock()

        // Each path has a far end of its own. The second and third path have two hops.
        let socket = try Hop(at: near, clock) { EchoBearer(clock: clock) }
        let plain = try Hop(at: any, clock) { SocketBearer(address: near, clock: clock) }
        let secured = try Hop(at: any, security: pairing.gateway, clock) { SocketBearer(address: near, clock: clock) }
        defer { for hop in [secured, plain, socket] { hop.stop() } }
        var ways: [Way] = [
            Way(name: "in process", bearer: EchoBearer(clock: clock)),
            Way(name: "unix socket", bearer: SocketBearer(address: near, clock: clock)),
            Way(name: "gateway over TCP", bearer: SocketBearer(address: plain.address, clock: clock)),
            Way(
                name: "gateway over TLS",
                bearer: SocketBearer(address: secured.address, security: pairing.client, clock: clock)
            ),
        ]
        for index in ways.indices { try ways[index].open() }
        for _ in 0..<rounds {
            for index in ways.indices { try ways[index].measure(packets, window: window, size: packetSize) }
        }
        for index in ways.indices { try ways[index].measureRoundTrips(2_000, size: packetSize) }

        print("\(packets) packets of \(packetSize) octets there and back, \(window) under way, best of \(rounds)")
        print("                    packets/s  CPU/packet   one at a time   beside the unix socket")
        let base = ways[1]
        for way in ways {
            let name = way.name.padding(toLength: 18, withPad: " ", startingAt: 0)
            print(
                String(
                    format: "%@  %9.0f   %7.1f us      %7.1f us    %5.2f x packets/s, %4.2f x CPU",
                    name,
                    Double(packets) / way.seconds,
                    way.cpu * 1e6 / Double(packets),
                    way.roundTrip * 1e6,
                    base.seconds / way.seconds,
                    way.cpu / base.cpu
                )
            )
        }
    }

    /// One path to the far end, and its measurements.
    private struct Way {
        let name: String
        let bearer: any PolledBearer
        private var link = LinkIdentifier(rawValue: 0)
        var seconds = Double.infinity
        var cpu = Double.infinity
        var roundTrip = Double.infinity

        init(name: String, bearer: any PolledBearer) {
            self.name = name
            self.bearer = bearer
        }

        mutating func open() throws {
            link = try bearer.connect(to: .anyProxy)
            guard case .opened(link, _, _)? = try event() else { throw BearerError("the link of \(name) did not open") }
        }

        private func event() throws -> BearerEvent? {
            let deadline = bearer.now.advanced(by: .seconds(10))
            while bearer.now < deadline { if let event = try bearer.next(until: deadline) { return event } }
            return nil
        }

        private func expect(_ packet: [UInt8]) throws {
            guard try event() == .received(link, packet) else { throw BearerError("\(name) lost a packet") }
        }

        mutating func measure(_ count: Int, window: Int, size: Int) throws {
            func packet(_ number: Int) -> [UInt8] { [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size) }
            let start = ContinuousClock.now
            let (_, cpu) = try ProcessUsage.measure {
                for number in 0..<count + window {
                    if number < count { try bearer.send(packet(number), on: link) }
                    if number >= window { try expect(packet(number - window)) }
                }
            }
            seconds = min(seconds, start.duration(to: .now) / .seconds(1))
            self.cpu = min(self.cpu, cpu)
        }

        /// The median, because other processes delay a few packets.
        mutating func measureRoundTrips(_ count: Int, size: Int) throws {
            let packet = [UInt8](repeating: 1, count: size)
            var times: [Duration] = []
            for _ in 0..<count {
                let start = ContinuousClock.now
                try bearer.send(packet, on: link)
                try expect(packet)
                times.append(start.duration(to: .now))
            }
            roundTrip = times.sorted()[count / 2] / .seconds(1)
        }
    }

    /// A gateway in a separate thread.
    private final class Hop: @unchecked Sendable {
        let address: SocketAddress
        private let lock = NSLock()
        private var isStopped = false
        private let finished = DispatchSemaphore(value: 0)

        init(
            at address: SocketAddress,
            security: ConnectionSecurity? = nil,
            _ clock: BearerClock,
            bearer: @escaping () -> any PolledBearer
        ) throws {
            let server = try FrameServer(listeningAt: address, security: security, clock: clock)
            self.address = server.address ?? address
            nonisolated(unsafe) let (unsafeServer, unsafeBearer) = (server, bearer)
            Thread { [self] in
                // From here on, server and bearer belong to this thread.
                let relay = GatewayRelay(server: unsafeServer, bearer: unsafeBearer())
                while !lock.withLock({ isStopped }) {
                    do {
                        try relay.turn(until: clock.now.advanced(by: .milliseconds(50)))
                    } catch {
                        print("a gateway ends: \(error)")
                        break
                    }
                }
                relay.close()
                unsafeServer.close()
                finished.signal()
            }.start()
        }

        func stop() {
            lock.withLock { isStopped = true }
            finished.wait()
        }
    }

    /// The far end: it returns what is sent.
    final class EchoBearer: PolledBearer {
        let clock: BearerClock
        let interruption = WaitInterruption()
        let maximumLinks = 4
        private var nextLink: UInt32 = 0
        private var events: [BearerEvent] = []
        private var first = 0

        init(clock: BearerClock) { self.clock = clock }

        var nextDeadline: Instant? { first < events.count ? .zero : nil }
        var watched: [Watched] { [] }
        func advance(_ ready: ArraySlice<Watched>) {}

        func connect(to target: LinkTarget) -> LinkIdentifier {
            let link = LinkIdentifier(rawValue: nextLink)
            nextLink += 1
            events.append(.opened(link, maximumPacketSize: 66))
            return link
        }

        func send(_ packet: [UInt8], on link: LinkIdentifier) { events.append(.received(link, packet)) }

        func takeEvent() -> BearerEvent? {
            guard first < events.count else {
                events.removeAll(keepingCapacity: true)
                first = 0
                return nil
            }
            defer { first += 1 }
            return events[first]
        }

        func close(_ link: LinkIdentifier) {}
        func scan(_ isOn: Bool) {}
    }

    /// Certificates for both sides.
    private struct Pairing {
        let gateway: ConnectionSecurity
        let client: ConnectionSecurity

        init() throws {
            let now = Timestamp(rawValue: Int64(Date().timeIntervalSince1970))
            let validity = CertificateAuthority.Validity(
                from: now,
                until: Timestamp(rawValue: now.rawValue + 86_400)
            )
            let authority = try CertificateAuthority(name: "benchmark", validity: validity)
            func security(_ role: TLSRole) throws -> ConnectionSecurity {
                let identity = try TLSIdentity(pem: authority.issue(role, name: role.name, validity: validity))
                return ConnectionSecurity(try TLSContext(identity, role: role)) { now }
            }
            gateway = try security(.server)
            client = try security(.client)
        }
    }
}
