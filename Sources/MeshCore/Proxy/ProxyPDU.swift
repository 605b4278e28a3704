/// One reassembled PDU of the proxy protocol (Mesh Protocol 6.3).
package struct ProxyPDU: Hashable, Sendable {
    /// The contents of a PDU, 6 bits.
    package enum MessageType: UInt8, CaseIterable, Sendable {
        case network = 0x00
        /// A mesh beacon with its type octet.
        case beacon = 0x01
        case configuration = 0x02
        case provisioning = 0x03
    }

    package var type: MessageType
    /// The octets of the contents, at least one.
    package var payload: [UInt8]

    package init(type: MessageType, payload: [UInt8]) {
        self.type = type
        self.payload = payload
    }

    /// The most octets of a reassembled payload. It is more than any message has, and bounds what a hostile peer can
    /// cause.
    package static let maximumSize = 1024
}

/// The segmentation field at the start of every packet, 2 bits (Mesh Protocol 6.3.1).
enum ProxySegmentation: UInt8 {
    case complete = 0
    case first = 1
    case continuation = 2
    case last = 3
}

/// Splits proxy PDUs into packets that fit a link (Mesh Protocol 6.3.2).
package enum ProxySegmenter {
    /// The packets of a PDU, each with its header octet.
    ///
    /// - Parameter maximumSize: the most octets of a packet, header included: ATT_MTU − 3, at least 2.
    package static func packets(of pdu: ProxyPDU, maximumSize: Int) -> [[UInt8]] {
        let size = max(1, maximumSize - 1)
        guard pdu.payload.count > size else { return [[pdu.type.rawValue] + pdu.payload] }
        return stride(from: 0, to: pdu.payload.count, by: size).map { start in
            let end = min(start + size, pdu.payload.count)
            let segmentation: ProxySegmentation =
                start == 0 ? .first : end == pdu.payload.count ? .last : .continuation
            return [segmentation.rawValue << 6 | pdu.type.rawValue] + pdu.payload[start..<end]
        }
    }
}
