/// Which key secures an access message.
package enum MessageSecurity: Hashable, Sendable {
    /// The device key of the node whose primary element has that address.
    case device(node: UnicastAddress)
    /// An application key.
    case application(AppKeyIndex)
}

/// Encrypts and decrypts access messages (Mesh Protocol 3.6.4).
enum UpperTransport {
    /// The header fields that the nonce of a message is made of.
    struct Header {
        var source: UnicastAddress
        var destination: Address
        var label: LabelUUID?
        /// The sequence number of the first segment.
        var sequence: UInt32
        var ivIndex: UInt32
    }

    /// A key to encrypt with.
    enum Key {
        case device(AuthenticatedCipher)
        case application(ApplicationCredentials)

        /// The AID to send, nil for a device key.
        var aid: UInt8? {
            switch self {
            case .device: nil
            case .application(let credentials): credentials.aid
            }
        }
    }

    /// The most octets of an upper transport access PDU.
    static let maximumSize = 384

    /// The upper transport PDU of an access payload: its encryption and the TransMIC.
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

    /// What was found in an upper transport PDU.
    struct Opened {
        let payload: [UInt8]
        /// The key it is authentic under.
        let security: MessageSecurity
        /// The label, for a virtual address.
        var label: LabelUUID?
        /// Whether the key is the candidate for the device key.
        var isCandidate = false
    }

    /// An upper transport PDU opened with whichever known key and label it is authentic under.
    ///
    /// - Parameters:
    ///   - aid: nil for a device key.
    ///   - own: the primary element address of the receiver.
    static func open(
        _ upper: [UInt8],
        aid: UInt8?,
        _ header: Header,
        mic: MICSize,
        netKeyIndex: NetKeyIndex,
        keys: KeyRing,
        own: UnicastAddress
    ) -> Opened? {
        guard upper.count > mic.rawValue else { return nil }
        guard let aid else {
            // A node answers with its own device key, a configuration client asks with the node's: ours.
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
                if let payload = cipher.open(
                    upper[...],
                    nonce: nonce,
                    additional: label?.rawValue.bytes ?? [],
                    mic: mic
                ) {
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
