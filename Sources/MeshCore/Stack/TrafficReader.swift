/// Reads what others say to each other: opens network PDUs with known keys and puts segments together. It takes no part
/// in the network: nothing is sent, and nothing is protected against replays.
package struct TrafficReader {
    /// One network PDU, opened.
    package struct Reading: Hashable, Sendable {
        /// The element that sent it.
        package let source: UnicastAddress
        package let destination: Address
        package let sequence: UInt32
        package let ttl: UInt8
        package let ivIndex: UInt32
        /// The subnet whose key secures it.
        package let netKeyIndex: NetKeyIndex
        package let content: Content
    }

    /// What a network PDU carries.
    package enum Content: Hashable, Sendable {
        /// A whole access message, the last segment of which this PDU may be: opcode and parameters, the key, the label
        /// of a virtual destination.
        case access([UInt8], MessageSecurity, LabelUUID?)
        /// A segment of a message that is not complete yet, or was complete before: its number from 0, and the last
        /// one's.
        case segment(UInt8, last: UInt8)
        /// Segments that have arrived, as a bit for each.
        case acknowledgment(UInt32)
        /// A heartbeat: the hops that it took.
        case heartbeat(Heartbeat, hops: Int)
        /// Another control message.
        case control(opcode: UInt8, [UInt8])
        case proxyConfiguration(ProxyConfigurationMessage)
        /// An access message that no known key opens; the AID, nil for a device key.
        case undecryptable(aid: UInt8?)
        /// No lower transport PDU.
        case malformed(DecodeError)
    }

    private struct Message: Hashable {
        var source: UnicastAddress
        var destination: Address
        var sequence: UInt32
    }

    /// The most messages in reassembly; the oldest are given up.
    private static let mostMessages = 128
    /// How many IV indexes before the known one are tried: a capture may be older than the database.
    private static let reach: Int64 = 16

    private let keys: KeyRing
    private var ivIndex: UInt32
    private var parts: [Message: [UInt8: [UInt8]]] = [:]
    private var order: [Message] = []

    /// A reader with the keys of a network.
    ///
    /// - Parameter ivIndex: the last IV index that is known.
    package init(keys: KeyRing, ivIndex: UInt32) {
        self.keys = keys
        self.ivIndex = ivIndex
    }

    /// Reads a network PDU.
    ///
    /// - Throws: ``NetworkPDUError`` if it is malformed, or no known key opens it.
    package mutating func read(networkPDU bytes: [UInt8]) throws(NetworkPDUError) -> Reading {
        let (pdu, index) = try open(bytes, as: .message)
        let content: Content
        do throws(DecodeError) {
            content = contents(
                of: try LowerTransportPDU(decoding: pdu.transportPDU, isControl: pdu.isControl),
                pdu,
                index
            )
        } catch {
            content = .malformed(error)
        }
        return reading(pdu, index, content)
    }

    /// Reads the network PDU of a proxy configuration message.
    ///
    /// - Throws: ``NetworkPDUError`` if it is malformed, or no known key opens it.
    package mutating func read(proxyConfiguration bytes: [UInt8]) throws(NetworkPDUError) -> Reading {
        let (pdu, index) = try open(bytes, as: .proxyConfiguration)
        do throws(DecodeError) {
            let message = try ProxyConfigurationMessage(decoding: pdu.transportPDU)
            return reading(pdu, index, .proxyConfiguration(message))
        } catch {
            return reading(pdu, index, .malformed(error))
        }
    }

    /// Reads a beacon, with its type octet. One of a known subnet tells the IV index of what follows.
    package mutating func read(beacon bytes: [UInt8]) throws(DecodeError) -> AuthenticBeacon? {
        guard let beacon = try AuthenticBeacon(bytes, under: keys) else { return nil }
        ivIndex = beacon.ivIndex.value
        return beacon
    }

    private func reading(_ pdu: NetworkPDU, _ index: NetKeyIndex, _ content: Content) -> Reading {
        Reading(
            source: pdu.source,
            destination: pdu.destination,
            sequence: pdu.sequence,
            ttl: pdu.ttl,
            ivIndex: pdu.ivIndex,
            netKeyIndex: index,
            content: content
        )
    }

    private func open(
        _ bytes: [UInt8],
        as purpose: NetworkPDU.Purpose
    ) throws(NetworkPDUError) -> (NetworkPDU, NetKeyIndex) {
        // The bit of the PDU says whether the index is even. The known one and its neighbours come first.
        let bit = UInt32((bytes.first ?? 0) >> 7)
        let earlier = [0, 1, -1] + (2...Self.reach)
        let indexes = earlier.lazy.compactMap { UInt32(exactly: Int64(ivIndex) - $0) }.filter { $0 & 1 == bit }
        return try keys.open(bytes, as: purpose, under: indexes)
    }

    private mutating func contents(
        of transportPDU: LowerTransportPDU,
        _ pdu: NetworkPDU,
        _ index: NetKeyIndex
    ) -> Content {
        switch transportPDU {
        case .access(let aid, let upper): return opened(upper, aid, .bits32, pdu, sequence: pdu.sequence, index)
        case .acknowledgment(let acknowledgment): return .acknowledgment(acknowledgment.blockAck)
        case .control(let opcode, let parameters): return control(opcode, parameters, pdu)
        case .segment(let segment):
            guard let sequence = Segment.sequence(ofFirst: segment.seqZero, in: pdu.sequence),
                let upper = assembled(segment, pdu, sequence)
            else { return .segment(segment.offset, last: segment.last) }
            switch segment.content {
            case .access(let aid, let mic): return opened(upper, aid, mic, pdu, sequence: sequence, index)
            case .control(let opcode): return control(opcode, upper, pdu)
            }
        }
    }

    private func control(_ opcode: UInt8, _ parameters: [UInt8], _ pdu: NetworkPDU) -> Content {
        guard opcode == Heartbeat.opcode, let heartbeat = try? Heartbeat(decoding: parameters) else {
            return .control(opcode: opcode, parameters)
        }
        return .heartbeat(heartbeat, hops: heartbeat.hops(receivedTTL: pdu.ttl))
    }

    /// The upper transport PDU that a segment completes; nil if it does not, or did before.
    private mutating func assembled(_ segment: Segment, _ pdu: NetworkPDU, _ sequence: UInt32) -> [UInt8]? {
        let message = Message(source: pdu.source, destination: pdu.destination, sequence: sequence)
        if parts[message] == nil {
            order.append(message)
            if order.count > Self.mostMessages { parts[order.removeFirst()] = nil }
        }
        let isNew = parts[message, default: [:]].updateValue(segment.bytes, forKey: segment.offset) == nil
        guard isNew, let all = parts[message], all.count == Int(segment.last) + 1 else { return nil }
        var upper: [UInt8] = []
        for offset in 0...segment.last {
            guard let part = all[offset] else { return nil }
            upper += part
        }
        return upper
    }

    private func opened(
        _ upper: [UInt8],
        _ aid: UInt8?,
        _ mic: MICSize,
        _ pdu: NetworkPDU,
        sequence: UInt32,
        _ index: NetKeyIndex
    ) -> Content {
        let header = UpperTransport.Header(
            source: pdu.source,
            destination: pdu.destination,
            sequence: sequence,
            ivIndex: pdu.ivIndex
        )
        let opened = UpperTransport.open(
            upper,
            aid: aid,
            header,
            mic: mic,
            netKeyIndex: index,
            keys: keys,
            // A request is made with the key of the node that gets it.
            own: UnicastAddress(rawValue: pdu.destination.rawValue) ?? pdu.source
        )
        guard let opened else { return .undecryptable(aid: aid) }
        return .access(opened.payload, opened.security, opened.label)
    }
}
