/// A network PDU that many receivers of one thread hear, as in a simulated network. What they compute alike is computed
/// once: the PDU that a key opens, its lower transport PDU, the payload that an AppKey opens, and the PDU to relay.
///
/// Every result is kept under all that it depends on: the keys and the IV index that a receiver tries. So receivers
/// with other keys, or at another step of an IV update or a key refresh, get results of their own. What was computed
/// lives as long as the PDU itself. Threads must not share an instance.
package final class SharedNetworkPDU {
    /// The PDU as it is on air.
    package let octets: [UInt8]
    /// Tells PDUs apart: equal octets have equal digests, and 64 bits make it unlikely that others do.
    package let digest: UInt64
    /// What came of opening it, once per key and IV index that somebody tried.
    private var openings: [Opening] = []

    private struct Opening {
        let credentials: NetworkCredentials
        let ivIndex: UInt32
        let result: Result<OpenedNetworkPDU, NetworkPDUError>
    }

    /// A PDU on air.
    package init(_ octets: [UInt8]) {
        self.octets = octets
        digest = SharedNetworkPDU.digest(of: octets)
    }

    /// The PDU, opened with a key.
    ///
    /// - Throws: ``NetworkPDUError`` as ``NetworkPDU`` does.
    func opened(
        with credentials: NetworkCredentials,
        ivIndex: UInt32
    ) throws(NetworkPDUError) -> OpenedNetworkPDU {
        for opening in openings where opening.credentials === credentials && opening.ivIndex == ivIndex {
            return try opening.result.get()
        }
        let result: Result<OpenedNetworkPDU, NetworkPDUError>
        do throws(NetworkPDUError) {
            result = .success(OpenedNetworkPDU(try NetworkPDU(decoding: octets, with: credentials, ivIndex: ivIndex)))
        } catch { result = .failure(error) }
        openings.append(Opening(credentials: credentials, ivIndex: ivIndex, result: result))
        return try result.get()
    }

    /// Each word of eight octets is mixed by a multiplication of 64 by 64 bits, whose halves are folded.
    private static func digest(of octets: [UInt8]) -> UInt64 {
        func mixed(_ value: UInt64, _ factor: UInt64) -> UInt64 {
            let product = value.multipliedFullWidth(by: factor)
            return product.high ^ product.low
        }
        var digest = UInt64(octets.count) ^ 0xA076_1D64_78BD_642F
        var word: UInt64 = 0
        for index in octets.indices {
            word = word << 8 | UInt64(octets[index])
            guard index & 7 == 7 else { continue }
            digest = mixed(digest ^ word, 0xE703_7ED1_A0B4_28DB) &+ word
            word = 0
        }
        return mixed(digest ^ word, 0x8EBC_6AF0_9C88_C6E3) ^ digest
    }
}

/// A network PDU that a key has opened, with what its receivers make of it. Threads must not share an instance.
final class OpenedNetworkPDU {
    /// The PDU.
    let pdu: NetworkPDU
    private var transport: Result<LowerTransportPDU, DecodeError>?
    private var payloads: [Payload] = []
    private var relayed: [(credentials: SubnetCredentials, pdu: SharedNetworkPDU)] = []

    private struct Payload {
        let cipher: AuthenticatedCipher
        let label: LabelUUID?
        let payload: [UInt8]?
    }

    init(_ pdu: NetworkPDU) {
        self.pdu = pdu
    }

    /// The lower transport PDU.
    ///
    /// - Throws: ``DecodeError`` if the PDU does not contain one.
    func lowerTransportPDU() throws(DecodeError) -> LowerTransportPDU {
        if let transport { return try transport.get() }
        let result: Result<LowerTransportPDU, DecodeError>
        do throws(DecodeError) {
            result = .success(try LowerTransportPDU(decoding: pdu.transportPDU, isControl: pdu.isControl))
        } catch { result = .failure(error) }
        transport = result
        return try result.get()
    }

    /// The access payload of an unsegmented message that an AppKey opens, with a label for a virtual address; nil if it
    /// is not authentic. `open` is called only if nobody has tried that key with that label.
    func payload(_ cipher: AuthenticatedCipher, _ label: LabelUUID?, open: () -> [UInt8]?) -> [UInt8]? {
        for known in payloads where known.cipher === cipher && known.label == label { return known.payload }
        let payload = open()
        payloads.append(Payload(cipher: cipher, label: label, payload: payload))
        return payload
    }

    /// The PDU with its TTL reduced by one, secured for a subnet. `seal` is called only the first time.
    func relayed(with credentials: SubnetCredentials, seal: () -> [UInt8]) -> SharedNetworkPDU {
        for known in relayed where known.credentials === credentials { return known.pdu }
        let pdu = SharedNetworkPDU(seal())
        relayed.append((credentials, pdu))
        return pdu
    }
}
