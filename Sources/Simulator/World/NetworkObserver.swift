import MeshCore

/// Reads network PDUs with all keys there are in a world, for its checks; it has no part in the network.
struct NetworkObserver {
    /// What a PDU says.
    struct Reading {
        /// The PDU in the clear.
        var pdu: NetworkPDU
        /// The NetKey that secures it.
        var key: KeyMaterial
        /// Whose sequence number it uses.
        var stream: SequenceStream { SequenceStream(source: pdu.source, ivIndex: pdu.ivIndex) }
    }

    private var keysByNID: [UInt8: [KeyMaterial]] = [:]
    private let schedules: KeySchedules

    /// Knows no keys yet.
    init(schedules: KeySchedules) {
        self.schedules = schedules
    }

    /// Learns a NetKey.
    mutating func learn(_ key: KeyMaterial) {
        let nid = schedules.subnet(key).flooding.nid
        guard !keysByNID[nid, default: []].contains(key) else { return }
        keysByNID[nid, default: []].append(key)
    }

    /// Opens a PDU; nil if no known key fits.
    func read(_ octets: [UInt8], as purpose: NetworkPDU.Purpose, current: UInt32) -> Reading? {
        guard let nid = NetworkPDU.nid(of: octets), let keys = keysByNID[nid] else { return nil }
        // One ahead too: the sender may have gone on to the next index before any node heard of it.
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
