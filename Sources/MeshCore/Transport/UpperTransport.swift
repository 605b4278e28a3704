/// The key that secures an access message.
package enum MessageSecurity: Hashable, Sendable {
    /// The device key of the node whose primary element has that address.
    case device(node: UnicastAddress)
    case application(AppKeyIndex)
}

/// Encrypts and decrypts access messages (Mesh Protocol 3.6.4).
enum UpperTransport {
    /// The header fields that determine the nonce of a message.
    struct Header {
        var source: UnicastAddress
        var destination: Address
        var label: LabelUUID?
        /// The sequence number of the first segment.
        var sequence: UInt32
        var ivIndex: UInt32
    }

    /// A key for encryption.
    enum Key {
        case device(AuthenticatedCipher)
        case application(ApplicationCredentials)

        /// The AID in PDUs; nil for a device key.
        var aid: UInt8? {
            switch self {
            case .device: nil
            case .application(let credentials): credentials.aid
            }
        }
    }

    /// The most octets of an upper transport access PDU.
    static let maximumSize = 384

    /// Encrypts an access payload into an upper transport PDU, which ends with the TransMIC.
    static func seal(_ payload: [UInt8], with key: Key, _ header: Header, mic: MICSize) -> [UInt8] {
        switch key {
        case .device(let cipher):
            cipher.seal(payload, nonce: deviceNonce(header, mic), mic: mic)
        case .application(let credentials):
            credentials.cipher.seal(
                payload,
                nonce: applicationNonce(header, mic),
                additional: header.label?.rawValue.bytes ?? [],
                mic: mic
            )
        }
    }

    /// The contents of an opened upper transport PDU.
    struct Opened {
        let payload: [UInt8]
        /// The key that authenticates it.
        let security: MessageSecurity
        /// The label of a virtual address.
        var label: LabelUUID?
        /// Whether that key is the candidate for the device key.
        var isCandidate = false
    }

    /// Opens an upper transport PDU with the known key and label that authenticate it; nil if none does.
    ///
    /// - Parameters:
    ///   - aid: the AID; nil for a device key.
    ///   - own: the address of the receiver's primary element.
    ///   - shared: what other receivers of the same unsegmented message have found out.
    static func open(
        _ upper: [UInt8],
        aid: UInt8?,
        _ header: Header,
        mic: MICSize,
        netKeyIndex: NetKeyIndex,
        keys: KeyRing,
        own: UnicastAddress,
        shared: OpenedNetworkPDU? = nil
    ) -> Opened? {
        guard upper.count > mic.rawValue else { return nil }
        guard let aid else {
            // A node answers with its own device key, and a configuration client requests with the node's key: ours.
            let nonce = deviceNonce(header, mic)
            for node in [header.source, own] {
                guard let cipher = keys.deviceCipher(node) else { continue }
                if let payload = cipher.open(upper[...], nonce: nonce, mic: mic) {
                    return Opened(payload: payload, security: .device(node: node))
                }
                if let cipher = keys.deviceCandidateCipher(node),
                    let payload = cipher.open(upper[...], nonce: nonce, mic: mic)
                {
                    return Opened(payload: payload, security: .device(node: node), isCandidate: true)
                }
            }
            return nil
        }
        let nonce = applicationNonce(header, mic)
        let isVirtual = header.destination.kind == .virtual
        let labels: [LabelUUID?] = isVirtual ? keys.labels(of: header.destination) : [nil]
        for candidate in keys.candidates(aid: aid) where candidate.boundNetKey == netKeyIndex {
            for label in labels {
                let cipher = candidate.credentials.cipher
                func opened() -> [UInt8]? {
                    cipher.open(upper[...], nonce: nonce, additional: label?.rawValue.bytes ?? [], mic: mic)
                }
                let payload = if let shared { shared.payload(cipher, label, open: opened) } else { opened() }
                if let payload {
                    return Opened(payload: payload, security: .application(candidate.index), label: label)
                }
            }
        }
        return nil
    }

    private static func deviceNonce(_ header: Header, _ mic: MICSize) -> Nonce {
        .device(
            mic: mic,
            sequence: header.sequence,
            source: header.source,
            destination: header.destination,
            ivIndex: header.ivIndex
        )
    }

    private static func applicationNonce(_ header: Header, _ mic: MICSize) -> Nonce {
        .application(
            mic: mic,
            sequence: header.sequence,
            source: header.source,
            destination: header.destination,
            ivIndex: header.ivIndex
        )
    }
}
