import MeshCore
import TestSupport
import Testing

@Suite("A server of Remote Provisioning")
struct RemoteProvisioningServerTests {
    private typealias Server = RemoteProvisioningServer
    private let client = RemoteProvisioningPair.client
    private let other = Server.Client(address: .last, netKeyIndex: .primary)
    private let own = RemoteProvisioningPair.own
    private let uuid = RemoteProvisioningPair.uuid

    private func at(_ seconds: Int64) -> Instant { Instant.zero.advanced(by: .seconds(seconds)) }

    private func ask(
        _ server: inout Server,
        _ message: some AccessMessage,
        from client: Server.Client? = nil,
        own: Server.Own? = nil,
        at now: Instant = .zero
    ) -> [Server.Action] {
        server.receive(message.encoded, from: client ?? self.client, own: own ?? self.own, at: now)
    }

    private func linkStatus(
        _ status: RemoteProvisioningStatusCode,
        _ state: RemoteProvisioningLinkState,
        to client: Server.Client? = nil
    ) -> Server.Action {
        .answer(RemoteProvisioningLinkStatus(status: status, state: state).encoded, to: client ?? self.client)
    }

    private func report(_ message: some AccessMessage) -> Server.Action { .report(message.encoded, to: client) }

    private func openServer() -> Server {
        var server = Server()
        _ = ask(&server, RemoteProvisioningLinkOpen(target: .device(uuid, timeout: nil)))
        _ = server.linkOpened(at: .zero)
        return server
    }

    @Test("a link opens, is told of, and closes, each answered and reported")
    func life() {
        var server = Server()
        let target = RemoteProvisioningLinkOpen.Target.device(uuid, timeout: nil)
        let open = RemoteProvisioningLinkOpen(target: target)
        #expect(ask(&server, open) == [linkStatus(.success, .opening), .open(target)])
        #expect(ask(&server, open) == [linkStatus(.success, .opening)], "said again, begun once")
        let isOpen = RemoteProvisioningLinkReport(status: .success, state: .active)
        #expect(server.linkOpened(at: .zero) == [report(isOpen)])
        #expect(server.linkOpened(at: .zero) == [])
        #expect(ask(&server, open) == [linkStatus(.success, .active)])
        let isClosed = RemoteProvisioningLinkReport(status: .linkClosedByClient, state: .idle)
        #expect(
            ask(&server, RemoteProvisioningLinkClose(reason: .success))
                == [linkStatus(.success, .closing), report(isClosed), .close(.success)]
        )
        #expect(ask(&server, RemoteProvisioningLinkClose(reason: .success)) == [linkStatus(.success, .idle)])
    }

    @Test("another device, another client or another procedure has to wait")
    func busy() {
        var server = openServer()
        let device = RemoteProvisioningLinkOpen(target: .device(own.uuid, timeout: nil))
        let node = RemoteProvisioningLinkOpen(target: .node(.deviceKeyRefresh))
        let same = RemoteProvisioningLinkOpen(target: .device(uuid, timeout: 3))
        #expect(ask(&server, device) == [linkStatus(.linkCannotOpen, .active)])
        #expect(ask(&server, node) == [linkStatus(.linkCannotOpen, .active)])
        #expect(ask(&server, same) == [linkStatus(.success, .active)])
        #expect(ask(&server, same, from: other) == [linkStatus(.linkCannotOpen, .active, to: other)])
        let close = RemoteProvisioningLinkClose(reason: .fail)
        #expect(ask(&server, close, from: other) == [linkStatus(.invalidState, .active, to: other)])
        #expect(ask(&server, RemoteProvisioningPDUSend(number: 1, pdu: [0]), from: other) == [])
    }

    @Test("a PDU is passed on once, and its report can be had again")
    func once() {
        var server = openServer()
        let send = RemoteProvisioningPDUSend(number: 1, pdu: [0, 0])
        #expect(ask(&server, send) == [.send([0, 0])])
        #expect(ask(&server, send) == [] && server.linkState == .outboundPacketTransfer)
        let same = RemoteProvisioningLinkOpen(target: .device(uuid, timeout: nil))
        #expect(ask(&server, same) == [linkStatus(.invalidState, .outboundPacketTransfer)])
        let delivered = report(RemoteProvisioningPDUOutboundReport(number: 1))
        #expect(server.pduDelivered(at: .zero) == [delivered])
        #expect(server.pduDelivered(at: .zero) == [])
        #expect(ask(&server, send) == [delivered])
        #expect(ask(&server, RemoteProvisioningPDUSend(number: 3, pdu: [2])) == [delivered], "not the next")
        #expect(ask(&server, RemoteProvisioningPDUSend(number: 2, pdu: [2])) == [.send([2])])
    }

    @Test("what takes too long ends the link with its reason")
    func timeouts() {
        var server = Server()
        _ = ask(&server, RemoteProvisioningLinkOpen(target: .device(uuid, timeout: 7)))
        #expect(server.nextDeadline == at(7) && server.advance(to: at(6)) == [])
        let failed = RemoteProvisioningLinkReport(status: .linkOpenFailed, state: .idle)
        #expect(server.advance(to: at(7)) == [.close(.fail), report(failed)])

        server = openServer()
        _ = ask(&server, RemoteProvisioningPDUSend(number: 1, pdu: [0, 0]))
        let undelivered = RemoteProvisioningLinkReport(status: .linkClosedAsCannotSendPDU, state: .idle)
        #expect(server.advance(to: at(30)) == [.close(.fail), report(undelivered)])

        server = openServer()
        let idle = RemoteProvisioningLinkReport(status: .linkClosedByServer, state: .idle, reason: .timeout)
        #expect(server.advance(to: at(60)) == [.close(.fail), report(idle)])
        #expect(server.nextDeadline == nil && server.linkState == .idle)
    }

    @Test("what the device does is reported")
    func device() {
        var server = openServer()
        let first = report(RemoteProvisioningPDUReport(number: 1, pdu: [1, 2]))
        #expect(server.pduReceived([1, 2], at: .zero) == [first])
        let second = report(RemoteProvisioningPDUReport(number: 2, pdu: [3]))
        #expect(server.pduReceived([3], at: .zero) == [second])
        let closed = RemoteProvisioningLinkReport(status: .linkClosedByDevice, state: .idle, reason: .fail)
        #expect(server.linkClosed(.fail) == [report(closed)])
        #expect(server.pduReceived([3], at: .zero) == [] && server.linkClosed(.fail) == [])
    }

    @Test("there is nothing to refresh where page 128 says nothing new")
    func composition() {
        var server = Server()
        var plain = own
        plain.isCompositionRefreshable = false
        let open = RemoteProvisioningLinkOpen(target: .node(.nodeCompositionRefresh))
        #expect(ask(&server, open, own: plain) == [linkStatus(.linkCannotOpen, .idle)])
        #expect(ask(&server, open) == [linkStatus(.success, .opening), .open(.node(.nodeCompositionRefresh))])
    }

    @Test("a subnet that the node leaves takes its link and its scan with it")
    func forgotten() throws {
        var server = openServer()
        _ = ask(&server, RemoteProvisioningScanStart(scannedItemsLimit: 0, timeout: 10))
        let another = try #require(NetKeyIndex(rawValue: 3))
        #expect(server.forget(another) == [] && server.isScanning)
        #expect(server.forget(.primary) == [.close(.fail)])
        #expect(!server.isScanning && server.nextDeadline == nil)
    }

    @Test("a scan belongs to a client, who can begin it anew, and every device is reported once")
    func scan() {
        var server = Server()
        let start = RemoteProvisioningScanStart(scannedItemsLimit: 4, timeout: 10)
        _ = ask(&server, start)
        let busy = RemoteProvisioningScanStatus(
            status: .invalidState,
            state: .multipleDevices,
            scannedItemsLimit: 4,
            timeout: 7
        )
        #expect(ask(&server, start, from: other, at: at(3)) == [.answer(busy.encoded, to: other)])
        let beacon = UnprovisionedDeviceBeacon(uuid: uuid, oobInformation: 0x20, uriHash: 7)
        let found = RemoteProvisioningScanReport(
            signal: -60,
            uuid: uuid,
            outOfBandInformation: .number,
            uriHash: 7
        )
        #expect(server.hear(beacon, signal: -60, structures: [], at: at(4)) == [report(found)])
        #expect(server.hear(beacon, signal: -50, structures: [], at: at(5)) == [])
        _ = ask(&server, start, at: at(6))
        #expect(server.hear(beacon, signal: -60, structures: [], at: at(7)) == [report(found)])
        #expect(server.hear(beacon, signal: -60, structures: [], at: at(17)) == [] && !server.isScanning)
    }

    @Test("an extended scan has to wait for a link or another one, and fills no more than a message")
    func extendedScan() {
        let start = RemoteProvisioningExtendedScanStart(types: [0x09, 0x16], device: .init(uuid: uuid, timeout: 5))
        var server = openServer()
        let limited = RemoteProvisioningExtendedScanReport(status: .limitedResources, uuid: uuid)
        #expect(ask(&server, start) == [report(limited)])
        server = Server()
        #expect(ask(&server, start) == [] && ask(&server, start) == [])
        #expect(ask(&server, start, from: other) == [.report(limited.encoded, to: other)])
        let structures = (0..<3).map { AdvertisingStructure(type: 0x16, data: Array(repeating: $0, count: 200)) }
        let beacon = UnprovisionedDeviceBeacon(uuid: uuid, oobInformation: 0)
        let actions = server.hear(beacon, signal: -60, structures: structures, at: at(1))
        let found = RemoteProvisioningExtendedScanReport(
            status: .success,
            uuid: uuid,
            findings: .init(outOfBandInformation: [], structures: [structures[0]])
        )
        #expect(actions == [report(found)])
        _ = ask(&server, start, at: at(2))
        let missing = RemoteProvisioningExtendedScanReport(status: .success, uuid: uuid)
        #expect(server.advance(to: at(7)) == [report(missing)] && server.nextDeadline == nil)
    }

    @Test("nothing that a hostile client sends traps, and the server comes to rest in the end")
    func hostile() {
        var generator = SplitMix64(seed: 3)
        for _ in 0..<500 {
            var server = Server()
            var now = Instant.zero
            for _ in 0..<40 {
                now = now.advanced(by: .milliseconds(Int64.random(in: 0...9_000, using: &generator)))
                let client = Bool.random(using: &generator) ? client : other
                let payload =
                    [0x80, UInt8.random(in: 0x4F...0x5F, using: &generator)]
                    + (0..<[0, 1, 2, 16, 17, 18][Int.random(in: 0..<6, using: &generator)]).map { _ in
                        UInt8.random(in: 0...6, using: &generator)
                    }
                for action in server.receive(payload, from: client, own: own, at: now) {
                    if case .open = action, Bool.random(using: &generator) { _ = server.linkOpened(at: now) }
                    if case .send = action, Bool.random(using: &generator) { _ = server.pduDelivered(at: now) }
                }
                if Bool.random(using: &generator) { _ = server.pduReceived([0], at: now) }
            }
            _ = server.advance(to: now.advanced(by: .seconds(400)))
            #expect(server.linkState == .idle && server.nextDeadline == nil && !server.isScanning)
        }
    }
}
