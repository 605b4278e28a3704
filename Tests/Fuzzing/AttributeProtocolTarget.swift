import Bearers
import MeshCore

extension FuzzTarget {
    /// A whole conversation of a GATT client. The first octet of each record selects an event: 0 a PDU from the device,
    /// 1 as many seconds pass as the next octet says, 2 the rest is written to the device. If the first octet of the
    /// first record is odd, the client uses the provisioning service.
    package static let attributeProtocol = FuzzTarget(
        "att",
        "conversations of a GATT client with a device",
        shape: .records,
        maximumSize: 4096,
        seeds: [
            conversation([
                octets("030502"), octets("070a000f00"), octets("09070b00040c00dd2a0d00100e00de2a"),
                octets("05010f000229"), octets("13"), octets("1b0e000001020304"),
                octets("230e0002000102010001000e0e0001000a"),
            ]),
            // Without an exchange of sizes and Find By Type Value, and with 128 bits. The device is also a client.
            conversation([
                octets("0102000006"), octets("100100ffff0028"), octets("0106000006"),
                octets("1106010005000018060009000118"),
                octets("11140a000f00fb349b5f800000800010000028180000"),
                octets("09150b00040c00fb349b5f8000008000100000dd2a0000"),
                octets("09150d00100e00fb349b5f8000008000100000de2a0000"), octets("021700"), octets("05010f000229"),
                octets("1b0e000001"), octets("13"), octets("1d08000100ffff"),
            ]),
            conversation([
                octets("031700"), octets("010601000a"), octets("11060100090028180a00ffff2718"), octets("010800000a"),
            ]),
        ],
        dictionary: [
            [0x01, 0x06, 0, 0, 0x0A], [0x01, 0x08, 0, 0, 0x0A], [0x01, 0x04, 0, 0, 0x0A], [0x28, 0x18], [0x27, 0x18],
            [0xDD, 0x2A], [0xDE, 0x2A], [0x02, 0x29], [0x03, 0x28], [0xFF, 0xFF], octets("fb349b5f8000008000100000"),
        ],
        run: examineConversation
    )

    private static func conversation(_ pdus: [[UInt8]]) -> [UInt8] {
        FuzzRecords.encode([[]] + pdus.map { [0] + $0 } + [[2, 1, 2, 3], [1, 5]])
    }

    private static func examineConversation(_ input: [UInt8], _ trace: inout FuzzTrace) throws(FuzzViolation) {
        let records = FuzzRecords.decode(input)
        let isProvisioning = (records.first?.first ?? 0) & 1 == 1
        var referee = ATTReferee(GATTClient(service: isProvisioning ? .provisioning : .proxy))
        try referee.begin()
        for record in records.dropFirst() {
            switch record.first ?? 0 {
            case 1: try referee.wait(seconds: record.dropFirst().first ?? 0, &trace)
            case 2: try referee.write(Array(record.dropFirst()))
            default: try referee.deliver(Array(record.dropFirst()), &trace)
            }
        }
    }
}

/// Checks everything that a client does.
private struct ATTReferee {
    private var client: GATTClient
    private var now = Instant.zero
    private var packetSize: Int?
    private var hasFailed = false
    private var isWaiting = false
    private var requests = 0

    init(_ client: GATTClient) {
        self.client = client
    }

    mutating func begin() throws(FuzzViolation) {
        var trace = FuzzTrace()
        try examine(client.connected(at: now), &trace)
        try demand(isWaiting, "a connection begins without a request")
    }

    mutating func wait(seconds: UInt8, _ trace: inout FuzzTrace) throws(FuzzViolation) {
        now = now.advanced(by: .seconds(Int64(seconds)))
        try examine(client.advance(to: now), &trace)
        if let deadline = client.nextDeadline { try demand(now < deadline, "a deadline has passed without effect") }
    }

    mutating func write(_ packet: [UInt8]) throws(FuzzViolation) {
        do {
            let pdu = try client.write(packet)
            try demand((pdu == nil) == (packetSize == nil || hasFailed), "writing does not go with being open")
            guard let pdu, let packetSize else { return }
            try demand(packet.count <= packetSize, "a packet that is too large was written")
            guard case .writeCommand(let value)? = try? ATTPDU(decoding: pdu), value.value == packet else {
                throw FuzzViolation("a packet was not written as a command")
            }
        } catch let violation as FuzzViolation {
            throw violation
        } catch {
            try demand(packet.isEmpty || packet.count > packetSize ?? .max, "a packet that fits was refused")
        }
    }

    mutating func deliver(_ pdu: [UInt8], _ trace: inout FuzzTrace) throws(FuzzViolation) {
        if let read = try? ATTPDU(decoding: pdu) {
            try demand(read.encoded == pdu, "a PDU changes when it is read")
            trace.note([read.opcode, 0])
        }
        let isResponse = pdu.first.map { ATTPDU.kind(ofOpcode: $0) == .response } ?? false
        if isResponse { isWaiting = false }
        try examine(client.receive(pdu, at: now), &trace)
    }

    private mutating func examine(_ outputs: [GATTClient.Output], _ trace: inout FuzzTrace) throws(FuzzViolation) {
        for output in outputs {
            try demand(!hasFailed, "something follows a failure")
            switch output {
            case .send(let pdu): try examine(sent: pdu)
            case .opened(let size):
                try demand(packetSize == nil, "a link was opened twice")
                try demand((20...512).contains(size), "packets of \(size) octets")
                packetSize = size
                trace.note([0x100, size])
            case .received(let packet):
                try demand(packetSize != nil, "a packet comes before the link is open")
                try demand((1...512).contains(packet.count), "a packet of \(packet.count) octets")
                trace.note(0x200 + packet.count / 64)
            case .failed(let failure):
                hasFailed = true
                trace.note(failure.message.filter { !$0.isNumber })
                try demand(client.nextDeadline == nil, "a deadline after a failure")
            }
        }
        let isOpening = packetSize == nil && !hasFailed
        try demand((client.nextDeadline != nil) == isOpening, "a deadline does not go with opening")
        trace.note([client.stages.mtuExchanged, client.stages.discovered, client.stages.subscribed].map { $0 != nil })
    }

    private mutating func examine(sent pdu: [UInt8]) throws(FuzzViolation) {
        let read = try demandSuccess("the client sends \(Hexadecimal.encode(pdu))") { try ATTPDU(decoding: pdu) }
        try demand(pdu.count <= 23, "the client sends a PDU of \(pdu.count) octets while it opens the link")
        switch ATTPDU.kind(ofOpcode: read.opcode) {
        case .request:
            requests += 1
            try demand(!isWaiting, "two requests are under way")
            try demand(requests <= 128, "requests come to no end")
            isWaiting = true
        case .response:
            let isKnown = if case .errorResponse = read { true } else { read == .exchangeMTUResponse(517) }
            try demand(isKnown, "the client answers \(read)")
        case .confirmation: break
        case .command, .notification, .indication: throw FuzzViolation("the client sends \(read)")
        }
    }
}
