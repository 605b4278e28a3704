import TestSupport
import Testing

@testable import MeshCore

@Suite("Network vectors")
struct NetworkVectorTests {
    static let messages = Vector.list("network", "messages")

    static func credentials(_ vector: Vector) -> NetworkCredentials {
        NetworkCredentials(
            KeyDerivation.NetworkKeys(
                nid: UInt8(vector.number("nid")),
                encryptionKey: vector.key("encryptionKey"),
                privacyKey: vector.key("privacyKey")
            )
        )
    }

    static func pdu(_ vector: Vector, _ index: Int) -> NetworkPDU {
        // Messages that show a stored or repeated segment name its own SEQ; only whole messages count on from theirs.
        NetworkPDU(
            ivIndex: UInt32(vector.number("ivIndex")),
            isControl: vector.flag("ctl"),
            ttl: UInt8(vector.number("ttl")),
            sequence: UInt32(vector.number("seq")) + UInt32(index),
            source: vector.unicast("src"),
            destination: vector.address("dst"),
            transportPDU: vector.list("lowerTransportPdus")[index]
        )
    }

    @Test("every network PDU is read and written again octet for octet", arguments: messages)
    func network(vector: Vector) throws {
        let credentials = Self.credentials(vector)
        for (index, bytes) in vector.list("networkPdus").enumerated() {
            let expected = Self.pdu(vector, index)
            #expect(NetworkPDU.nid(of: bytes) == credentials.nid)
            let ivIndex = NetworkPDU.ivIndex(of: bytes, current: 0x1234_5678)
            #expect(ivIndex == expected.ivIndex)
            let decoded = try NetworkPDU(decoding: bytes, with: credentials, ivIndex: expected.ivIndex)
            #expect(decoded == expected)
            #expect(try decoded.encoded(with: credentials) == bytes)
        }
    }

    @Test("no shortened, lengthened or altered network PDU is accepted", arguments: messages)
    func networkRefuses(vector: Vector) {
        let credentials = Self.credentials(vector)
        for bytes in vector.list("networkPdus") {
            let ivIndex = UInt32(vector.number("ivIndex"))
            func refused(_ bytes: [UInt8], _ what: String) {
                #expect(throws: NetworkPDUError.self, "\(what)") {
                    try NetworkPDU(decoding: bytes, with: credentials, ivIndex: ivIndex)
                }
            }
            for length in 0..<bytes.count { refused(Array(bytes.prefix(length)), "first \(length) octets") }
            for count in 1...16 { refused(bytes + [UInt8](repeating: 0, count: count), "\(count) octets more") }
            for index in 1..<bytes.count {
                var altered = bytes
                altered[index] ^= 0x01
                refused(altered, "octet \(index) altered")
            }
            #expect(throws: NetworkPDUError.notAuthentic) {
                try NetworkPDU(decoding: bytes, with: credentials, ivIndex: ivIndex + 2)
            }
        }
    }

    @Test("every lower transport PDU is read and written again octet for octet", arguments: messages)
    func lowerTransport(vector: Vector) throws {
        for bytes in vector.list("lowerTransportPdus") {
            let pdu = try LowerTransportPDU(decoding: bytes, isControl: vector.flag("ctl"))
            #expect(pdu.encoded == bytes)
            if case .segment = pdu {
                #expect(vector.flag("segmented"))
            } else {
                #expect(!vector.flag("segmented"))
            }
        }
    }

    @Test("access messages are opened and sealed again", arguments: messages.filter { $0.has("accessPayload") })
    func upperTransport(vector: Vector) throws {
        let sequence = UInt32(vector.number("seq"))
        let label = vector.has("labelUuid") ? LabelUUID(rawValue: vector.octets16("labelUuid")) : nil
        let header = UpperTransport.Header(
            source: vector.unicast("src"),
            destination: vector.address("dst"),
            label: label,
            sequence: sequence,
            ivIndex: UInt32(vector.number("ivIndex"))
        )
        let mic: MICSize = vector.flag("szmic") ? .bits64 : .bits32
        let upper = vector.octets("upperTransportPdu")
        let payload = vector.octets("accessPayload")

        var keys = KeyRing()
        if let label { keys.add(label) }
        let key: UpperTransport.Key
        let security: MessageSecurity
        if vector.has("appKey") {
            let appKey = AppKey(index: try index(7), name: "", boundNetKey: .primary, key: vector.key("appKey"))
            keys.set(appKey)
            let credentials = ApplicationCredentials(appKey.key)
            #expect(UInt64(credentials.aid) == vector.number("aid"))
            key = .application(credentials)
            security = .application(appKey.index)
        } else {
            keys.setDeviceKey(vector.key("deviceKey"), of: vector.unicast("src"))
            key = .device(AuthenticatedCipher(key: vector.octets16("deviceKey")))
            security = .device(node: vector.unicast("src"))
        }
        #expect(UpperTransport.seal(payload, with: key, header, mic: mic) == upper)

        var blind = header
        blind.label = nil
        let opened = UpperTransport.open(
            upper,
            aid: key.aid,
            blind,
            mic: mic,
            netKeyIndex: .primary,
            keys: keys,
            own: .last
        )
        #expect(opened?.payload == payload)
        #expect(opened?.security == security)
        #expect(opened?.label == label)

        // The same octets cut into segments, or put behind the one header octet.
        let lower = vector.list("lowerTransportPdus")
        if vector.flag("segmented") {
            let content = Segment.Content.access(aid: key.aid, mic: mic)
            #expect(Segment.segments(of: upper, content: content, sequence: sequence)?.map(\.encoded) == lower)
        } else {
            #expect([LowerTransportPDU.access(aid: key.aid, upper).encoded] == lower)
        }
    }

    private func index(_ rawValue: UInt16) throws -> AppKeyIndex {
        try #require(AppKeyIndex(rawValue: rawValue))
    }

    @Test("the nonces are those of the sample data", arguments: messages)
    func nonces(vector: Vector) {
        for (index, nonce) in vector.list("networkNonces").enumerated() {
            let pdu = Self.pdu(vector, index)
            let made = Nonce.network(
                isControl: pdu.isControl,
                ttl: pdu.ttl,
                sequence: pdu.sequence,
                source: pdu.source,
                ivIndex: pdu.ivIndex
            )
            #expect(made.bytes == nonce)
        }
        guard vector.has("accessNonce") else { return }
        let mic: MICSize = vector.flag("szmic") ? .bits64 : .bits32
        let make = vector.has("appKey") ? Nonce.application : Nonce.device
        let pdu = Self.pdu(vector, 0)
        let made = make(mic, pdu.sequence, pdu.source, pdu.destination, pdu.ivIndex)
        #expect(made.bytes == vector.octets("accessNonce"))
    }
}
