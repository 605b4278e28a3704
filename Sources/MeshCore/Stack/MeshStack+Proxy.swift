/// A proxy configuration message that has arrived.
package struct IncomingProxyConfiguration: Hashable, Sendable {
    /// The element of the proxy or of its client that sent it.
    package var source: UnicastAddress
    /// The message.
    package var message: ProxyConfigurationMessage
    /// The subnet whose key secured it.
    package var netKeyIndex: NetKeyIndex
}

extension MeshStack {
    /// Makes the network PDU of a proxy configuration message from the primary element. Send it as
    /// ``ProxyPDU/MessageType/configuration`` (Mesh Protocol 6.6).
    ///
    /// - Parameter usesOldNetKey: whether to secure it with the old key in every phase of a key refresh.
    /// - Throws: ``StackError/unknownNetKey(_:)``, ``StackError/payloadSize(_:)`` for more addresses than fit, or
    ///   ``StackError/sequenceNumbers(_:)``.
    package mutating func encode(
        _ message: ProxyConfigurationMessage,
        netKeyIndex: NetKeyIndex = .primary,
        usesOldNetKey: Bool = false
    ) throws(StackError) -> [UInt8] {
        guard let credentials = keys.transmitCredentials(netKeyIndex, prefersOld: usesOldNetKey) else {
            throw .unknownNetKey(netKeyIndex)
        }
        let transportPDU = message.encoded
        guard transportPDU.count <= NetworkPDU.maximumTransportSize(isControl: true) else {
            throw .payloadSize(transportPDU.count)
        }
        let pdu = NetworkPDU(
            ivIndex: ivIndex.transmitValue,
            isControl: true,
            ttl: 0,
            sequence: try nextSequence(address),
            source: address,
            destination: .unassigned,
            transportPDU: transportPDU
        )
        do throws(DecodeError) {
            return try pdu.encoded(with: credentials.flooding, as: .proxyConfiguration)
        } catch {
            preconditionFailure("a proxy configuration PDU of our own has fields out of range: \(error)")
        }
    }

    /// Whether the network PDU of a proxy configuration message is authentic with the IV index after the known one. Its
    /// sender then has finished an IV update of which we have not heard.
    package func isUnderNextIVIndex(proxyConfiguration bytes: [UInt8]) -> Bool {
        guard ivIndex.value < .max, (NetworkPDU.minimumSize...NetworkPDU.maximumSize).contains(bytes.count),
            let nid = NetworkPDU.nid(of: bytes)
        else { return false }
        return keys.candidates(nid: nid)
            .contains { candidate in
                let credentials = candidate.credentials.flooding
                let index = ivIndex.value + 1
                return
                    (try? NetworkPDU(decoding: bytes, with: credentials, ivIndex: index, as: .proxyConfiguration))
                    != nil
            }
    }

    /// Receives the network PDU of a proxy configuration message.
    ///
    /// - Throws: ``ProxyConfigurationRefusal`` with the reason why the message must not be used.
    package mutating func receive(
        proxyConfiguration bytes: [UInt8]
    ) throws(ProxyConfigurationRefusal) -> IncomingProxyConfiguration {
        let pdu: NetworkPDU
        let netKeyIndex: NetKeyIndex
        do throws(NetworkPDUError) {
            (pdu, netKeyIndex) = try decode(networkPDU: bytes, as: .proxyConfiguration)
        } catch { throw ProxyConfigurationRefusal(.network(error)) }
        guard !isElement(pdu.source.address) else { throw ProxyConfigurationRefusal(.ownSource) }
        switch replay.verdict(pdu.source, ivIndex: pdu.ivIndex, sequence: pdu.sequence) {
        case .replayed: throw ProxyConfigurationRefusal(.replayed)
        case .full: throw ProxyConfigurationRefusal(.replayListFull)
        case .accepted: replay.record(pdu.source, ivIndex: pdu.ivIndex, sequence: pdu.sequence)
        }
        do throws(DecodeError) {
            let message = try ProxyConfigurationMessage(decoding: pdu.transportPDU)
            return IncomingProxyConfiguration(source: pdu.source, message: message, netKeyIndex: netKeyIndex)
        } catch { throw ProxyConfigurationRefusal(.malformedControl(error)) }
    }
}

/// Why a proxy configuration message must not be used.
package struct ProxyConfigurationRefusal: Error, Hashable, Sendable {
    /// The reason.
    package var reason: DropReason

    init(_ reason: DropReason) {
        self.reason = reason
    }
}
