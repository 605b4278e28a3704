package import Catalogue
package import MeshCore

/// A network PDU that reached a node over the air for the first time, or of which all copies to it were lost.
package struct HeardMessage: Hashable, Sendable {
    package let time: Instant
    /// Who heard it, or would have.
    package let uuid: DeviceUUID
    /// Who sent or relayed the copy; nil if that is not known.
    package let sender: DeviceUUID?
    /// The address of the element that sent the message.
    package let source: UnicastAddress
    /// Its sequence number: the same on each hop.
    package let sequence: UInt32
    /// The TTL on arrival; each relay has taken one.
    package let ttl: UInt8
    /// Whether all copies were lost.
    package let isLost: Bool
}

/// Which copy of a PDU a node hears first.
struct PDUArrival: Hashable {
    let node: Int
    let digest: UInt64
}

extension SimulatedWorld {
    /// A state of an element as it is at this moment, without a message for it.
    ///
    /// - Parameters:
    ///   - keys: what selects the instance.
    ///   - element: the index of the element.
    /// - Returns: the fields of the status; nil if the node has no power, the element does not have the model, or the
    ///   model does not know this instance.
    package func reading(
        of state: StateDescription,
        keys: FieldValues,
        element: Int,
        of uuid: DeviceUUID
    ) -> FieldValues? {
        guard let node = positions[uuid], nodes[node].isAlive, let server = state.server,
            nodes[node].state.elements.indices.contains(element),
            nodes[node].state.elements[element].place(of: server) != nil
        else { return nil }
        // The world itself keeps attention timers.
        if state.getMessage.opcode == HealthAttentionGet.opcode {
            return element == 0 ? ["attention": .integer(Int64(attention(of: node)))] : nil
        }
        var machine = ModelMachine(nodes[node].models, of: nodes[node].state, now: now)
        let values = state.fixedKeys.merging(keys)
        if let vendor = vendorModels[server] {
            return machine.handle(
                DecodedMessage(description: state.getMessage, values: values),
                of: vendor,
                on: element
            )?.values
        }
        let address = nodes[node].state.address
        let request = ModelRequest(
            element: element,
            server: server,
            opcode: state.getMessage.opcode,
            values: values,
            source: address,
            destination: address.address
        )
        return (try? machine.handle(request, answer: state.getMessage.answer)).flatMap(\.self)
    }

    /// The faults that the Health Servers of a node have at present, sorted; those of one element or all.
    ///
    /// - Returns: nil if there is no such Health Server with power.
    package func currentFaults(of uuid: DeviceUUID, element: Int? = nil) -> [UInt8]? {
        guard let node = positions[uuid], nodes[node].isAlive else { return nil }
        let machine = ModelMachine(nodes[node].models, of: nodes[node].state, now: now)
        let servers = machine.elements.indices.filter { machine.has(.healthServer, $0) && element ?? $0 == $0 }
        guard !servers.isEmpty else { return nil }
        return Set(servers.flatMap { machine.currentFaults($0) }).sorted()
    }

    // MARK: Following messages

    /// Tells who follows messages of a PDU that a node hears.
    func follow(_ pdu: SharedNetworkPDU, at node: Int) {
        let sender = senders.removeValue(forKey: PDUArrival(node: node, digest: pdu.digest))?.node
        tell(of: pdu, from: sender, to: node, isLost: false)
    }

    /// Notes for who follows messages from whom nodes will hear a PDU.
    ///
    /// - Parameters:
    ///   - hearers: the nodes that hear it for the first time.
    ///   - time: when they do.
    func note(_ pdu: SharedNetworkPDU, from sender: Int, to hearers: [Int], at time: Instant) {
        for node in hearers {
            let arrival = PDUArrival(node: node, digest: pdu.digest)
            if let earlier = senders[arrival], earlier.time <= time { continue }
            senders[arrival] = (sender, time)
        }
    }

    /// Tells who follows messages that all copies of a PDU to a node were lost.
    func followLoss(of pdu: SharedNetworkPDU, from sender: Int, to node: Int) {
        tell(of: pdu, from: sender, to: node, isLost: true)
    }

    private func tell(of pdu: SharedNetworkPDU, from sender: Int?, to node: Int, isLost: Bool) {
        guard let onHearing, let reading = observer.read(pdu.octets, as: .message, current: newestIVIndex) else {
            return
        }
        onHearing(
            HeardMessage(
                time: now,
                uuid: nodes[node].state.uuid,
                sender: sender.map { nodes[$0].state.uuid },
                source: reading.pdu.source,
                sequence: reading.pdu.sequence,
                ttl: reading.pdu.ttl,
                isLost: isLost
            )
        )
    }
}
