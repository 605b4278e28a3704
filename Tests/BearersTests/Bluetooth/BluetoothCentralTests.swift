import Foundation
import MeshCore
import TestSupport
import Testing

@testable import Bearers

@Suite("BluetoothCentral")
struct BluetoothCentralTests {
    /// A central with a controller, and devices that are connected when the test says so.
    struct Bench {
        var central: BluetoothCentral
        var controller = ScriptedController()
        var servers: [LinkIdentifier: ATTServer] = [:]
        var now = Instant.zero
        /// Links whose connection the kernel makes, in order.
        var connecting: [LinkIdentifier] = []
        /// Links whose connection was closed.
        var disconnected: [LinkIdentifier] = []
        var events: [BearerEvent] = []
        var restorations = 0
        var scanError: BearerError?
        /// How long devices take for an answer.
        var answerTime = Duration.zero

        init(maximumLinks: Int = 8) {
            central = BluetoothCentral(scanner: LEScanner(HCITests.scan), maximumLinks: maximumLinks)
        }

        mutating func run(_ outputs: [BluetoothCentral.Output]) {
            var queue = outputs
            while !queue.isEmpty {
                switch queue.removeFirst() {
                case .send(let command):
                    for packet in controller.receive(command) { queue += central.receive(packet, at: now) }
                case .connect(let link, _):
                    #expect(!controller.isScanning, "the kernel connects while an own scan is on")
                    connecting.append(link)
                case .write(let link, let pdu):
                    guard let answer = servers[link]?.receive(pdu) else { continue }
                    now = now.advanced(by: answerTime)
                    queue += central.receive(answer, on: link, at: now)
                case .disconnect(let link): disconnected.append(link)
                case .restoreKernelScan: restorations += 1
                case .event(let event): events.append(event)
                case .scanFailed(let error): scanError = error
                }
            }
        }

        mutating func connect(_ target: LinkTarget) throws -> LinkIdentifier {
            let (link, outputs) = try central.connect(to: target, at: now)
            run(outputs)
            return link
        }

        mutating func show(_ packet: HCIPacket) { run(central.receive(packet, at: now)) }
        mutating func scan(_ isOn: Bool) { run(central.scan(isOn, at: now)) }
        mutating func close(_ link: LinkIdentifier) { run(central.close(link, at: now)) }
        mutating func wait(_ duration: Duration) {
            now = now.advanced(by: duration)
            run(central.advance(to: now))
        }

        /// The kernel has made the connection that it is asked for.
        mutating func accept(_ peer: BluetoothAddress, handle: UInt16, _ service: MeshService = .proxy) throws {
            let link = try required(connecting.last)
            servers[link] = ATTServer(ServicePlan.generic + [.mesh(service)])
            show(.event(.connectionComplete(.success, handle: handle, peer, isCentral: true)))
            run(central.connected(link, handle: handle, at: now))
        }

        /// Whether the last thing told is that the link is open, and what that took.
        func opening(of link: LinkIdentifier) -> GATTTimes? {
            guard case .opened(link, maximumPacketSize: 512, let times)? = events.last else { return nil }
            return times
        }

        /// Why a link was closed, nil if it was not.
        func closing(of link: LinkIdentifier) -> BearerError? {
            for case .closed(link, let error) in events { return error }
            return nil
        }
    }

    static func peer(_ number: Int) throws -> BluetoothAddress {
        try required(BluetoothAddress("C0:00:00:00:00:0\(number)", .random))
    }

    static func proxy(_ number: Int) throws -> LinkTarget { .proxy(AdvertiserIdentifier(try peer(number))) }

    @Test("scanning pauses for a connection and goes on after it, and packets go both ways")
    func link() throws {
        var bench = Bench()
        bench.scan(true)
        let peer = try Self.peer(1)
        bench.show(ScriptedController.proxy(peer, signal: nil))
        guard case .heard(let advertisement)? = bench.events.first else { throw MissingValue() }
        #expect(advertisement.advertiser.bluetoothAddress == peer && advertisement.signal == nil)
        let link = try bench.connect(.proxy(advertisement.advertiser))
        #expect(bench.connecting == [link] && !bench.controller.isScanning)
        bench.wait(.milliseconds(300))
        try bench.accept(peer, handle: 0x40)
        #expect(bench.opening(of: link) != nil)
        #expect(bench.controller.isScanning)
        #expect(bench.controller.commands.contains(.leConnectionUpdate(handle: 0x40, .mesh)))
        bench.run(try bench.central.send([0x00, 0x01], on: link))
        let server = try #require(bench.servers[link])
        #expect(server.written.map(\.value).contains([0x00, 0x01]) && server.violations.isEmpty)
        let dataOut = try #require(server.valueHandle(of: MeshService.proxy.dataOut))
        let notification = ATTPDU.notification(AttributeValue(dataOut, [0x01, 0x02])).encoded
        bench.run(bench.central.receive(notification, on: link, at: bench.now))
        #expect(bench.events.last == .received(link, [0x01, 0x02]))
        bench.close(link)
        #expect(bench.disconnected == [link] && bench.controller.commands.last == .disconnect(handle: 0x40))
        bench.scan(false)
        #expect(!bench.controller.isScanning && bench.central.nextDeadline == nil)
    }

    @Test("how long the stages took is told with the opening: from the wish, not from the turn")
    func times() throws {
        var bench = Bench()
        bench.answerTime = .milliseconds(10)
        let first = try bench.connect(try Self.proxy(1))
        let second = try bench.connect(try Self.proxy(2))
        bench.wait(.milliseconds(300))
        try bench.accept(try Self.peer(1), handle: 1)
        // The server says at once where the service is and has both characteristics in one answer.
        let stages = GATTTimes(
            wait: .zero,
            connection: .milliseconds(300),
            mtuExchange: .milliseconds(10),
            discovery: .milliseconds(30),
            subscription: .milliseconds(10)
        )
        #expect(bench.opening(of: first) == stages)
        // The second began when the first was connected, and goes on while that one is asked for its services.
        #expect(bench.connecting == [first, second])
        bench.wait(.milliseconds(200))
        try bench.accept(try Self.peer(2), handle: 2)
        let times = try #require(bench.opening(of: second))
        #expect(times.wait == .milliseconds(300) && times.connection == .milliseconds(250))
        #expect(times.subscription == stages.subscription)
    }

    @Test("connections are made one after the other, in order, and one that is given up lets the next begin")
    func order() throws {
        var bench = Bench()
        let first = try bench.connect(try Self.proxy(1))
        let second = try bench.connect(try Self.proxy(2))
        let third = try bench.connect(try Self.proxy(3))
        #expect(bench.connecting == [first])
        bench.close(second)
        bench.close(first)
        #expect(bench.connecting == [first, third] && bench.disconnected == [first])
        #expect(!bench.controller.commands.contains(.disconnect(handle: 0)))
        bench.wait(.seconds(15))
        let error = try #require(bench.closing(of: third))
        #expect(error.message.hasSuffix("it does not answer within 15 s") && error.hint != nil)
        #expect(bench.closing(of: first) == nil && bench.closing(of: second) == nil)
    }

    @Test("any proxy is the strongest that is heard; a failure makes the next one be taken")
    func anyProxy() throws {
        var bench = Bench()
        let link = try bench.connect(.anyProxy)
        #expect(bench.controller.isScanning)
        bench.show(ScriptedController.proxy(try Self.peer(1), signal: -40))
        #expect(bench.connecting == [link])
        bench.run(bench.central.failed(link, EHOSTDOWN, at: bench.now))
        #expect(bench.closing(of: link)?.message.contains("was not reached while it advertised") == true)
        bench.scan(true)
        for (number, signal) in [(1, -40), (2, -70), (3, -60)] {
            bench.show(ScriptedController.proxy(try Self.peer(number), signal: Int8(signal)))
        }
        let second = try bench.connect(.anyProxy)
        try bench.accept(try Self.peer(3), handle: 1)
        #expect(bench.opening(of: second) != nil)
        bench.scan(false)
        bench.wait(.seconds(20))
        let third = try bench.connect(.anyProxy)
        let fourth = try bench.connect(try Self.proxy(7))
        #expect(bench.connecting.last == fourth, "whoever knows its proxy goes first")
        bench.wait(.seconds(10))
        #expect(bench.closing(of: third)?.message == "no proxy node was heard within 10 s")
    }

    @Test("the controller's reason for an end is told, the kernel's number where there is none")
    func reasons() throws {
        var bench = Bench()
        let lost = try bench.connect(try Self.proxy(1))
        try bench.accept(try Self.peer(1), handle: 0x40)
        bench.show(.event(.disconnectionComplete(.success, handle: 0x41, reason: .remoteUserTerminated)))
        bench.show(.event(.disconnectionComplete(.success, handle: 0x40, reason: .connectionTimeout)))
        #expect(bench.closing(of: lost) == nil, "what has arrived is read first")
        bench.run(bench.central.failed(lost, ETIMEDOUT, at: bench.now))
        #expect(
            bench.closing(of: lost)?.message
                == "the connection to C0:00:00:00:00:01 is lost: the device is no longer heard (Bluetooth error 0x08)"
        )
        #expect(!bench.controller.commands.contains(.disconnect(handle: 0x40)), "there is nothing left to end")
        let refused = try bench.connect(try Self.proxy(2))
        bench.show(.event(.connectionComplete(.notEstablished, handle: 0, try Self.peer(2), isCentral: true)))
        bench.run(bench.central.failed(refused, ENOSYS, at: bench.now))
        #expect(bench.closing(of: refused)?.message.contains("the connection could not be established") == true)
        let silent = try bench.connect(try Self.proxy(3))
        bench.run(bench.central.failed(silent, ECONNABORTED, at: bench.now))
        #expect(bench.closing(of: silent)?.message.contains("ended from this side") == true)
    }

    @Test("a controller without room for one more is believed, and what there is goes on")
    func limit() throws {
        var bench = Bench()
        for number in 1...2 {
            _ = try bench.connect(try Self.proxy(number))
            try bench.accept(try Self.peer(number), handle: UInt16(number))
        }
        let third = try bench.connect(try Self.proxy(3))
        bench.show(.event(.commandStatus(HCIOpcode(rawValue: 0x200D), .connectionLimitExceeded)))
        bench.run(bench.central.failed(third, EMLINK, at: bench.now))
        #expect(
            bench.closing(of: third)?.message
                == "the Bluetooth adapter has no room for more than 2 connections"
        )
        #expect(bench.central.maximumLinks == 2)
        #expect(throws: BearerError.self) { try bench.connect(Self.proxy(4)) }
        bench.close(LinkIdentifier(rawValue: 0))
        #expect(throws: Never.self) { try bench.connect(Self.proxy(4)) }
    }

    @Test("a device is connected to again only when its last connection is gone")
    func lingering() throws {
        var bench = Bench()
        let first = try bench.connect(try Self.proxy(1))
        try bench.accept(try Self.peer(1), handle: 0x40)
        bench.close(first)
        let second = try bench.connect(try Self.proxy(1))
        let other = try bench.connect(try Self.proxy(2))
        #expect(bench.connecting == [first, other])
        bench.close(other)
        bench.show(.event(.disconnectionComplete(.success, handle: 0x40, reason: .localHostTerminated)))
        #expect(bench.connecting == [first, other, second])
        try bench.accept(try Self.peer(1), handle: 0x41)
        bench.close(second)
        let third = try bench.connect(try Self.proxy(1))
        #expect(bench.connecting.last == second)
        bench.wait(.seconds(3))
        #expect(bench.connecting.last == third, "the event may be missed")
    }

    @Test("a connection that was there before is not ended for others")
    func sharedConnection() throws {
        var bench = Bench()
        let link = try bench.connect(try Self.proxy(1))
        bench.servers[link] = ATTServer([.mesh(.proxy)])
        bench.run(bench.central.connected(link, handle: 0x40, at: bench.now))
        bench.close(link)
        #expect(bench.disconnected == [link])
        #expect(!bench.controller.commands.contains { [.disconnect, .leConnectionUpdate].contains($0.opcode) })
    }

    @Test("an adapter that is lost ends all links, and devices of the wrong kind are named")
    func lost() throws {
        var bench = Bench()
        let open = try bench.connect(try Self.proxy(1))
        try bench.accept(try Self.peer(1), handle: 1)
        let waiting = try bench.connect(try Self.proxy(2))
        bench.run(bench.central.lost(BearerError("gone"), at: bench.now))
        #expect(bench.closing(of: open)?.message == "gone" && bench.closing(of: waiting)?.message == "gone")
        let link = try bench.connect(.provisioning(AdvertiserIdentifier(try Self.peer(3))))
        try bench.accept(try Self.peer(3), handle: 3, .proxy)
        #expect(bench.closing(of: link)?.message.contains("Mesh Provisioning Service") == true)
        #expect(throws: BearerError("the advertiser is not one that was heard over Bluetooth")) {
            try bench.connect(.proxy(AdvertiserIdentifier(rawValue: [1, 2, 3])))
        }
    }

    /// What the kernel makes of the controller's reasons (`bt_to_errno`); of all others ENOSYS.
    private static let reasons: [Int32: Set<UInt8>] = [
        EBADRQC: [0x01], ENOTCONN: [0x02], EIO: [0x03], EHOSTDOWN: [0x04, 0x3C], EACCES: [0x05, 0x18], EBADE: [0x06],
        ENOMEM: [0x07], ETIMEDOUT: [0x08, 0x10], EMLINK: [0x09, 0x0A], EALREADY: [0x0B], EBUSY: [0x0C],
        ECONNREFUSED: [0x0D, 0x0E, 0x0F, 0x1B], EOPNOTSUPP: [0x11, 0x20, 0x27, 0x29], EINVAL: [0x12],
        ECONNRESET: [0x13, 0x14, 0x15], ECONNABORTED: [0x16], ELOOP: [0x17], EPROTONOSUPPORT: [0x1A],
        EPROTO: [0x19, 0x1E, 0x23, 0x24, 0x25],
    ]

    @Test("a reason that is named for an error number is one that the kernel makes it of")
    func numbers() throws {
        let others = Set(UInt8(1)...UInt8.max).subtracting(Self.reasons.values.joined())
        for (number, codes) in Self.reasons.merging([ENOSYS: others], uniquingKeysWith: { $1 }) {
            let message = ConnectFailure(number: number).error(with: try Self.peer(1), isOpen: true).message
            let named = (UInt8(0)...UInt8.max).filter { message.contains(HCIErrorCode(rawValue: $0).description) }
            #expect(codes.isSuperset(of: named), "\(number)")
            // A reason that has a number to itself needs no other words.
            if codes.count == 1, number != EINVAL, number != EPROTONOSUPPORT { #expect(!named.isEmpty, "\(number)") }
        }
    }

    @Test("every error number of the kernel has words", arguments: 0...133)
    func words(number: Int32) throws {
        let error = ConnectFailure(number: number).error(with: try Self.peer(1), isOpen: false)
        #expect(error.message.hasPrefix("cannot connect to C0:00:00:00:00:01: "))
        #expect(!error.message.contains(String(cString: strerror(ENOSYS))))
    }
}
