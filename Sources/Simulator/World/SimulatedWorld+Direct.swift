package import MeshCore

/// What reaches devices and nodes without the radio, and takes no time.
extension SimulatedWorld {
    /// Whether no device or node departs from the specification or has a fault.
    package var areAllOrdinary: Bool {
        !settings.sharesSubscriptionLists
            && nodes.allSatisfy { node in
                node.faults.quirks.isEmpty && node.description?.sharesSubscriptionLists != true
            }
    }

    /// How many elements a device has that is in no network; nil if there is no such device.
    package func elementCount(ofDevice uuid: DeviceUUID) -> Int? {
        guard let node = positions[uuid], nodes[node].isProvisionable else { return nil }
        return Int(nodes[node].device.capabilities.elementCount)
    }

    /// Makes a device a node, as if it had just been provisioned.
    ///
    /// - Returns: false if there is no such device, or if it cannot be recorded.
    package func provision(_ uuid: DeviceUUID, with data: ProvisioningData, deviceKey: KeyMaterial) -> Bool {
        guard let node = positions[uuid], nodes[node].isProvisionable else { return false }
        return becomeNode(node, with: data, deviceKey: deviceKey)
    }

    /// Hands a message to a node's models, as its stack would. Nothing is encrypted or relayed, and the node remembers
    /// no sequence number of it.
    ///
    /// - Returns: the access payload of the answer; nil if the node does not answer, or leaves the network with it.
    package func answer(
        of uuid: DeviceUUID,
        to payload: [UInt8],
        from source: UnicastAddress,
        for destination: UnicastAddress,
        under security: MessageSecurity,
        through subnet: NetKeyIndex
    ) -> [UInt8]? {
        guard let node = positions[uuid], nodes[node].isAlive, nodes[node].state.netKey(subnet) != nil else {
            return nil
        }
        directAnswer = .awaited
        defer { directAnswer = nil }
        switch security {
        case .device: configure(node, payload, from: source, through: subnet, ttl: 0)
        case .application(let key):
            let message = ApplicationMessage(
                source: source,
                destination: destination.address,
                label: nil,
                payload: payload,
                key: key,
                netKeyIndex: subnet,
                ttl: 0
            )
            deliver(message, at: node)
        }
        guard case .given(let answer) = directAnswer else { return nil }
        return answer
    }

    /// The node answers after some time – or at once, if somebody waits for the answer beside the radio.
    func queueAnswer(_ answer: OutgoingMessage, of node: Int, thenReset: Bool, after delay: Duration) {
        guard directAnswer != nil else {
            queue.add(.answer(node: node, answer, thenReset: thenReset), at: now.advanced(by: delay))
            return
        }
        if !thenReset { directAnswer = .given(answer.payload) }
    }
}

/// The answer to a message that came without the radio.
enum DirectAnswer {
    case awaited
    case given([UInt8])
}
