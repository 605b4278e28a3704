import TestSupport
import Testing

@testable import MeshCore

@Suite("Proxy vectors")
struct ProxyVectorTests {
    static let configurations = Vector.list("proxy", "proxyConfiguration")
    static let advertisements = Vector.list("proxy", "advertising")

    @Test("proxy configuration messages are read and written again octet for octet", arguments: configurations)
    func configuration(vector: Vector) throws {
        let credentials = NetworkVectorTests.credentials(vector)
        let ivIndex = UInt32(vector.number("ivIndex"))
        let bytes = vector.octets("networkPdu")
        let pdu = try NetworkPDU(decoding: bytes, with: credentials, ivIndex: ivIndex, as: .proxyConfiguration)
        #expect(pdu.source == vector.unicast("src"))
        #expect(pdu.destination == .unassigned)
        #expect(UInt64(pdu.sequence) == vector.number("seq"))
        #expect(pdu.transportPDU == vector.octets("transportPdu"))
        #expect(try pdu.encoded(with: credentials, as: .proxyConfiguration) == bytes)
        let nonce = Nonce.proxy(sequence: pdu.sequence, source: pdu.source, ivIndex: ivIndex)
        #expect(nonce.bytes == vector.octets("proxyNonce"))

        let message = try ProxyConfigurationMessage(decoding: pdu.transportPDU)
        #expect(message.encoded == pdu.transportPDU)
        #expect(message == expected(vector))

        let whole = vector.octets("proxyPdu")
        let proxyPDU = ProxyPDU(type: .configuration, payload: bytes)
        #expect(ProxySegmenter.packets(of: proxyPDU, maximumSize: 66) == [whole])
        var reassembler = ProxyReassembler()
        #expect(try reassembler.receive(whole, at: .zero) == proxyPDU)
        // With the nonce of a message it is somebody else's PDU.
        #expect(throws: NetworkPDUError.notAuthentic) {
            try NetworkPDU(decoding: bytes, with: credentials, ivIndex: ivIndex)
        }
    }

    private func expected(_ vector: Vector) -> ProxyConfigurationMessage? {
        switch vector.testDescription {
        case "8.9.1": .setFilterType(.acceptList)
        case "8.9.2": .directedProxyCapabilitiesStatus(isEnabled: true, usesDirected: true)
        case "8.9.3":
            UnicastAddress(rawValue: 0x0607).map { .directedProxyControl(UnicastAddressRange(first: $0, count: 3)) }
        case "computed-set-filter-reject": .setFilterType(.rejectList)
        case "computed-add-addresses":
            .addAddresses([Address(rawValue: 0x0001), Address(rawValue: 0xC000), Address(rawValue: 0xFFFF)])
        default: nil
        }
    }

    @Test("no shortened or lengthened configuration message is accepted", arguments: configurations)
    func configurationRefuses(vector: Vector) throws {
        let bytes = vector.octets("transportPdu")
        for length in 0..<bytes.count {
            // Whole addresses fewer make another message.
            if bytes[0] == 0x01, length >= 3, length % 2 == 1 { continue }
            #expect(throws: DecodeError.self, "\(length)") {
                try ProxyConfigurationMessage(decoding: Array(bytes.prefix(length)))
            }
        }
        let message = try ProxyConfigurationMessage(decoding: bytes)
        let longer = try? ProxyConfigurationMessage(decoding: bytes + [0])
        #expect(longer == nil, "\(message)")
    }

    @Test("values that the specification prohibits are refused")
    func prohibited() {
        for bytes in ["0002", "010000ff", "03020001", "0402 01", "0502", "050186070 1", "0501 fff0 20", "06", "01"] {
            #expect(throws: DecodeError.self, "\(bytes)") { try ProxyConfigurationMessage(decoding: hex(bytes)) }
        }
        let six = [UInt8](repeating: 1, count: 13)
        #expect(throws: DecodeError.self) { try ProxyConfigurationMessage(decoding: six) }
    }

    @Test("many addresses go in several messages that each fit a PDU")
    func chunks() {
        let addresses = (1...12).map { Address(rawValue: $0) }
        let messages = ProxyConfigurationMessage.adding(addresses)
        #expect(messages.map(\.encoded.count) == [11, 11, 5])
        #expect(
            messages.flatMap { message -> [Address] in
                guard case .addAddresses(let some) = message else { return [] }
                return some
            } == addresses
        )
    }

    @Test("the solicitation is read and written again")
    func solicitation() throws {
        let vector = Vector.object("proxy", "solicitation")
        let credentials = NetworkCredentials(flooding: vector.key("netKey"))
        let bytes = vector.octets("solicitationPdu")
        let pdu = try NetworkPDU(decoding: bytes, with: credentials, ivIndex: 0, as: .proxySolicitation)
        #expect(pdu.source == vector.unicast("src"))
        #expect(pdu.sequence == 1)
        #expect(try pdu.encoded(with: credentials, as: .proxySolicitation) == bytes)
        let nonce = Nonce.proxySolicitation(sequence: pdu.sequence, source: pdu.source)
        #expect(nonce.bytes == vector.octets("nonce"))
        for length in 0..<bytes.count {
            #expect(throws: NetworkPDUError.self) {
                try NetworkPDU(
                    decoding: Array(bytes.prefix(length)),
                    with: credentials,
                    ivIndex: 0,
                    as: .proxySolicitation
                )
            }
        }
    }

    @Test("service data of the proxy service", arguments: advertisements.filter { $0.has("identificationType") })
    func advertising(vector: Vector) throws {
        let bytes = vector.octets("serviceData")
        let credentials = SubnetCredentials(vector.key("netKey"))
        let other = SubnetCredentials(KeyMaterial(Octets16(high: 0, low: 1)))
        let node = vector.has("address") ? vector.unicast("address") : .first
        let advertisement = try ProxyAdvertisement(decoding: bytes)
        #expect(advertisement.encoded == bytes)
        #expect(advertisement.names(node, credentials: credentials))
        #expect(!advertisement.names(node, credentials: other))
        #expect(advertisement.names(.last, credentials: credentials) == !vector.has("address"))
        for length in 0..<bytes.count {
            #expect(throws: DecodeError.self) { try ProxyAdvertisement(decoding: Array(bytes.prefix(length))) }
        }
        #expect(throws: DecodeError.self) { try ProxyAdvertisement(decoding: bytes + [0]) }
    }

    @Test("service data of the provisioning service")
    func provisioning() throws {
        let vector = try #require(Self.advertisements.first { $0.has("deviceUuid") })
        let bytes = vector.octets("serviceData")
        let advertisement = try ProvisioningAdvertisement(decoding: bytes)
        #expect(advertisement.uuid.rawValue == vector.octets16("deviceUuid"))
        #expect(UInt64(advertisement.oobInformation) == vector.number("oobInformation"))
        #expect(advertisement.encoded == bytes)
        for length in 0..<bytes.count {
            #expect(throws: DecodeError.self) { try ProvisioningAdvertisement(decoding: Array(bytes.prefix(length))) }
        }
        #expect(throws: DecodeError.self) { try ProvisioningAdvertisement(decoding: bytes + [0]) }
    }
}
