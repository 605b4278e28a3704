package import Catalogue
package import MeshCore

/// A network PDU that reached a node over the air for the first time.
package struct HeardMessage: Hashable, Sendable {
    /// When.
    package let time: Instant
    /// Who heard it.
    package let uuid: DeviceUUID
    /// The address of the element that sent the message.
    package let source: UnicastAddress
    /// The TTL on arrival; each relay has taken one.
    package let ttl: UInt8
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

    /// Tells who follows messages of a PDU that a node hears.
    func follow(_ pdu: SharedNetworkPDU, at node: Int) {
        guard let onHearing, let reading = observer.read(pdu.octets, as: .message, current: newestIVIndex) else {
            return
        }
        onHearing(
            HeardMessage(time: now, uuid: nodes[node].state.uuid, source: reading.pdu.source, ttl: reading.pdu.ttl)
        )
    }
}
