import Foundation
import MeshCore
import TestSupport
import Testing

@testable import Bearers

/// The kernel as a ``BluetoothBearer`` sees it, with a socket pair for each of its sockets.
private final class ScriptedKernel {
    private(set) var controller = ScriptedController()
    /// The other end of the HCI socket.
    private(set) var hci: Descriptor?
    /// The other ends of connections, in their order.
    private(set) var peers: [Descriptor] = []
    /// What connections come to; 0 for success.
    var results: [Int32] = []
    /// What the call to connect fails with.
    var refusal: Int32?
    var openError: Int32?
    private var pending: [Int32: Int32] = [:]
    private var buffer = [UInt8](repeating: 0, count: 2048)

    var system: BluetoothSystem {
        BluetoothSystem(
            openHCI: { _ throws(SystemError) in
                if let error = self.openError { throw SystemError(number: error) }
                let (near, far) = Self.pair()
                self.hci = far
                return near
            },
            connect: { _, _ throws(SystemError) in
                if let error = self.refusal { throw SystemError(number: error) }
                let (near, far) = Self.pair()
                self.peers.append(far)
                self.pending[near.number] = self.results.isEmpty ? 0 : self.results.removeFirst()
                return near
            },
            failure: { self.pending[$0.number] ?? 0 },
            handle: { _ in 0x40 }
        )
    }

    private static func pair() -> (Descriptor, Descriptor) {
        var numbers: [Int32] = [0, 0]
        let type = Int32(SOCK_SEQPACKET.rawValue)
        precondition(socketpair(AF_UNIX, type, 0, &numbers) == 0, "a test needs a pair of sockets")
        return (Descriptor(adopting: numbers[0]), Descriptor(adopting: numbers[1]))
    }

    /// Lets the controller answer all commands; other packets can be shown, too.
    func answer(_ isOn: (ScriptedController) -> Void = { _ in }) throws {
        while let hci, case .bytes(let bytes) = try hci.read(into: &buffer) {
            guard case .command = try HCIPacket(decoding: bytes) else { continue }
            for answer in controller.receive(try Self.command(bytes)) { show(answer) }
        }
    }

    /// The command of octets, as far as the controller cares.
    private static func command(_ bytes: ArraySlice<UInt8>) throws -> HCICommand {
        switch try HCIPacket(decoding: bytes) {
        case .command(.other(.leSetScanParameters)): .leSetScanParameters(HCITests.scan)
        case .command(.other(.readLocalSupportedCommands)): .readLocalSupportedCommands
        case .command(let command): command
        default: .other(HCIOpcode(rawValue: 0))
        }
    }

    func show(_ packet: HCIPacket) {
        guard case .event(.commandComplete(let opcode, let parameters)) = packet else { return }
        let octets = [1, UInt8(opcode.rawValue & 0xFF), UInt8(opcode.rawValue >> 8)] + parameters
        show([0x04, 0x0E, UInt8(octets.count)] + octets)
    }

    func show(_ octets: [UInt8]) { _ = try? hci?.write(octets[...]) }

    /// The adapter goes; a socket pair would tell of what nobody has read instead.
    func dropHCI() {
        while case .bytes? = try? hci?.read(into: &buffer) {}
        hci = nil
    }
    func dropPeers() { peers = [] }
    func shrink(_ place: Int) {
        var size: Int32 = 1
        _ = setsockopt(peers[place].number, SOL_SOCKET, SO_RCVBUF, &size, 4)
    }

    /// Reads one PDU of a connection and writes the server's answer.
    func serve(_ place: Int, _ server: inout ATTServer) throws -> Bool {
        guard case .bytes(let bytes) = try peers[place].read(into: &buffer) else { return false }
        if let answer = server.receive(Array(bytes)) { _ = try peers[place].write(answer[...]) }
        return true
    }
}

@Suite("BluetoothBearer")
struct BluetoothBearerTests {
    private static func bearer(_ kernel: ScriptedKernel, maximumLinks: Int = 4) throws -> BluetoothBearer {
        BluetoothBearer(
            adapter: BluetoothAdapter(
                number: 0,
                name: "hci0",
                address: try required(BluetoothAddress("00:1B:DC:00:00:01"))
            ),
            system: kernel.system,
            maximumLinks: maximumLinks
        )
    }

    /// Lets the bearer read and write once, without waiting.
    private static func turn(_ bearer: BluetoothBearer) throws {
        var sockets = bearer.watched
        _ = try waitForAny(of: &sockets, milliseconds: 0)
        try bearer.advance(sockets[...])
    }

    /// A bearer with a link that is open, and the device's server.
    private static func open(_ kernel: ScriptedKernel) throws -> (BluetoothBearer, LinkIdentifier, ATTServer) {
        let bearer = try bearer(kernel)
        let peer = try required(BluetoothAddress("C0:00:00:00:00:01", .random))
        let link = try bearer.connect(to: .proxy(AdvertiserIdentifier(peer)))
        var server = ATTServer(ServicePlan.generic + [.mesh(.proxy)])
        try turn(bearer)
        for _ in 0..<40 {
            while try kernel.serve(0, &server) {}
            try turn(bearer)
        }
        guard case .opened(link, maximumPacketSize: 512, let times?)? = bearer.takeEvent() else { throw MissingValue() }
        #expect(times.connection > .zero && times.discovery > .zero && times.subscription > .zero)
        return (bearer, link, server)
    }

    @Test("it scans, is told what is heard, and leaves the controller silent")
    func scan() throws {
        let kernel = ScriptedKernel()
        do {
            let bearer = try Self.bearer(kernel)
            try bearer.scan(true)
            for _ in 0..<4 {
                try kernel.answer()
                try Self.turn(bearer)
            }
            #expect(kernel.controller.isScanning)
            let service = hex("02 01 06 0C 16 28 18 00 3ECAFF672F673370")
            let report = hex("02 01 00 01 0100000000C0") + [UInt8(service.count)] + service + [0xCE]
            kernel.show([0x04, 0x3E])  // cut off: of no use, and no harm
            kernel.show([0x04, 0x3E, UInt8(report.count)] + report)
            try Self.turn(bearer)
            guard case .heard(let advertisement)? = bearer.takeEvent() else { throw MissingValue() }
            #expect(advertisement.signal == -50)
            #expect(advertisement.advertiser.rawValue == hex("01 C00000000001"))
            try bearer.scan(false)
            try kernel.answer()
        }
        #expect(!kernel.controller.isScanning)
    }

    @Test("a link carries packets, in one PDU each, and what came before its end is still told")
    func link() throws {
        let kernel = ScriptedKernel()
        var (bearer, link, server) = try Self.open(kernel)
        try bearer.send([0x02, 0xAA], on: link)
        #expect(try kernel.serve(0, &server))
        #expect(server.written.last?.value == [0x02, 0xAA])
        let dataOut = try #require(server.valueHandle(of: MeshService.proxy.dataOut))
        for octet in UInt8(1)...3 {
            _ = try kernel.peers[0].write(ATTPDU.notification(AttributeValue(dataOut, [octet])).encoded[...])
        }
        kernel.dropPeers()
        try Self.turn(bearer)
        #expect((1...3).map { _ in bearer.takeEvent() } == (1...3).map { .received(link, [$0]) })
        guard case .closed(link, let error)? = bearer.takeEvent() else { throw MissingValue() }
        #expect(error.message == "the connection to C0:00:00:00:00:01 is lost: it was ended")
        try bearer.send([0x02], on: link)
    }

    @Test("packets that the kernel does not take wait in order, and too many end the link")
    func congestion() throws {
        let kernel = ScriptedKernel()
        var (bearer, link, server) = try Self.open(kernel)
        var sent = 0
        while bearer.watched.allSatisfy({ !$0.writes }) {
            try bearer.send([UInt8(sent & 0xFF), UInt8(sent >> 8)], on: link)
            sent += 1
        }
        let before = server.written.count
        for _ in 0..<sent {
            while try kernel.serve(0, &server) {}
            try Self.turn(bearer)
        }
        while try kernel.serve(0, &server) {}
        #expect(server.written.count - before == sent)
        #expect(
            server.written.suffix(sent).map { Int($0.value[0]) | Int($0.value[1]) << 8 } == Array(0..<sent)
        )
        // What a gateway lets wait and what it may read before it looks again, in the least packets.
        while bearer.watched.allSatisfy({ !$0.writes }) { try bearer.send([0], on: link) }
        while bearer.backlog(of: link) < (8 + 24) * 1024 { try bearer.send([0], on: link) }
        #expect(bearer.takeEvent() == nil)
        for _ in 0..<ATTChannel.outgoingLimit / 4 { try bearer.send([0], on: link) }
        guard case .closed(link, let error)? = bearer.takeEvent() else { throw MissingValue() }
        #expect(error.message.hasSuffix("takes no more packets"))
    }

    @Test("a connection that fails, is refused or cancelled says so, or nothing")
    func failures() throws {
        let kernel = ScriptedKernel()
        kernel.results = [ETIMEDOUT]
        let bearer = try Self.bearer(kernel)
        let peer = try required(BluetoothAddress("C0:00:00:00:00:01", .random))
        let target = LinkTarget.proxy(AdvertiserIdentifier(peer))
        let late = try bearer.connect(to: target)
        try Self.turn(bearer)
        guard case .closed(late, let error)? = bearer.takeEvent() else { throw MissingValue() }
        #expect(error.message.contains("the device is no longer heard"))
        kernel.refusal = ECONNREFUSED
        let refused = try bearer.connect(to: target)
        guard case .closed(refused, let off)? = bearer.takeEvent() else { throw MissingValue() }
        #expect(off.message == "Bluetooth low energy is switched off on hci0")
        #expect(off.hint == "switch it on with sudo btmgmt --index 0 le on")
        kernel.refusal = nil
        let cancelled = try bearer.connect(to: target)
        bearer.close(cancelled)
        bearer.close(cancelled)
        try Self.turn(bearer)
        #expect(bearer.takeEvent() == nil)
        var octets = [UInt8](repeating: 0, count: 8)
        #expect(throws: Never.self) { _ = try kernel.peers.last?.read(into: &octets) }
    }

    @Test("an adapter that vanishes ends links and scans, and one without rights says what to do")
    func vanished() throws {
        let kernel = ScriptedKernel()
        let (bearer, link, _) = try Self.open(kernel)
        try bearer.scan(true)
        kernel.dropHCI()
        #expect(throws: BearerError("the Bluetooth adapter hci0 is gone", hint: "plug it in again")) {
            for _ in 0..<3 { try Self.turn(bearer) }
        }
        guard case .closed(link, _)? = bearer.takeEvent() else { throw MissingValue() }
        kernel.openError = EPERM
        do {
            try bearer.scan(true)
            Issue.record("it scans without rights")
        } catch {
            #expect(error.message.contains("CAP_NET_RAW") && error.hint?.contains("sudo setcap") == true)
        }
    }
}
