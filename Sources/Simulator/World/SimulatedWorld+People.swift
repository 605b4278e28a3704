package import MeshCore

extension SimulatedWorld {
    /// Enters the value that a device waits for.
    ///
    /// - Throws: ``DeviceInputError/unknownDevice`` if there is no such device, ``DeviceInputError/notAwaited`` if it
    ///   waits for nothing, ``DeviceInputError/value(_:)`` if the value is not a possible one.
    package func input(_ uuid: DeviceUUID, _ value: OutOfBandValue) throws(DeviceInputError) {
        let (link, node, _) = try awaitingInput(uuid)
        let actions: [ProvisioningDeviceAction]
        do throws(ProvisioningInputError) {
            actions = try links[link]?.provisioning?.device.supply(value, at: now) ?? []
        } catch {
            if case .value(let error) = error { throw .value(error) }
            throw .notAwaited
        }
        endPrompts(on: link)
        carryOut(actions, on: link, of: node)
    }

    /// Enters the value that a device waits for, as a person types or counts it: digits or characters.
    ///
    /// - Throws: ``DeviceInputError`` as ``input(_:_:)`` does, and ``DeviceInputError/value(_:)`` if the text is not a
    ///   value.
    package func input(_ uuid: DeviceUUID, text: String) throws(DeviceInputError) {
        let (_, _, input) = try awaitingInput(uuid)
        let value: OutOfBandValue
        do throws(OutOfBandValueError) {
            value = try input.action.format(size: input.size).parse(text)
        } catch { throw .value(error) }
        try self.input(uuid, value)
    }

    private func awaitingInput(
        _ uuid: DeviceUUID
    ) throws(DeviceInputError) -> (link: LinkIdentifier, node: Int, input: (action: InputAction, size: UInt8)) {
        guard let node = positions[uuid] else { throw .unknownDevice }
        // A device has at most one provisioning link.
        for (link, end) in links where end.node == node && !end.isEnding {
            if let input = end.provisioning?.awaitedInput { return (link, node, input) }
        }
        throw .notAwaited
    }

    /// Switches the power of a node or device; see ``NodeFaults/isOff``.
    ///
    /// - Returns: false if there is no such device.
    @discardableResult
    package func setPower(_ uuid: DeviceUUID, isOn: Bool) -> Bool {
        var faults = faults(of: uuid)
        faults.isOff = !isOn
        return setFaults(faults, of: uuid)
    }

    /// Makes a device draw attention for so many seconds from now on; 0 stops it (Mesh Protocol 4.2.10).
    func setAttention(of node: Int, seconds: UInt8) {
        if seconds == 0 {
            guard nodes[node].attentionEnd != nil else { return }
            nodes[node].attentionEnd = nil
            observe(.attentionEnded, of: node)
            return
        }
        let end = now.advanced(by: .seconds(Int64(seconds)))
        nodes[node].attentionEnd = end
        observe(.attentionStarted(seconds: seconds), of: node)
        queue.add(.endAttention(node: node), at: end)
    }

    /// The attention timer of a node may have expired.
    func endAttention(of node: Int) {
        guard let end = nodes[node].attentionEnd, end <= now else { return }
        setAttention(of: node, seconds: 0)
    }

    /// For how many more seconds a node draws attention, rounded up.
    func attention(of node: Int) -> UInt8 {
        guard let end = nodes[node].attentionEnd else { return 0 }
        let rest = max(0, now.duration(to: end).microseconds)
        return UInt8(clamping: (rest + 999_999) / 1_000_000)
    }

    /// Reports what a person near the device notices.
    func observe(_ event: DeviceObservation.Event, of node: Int) {
        let state = nodes[node].state
        let observation = DeviceObservation(time: now, uuid: state.uuid, name: state.name, event: event)
        if observations.count >= 2_000 { observations.removeFirst(1_000) }
        observations.append(observation)
        onObservation?(observation)
    }
}
