/// A proxy configuration message that arrived.
package struct IncomingProxyConfiguration: Hashable, Sendable {
    /// Who sent it: an element of the proxy or of its client.
    package var source: UnicastAddress
    /// The message.
    package var message: ProxyConfigurationMessage
    /// The subnet whose key secured it.
    package var netKeyIndex: NetKeyIndex
}

extension MeshStack {
    /// The network PDU of a proxy configuration message from the primary element, to be sent as
    /// ``ProxyPDU/MessageType/configuration`` (Mesh Protocol 6.6).
    ///
    /// - Parameter usesOldNetKey: whether it is secured with the old key in every phase of a key refresh.
    /// - Throws: ``StackError`` for an unknown NetKey, more addresses than fit, or without a sequence number.
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

    /// Whether the network PDU of a proxy configuration message, which is not authentic under the IV index that is
    /// known, is so under the one after it: its sender has finished an IV update that was not heard of.
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

    /// Takes in the network PDU of a proxy configuration message.
    ///
    /// - Throws: ``ProxyConfigurationRefusal`` with the reason why it is not to be used.
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

/// Why a proxy configuration message is not to be used.
package struct ProxyConfigurationRefusal: Error, Hashable, Sendable {
    /// The reason.
    package var reason: DropReason

    init(_ reason: DropReason) {
        self.reason = reason
    }
}
