import MeshCore

/// Reads network PDUs with all keys of a world, for its checks. It takes no part in the network.
struct NetworkObserver {
    /// A PDU that was read.
    struct Reading {
        var pdu: NetworkPDU
        /// The NetKey that secures the PDU.
        var key: KeyMaterial
        /// The stream of the PDU's sequence number.
        var stream: SequenceStream { SequenceStream(source: pdu.source, ivIndex: pdu.ivIndex) }
    }

    private var keysByNID: [UInt8: [KeyMaterial]] = [:]
    private let schedules: KeySchedules

    init(schedules: KeySchedules) {
        self.schedules = schedules
    }

    mutating func learn(_ key: KeyMaterial) {
        let nid = schedules.subnet(key).flooding.nid
        guard !keysByNID[nid, default: []].contains(key) else { return }
        keysByNID[nid, default: []].append(key)
    }

    /// Opens a PDU; nil if no known key fits.
    func read(_ octets: [UInt8], as purpose: NetworkPDU.Purpose, current: UInt32) -> Reading? {
        guard let nid = NetworkPDU.nid(of: octets), let keys = keysByNID[nid] else { return nil }
        // The next index is tried too: the sender may have moved on before any node noticed.
        for newest in [current, current == .max ? current : current + 1] {
            guard let ivIndex = NetworkPDU.ivIndex(of: octets, current: newest) else { continue }
            for key in keys {
                let credentials = schedules.subnet(key).flooding
                let pdu = try? NetworkPDU(decoding: octets, with: credentials, ivIndex: ivIndex, as: purpose)
                if let pdu { return Reading(pdu: pdu, key: key) }
            }
        }
        return nil
    }
}
