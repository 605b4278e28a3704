/// Where a message goes.
package enum Destination: Hashable, Sendable {
    /// One element.
    case unicast(UnicastAddress)
    /// A group, fixed groups included.
    case group(GroupAddress)
    /// A virtual address.
    case virtual(LabelUUID)

    /// The address that stands in PDUs.
    package var address: Address {
        switch self {
        case .unicast(let unicast): unicast.address
        case .group(let group): group.address
        case .virtual(let label): label.virtualAddress
        }
    }

    /// The label of a virtual address.
    package var label: LabelUUID? {
        guard case .virtual(let label) = self else { return nil }
        return label
    }
}

/// An access message to be sent.
package struct OutgoingMessage: Hashable, Sendable {
    /// The element that sends it, one of the stack's.
    package var source: UnicastAddress
    /// Where it goes.
    package var destination: Destination
    /// The access PDU, opcode and parameters: 1 to 380 octets, 376 with a long TransMIC.
    package var payload: [UInt8]
    /// Which key encrypts it.
    package var security: MessageSecurity
    /// The subnet it is sent in; an application key must be bound to it.
    package var netKeyIndex: NetKeyIndex
    /// Whether it is secured with the old NetKey in every phase of a key refresh, because the receiver has missed the
    /// new one.
    package var usesOldNetKey = false
    /// 0 to reach neighbours only, 2 to 127 to be relayed.
    package var ttl: UInt8
    /// Whether it is segmented, and thus acknowledged by the lower transport layer, even if it fits one PDU.
    package var forcesSegmentation: Bool
    /// The size of the TransMIC; 64 bits mean segmentation (SZMIC, Mesh Protocol 3.5.2.2).
    package var transportMIC: MICSize

    package init(
        source: UnicastAddress,
        destination: Destination,
        payload: [UInt8],
        security: MessageSecurity,
        netKeyIndex: NetKeyIndex = .primary,
        ttl: UInt8,
        forcesSegmentation: Bool = false,
        transportMIC: MICSize = .bits32
    ) {
        self.source = source
        self.destination = destination
        self.payload = payload
        self.security = security
        self.netKeyIndex = netKeyIndex
        self.ttl = ttl
        self.forcesSegmentation = forcesSegmentation
        self.transportMIC = transportMIC
    }

    /// How many network PDUs carry an access payload of a size once.
    package static func pduCount(
        payloadSize: Int,
        forcesSegmentation: Bool = false,
        transportMIC: MICSize = .bits32
    ) -> Int {
        let upper = payloadSize + transportMIC.rawValue
        let fits = upper <= LowerTransportPDU.maximumAccessSize && transportMIC == .bits32 && !forcesSegmentation
        return fits ? 1 : (upper + 11) / 12
    }
}

/// A control message to be sent; segment acknowledgments are the stack's own business.
package struct OutgoingControlMessage: Hashable, Sendable {
    /// The element that sends it.
    package var source: UnicastAddress
    /// A unicast or group address.
    package var destination: Address
    /// The opcode, 0x01 to 0x7F.
    package var opcode: UInt8
    /// 0 to 256 octets; more than 11 are segmented.
    package var parameters: [UInt8]
    /// The subnet it is sent in.
    package var netKeyIndex: NetKeyIndex
    /// 0 to 127.
    package var ttl: UInt8

    package init(
        source: UnicastAddress,
        destination: Address,
        opcode: UInt8,
        parameters: [UInt8],
        netKeyIndex: NetKeyIndex = .primary,
        ttl: UInt8
    ) {
        self.source = source
        self.destination = destination
        self.opcode = opcode
        self.parameters = parameters
        self.netKeyIndex = netKeyIndex
        self.ttl = ttl
    }
}

/// An access message that arrived, was authentic and is no replay.
package struct IncomingMessage: Hashable, Sendable {
    /// The element that sent it.
    package var source: UnicastAddress
    /// The address it was sent to: one of the stack's elements, a group, or a virtual address.
    package var destination: Address
    /// The label, for a virtual address.
    package var label: LabelUUID?
    /// The access PDU, opcode and parameters, at least one octet.
    package var payload: [UInt8]
    /// Which key decrypted it.
    package var security: MessageSecurity
    /// The subnet it came in.
    package var netKeyIndex: NetKeyIndex
    /// The TTL of the (last) PDU as it arrived.
    package var ttl: UInt8
    /// The IV index it was secured under.
    package var ivIndex: UInt32
    /// The sequence number of the (first) PDU.
    package var sequence: UInt32
    /// Whether it came in segments.
    package var isSegmented: Bool
}

/// A control message that arrived; acknowledgments are not among them.
package struct IncomingControlMessage: Hashable, Sendable {
    /// The element that sent it.
    package var source: UnicastAddress
    /// The address it was sent to.
    package var destination: Address
    /// The opcode, 0x01 to 0x7F.
    package var opcode: UInt8
    /// The parameters.
    package var parameters: [UInt8]
    /// The subnet it came in.
    package var netKeyIndex: NetKeyIndex
    /// The TTL as it arrived.
    package var ttl: UInt8
}

/// Names a message that was sent, within one stack.
package struct TransmissionIdentifier: RawRepresentable, Hashable, Comparable, Sendable {
    /// Counts up from 0.
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Sending order.
    package static func < (left: TransmissionIdentifier, right: TransmissionIdentifier) -> Bool {
        left.rawValue < right.rawValue
    }
}
