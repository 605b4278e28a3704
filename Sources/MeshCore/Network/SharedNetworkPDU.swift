/// A network PDU that many receivers of one thread hear, as in a simulated network. What they compute alike is computed
/// once: the PDU that a key opens, its lower transport PDU, the payload that an AppKey opens, and the PDU to relay.
///
/// Every result is kept under all that it depends on: the keys and the IV index that a receiver tries. So receivers
/// with other keys, or at another step of an IV update or a key refresh, get results of their own. What was computed
/// lives as long as the PDU itself. Threads must not share an instance.
package final class SharedNetworkPDU {
    package let octets: [UInt8]
    /// Tells PDUs apart: equal octets have equal digests, and 64 bits make it unlikely that others do.
    package let digest: UInt64
    /// What came of opening it, once per key and IV index that somebody tried.
    private var openings: [Opening] = []
    /// What the last participant that looked at it sees.
    private(set) var sight = Sight()
    /// What participants with that sight open; nil if no key of theirs opens it.
    private(set) var opened: (pdu: OpenedNetworkPDU, netKeyIndex: NetKeyIndex)?
    /// The PDU that participants with that sight relay; nil for none.
    package private(set) var onward: SharedNetworkPDU?
    /// The destination that participants with that sight read in it.
    package var destination: Address { sight.destination }
    /// Where a shared network message cache has it; see ``SharedRecency``.
    var cacheHint = 0
    /// What came of looking at it, once per view and IV index that somebody looked with.
    private var looks: [Look] = []

    /// The network layer of the PDU, as participants with the same keys and IV index see it.
    struct Sight {
        /// The view of these participants; nil if nobody has looked yet.
        var view: ObjectIdentifier?
        var ivIndex: UInt32 = 0
        /// Whether they have a key that opens it.
        var isOpen = false
        /// Whether its destination is a unicast address, so that it concerns one participant at most.
        var isForOthers = false
        /// Whether there is a PDU to relay.
        var hasOnward = false
        var source = Address.unassigned
        var destination = Address.unassigned
        /// What the network message cache knows it by.
        var identity: UInt64 = 0
    }

    private struct Look {
        /// Kept, so that no other view gets its identity.
        let view: NetworkView
        let sight: Sight
        let opened: (pdu: OpenedNetworkPDU, netKeyIndex: NetKeyIndex)?
        let onward: SharedNetworkPDU?
    }

    private struct Opening {
        let credentials: NetworkCredentials
        let ivIndex: UInt32
        let result: Result<OpenedNetworkPDU, NetworkPDUError>
    }

    package init(_ octets: [UInt8]) {
        self.octets = octets
        digest = SharedNetworkPDU.digest(of: octets)
    }

    /// The PDU, opened with a key.
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

    /// Whether ``sight`` is that of participants with a view and an IV index.
    func isSeen(_ view: ObjectIdentifier, _ ivIndex: UInt32) -> Bool { sight.view == view && sight.ivIndex == ivIndex }

    /// Sets ``sight``, ``opened`` and ``onward`` to those of participants with a view and an IV index.
    ///
    /// - Parameter open: what the keys of the view open, and what to relay. Called only if nobody has looked like that
    ///   before.
    func look(
        as view: NetworkView,
        _ ivIndex: UInt32,
        open: () -> (opened: OpenedNetworkPDU, netKeyIndex: NetKeyIndex, onward: SharedNetworkPDU?)?
    ) {
        let look: Look
        if let known = looks.first(where: { $0.view === view && $0.sight.ivIndex == ivIndex }) {
            look = known
        } else {
            let found = open()
            var sight = Sight(view: view.identity, ivIndex: ivIndex)
            if let found {
                let pdu = found.opened.pdu
                sight.isOpen = true
                sight.isForOthers = pdu.destination.kind == .unicast
                sight.hasOnward = found.onward != nil
                sight.source = pdu.source.address
                sight.destination = pdu.destination
                sight.identity = NetworkMessageCache.identity(of: pdu)
            }
            let opened = found.map { (pdu: $0.opened, netKeyIndex: $0.netKeyIndex) }
            look = Look(view: view, sight: sight, opened: opened, onward: found?.onward)
            looks.append(look)
        }
        sight = look.sight
        opened = look.opened
        onward = look.onward
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
    let pdu: NetworkPDU
    /// Where a shared network message cache has it; see ``SharedRecency``.
    var cacheHint = 0
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
