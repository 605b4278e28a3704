import Catalogue
import MeshCore

/// A model that publishes its state.
struct StatePublication: Hashable, Sendable {
    let element: Int
    let model: ModelIdentifier
}

extension SimulatedWorld {
    /// Publishes the states that a step of a node's models has changed, of models with a publication.
    func publishChanges(from before: ModelMachine, to after: ModelMachine, of node: Int) {
        guard nodes[node].isAlive else { return }
        for element in after.elements.indices {
            for model in after.elements[element].models {
                guard let publication = model.publication else { continue }
                if let vendor = vendorModels[model.identifier] {
                    for (index, state) in vendor.states.enumerated() {
                        let values = after.values(of: state, index, vendor, element)
                        guard values != before.values(of: state, index, vendor, element),
                            let payload = payload(of: state.statusMessage, values)
                        else { continue }
                        onPublishing?(nodes[node].state.uuid, element, model.identifier)
                        publish(payload, publication, fromElement: element, of: node)
                    }
                    continue
                }
                guard let opcode = ModelMachine.published[model.identifier] else { continue }
                let index = StatePublication(element: element, model: model.identifier)
                let status = after.status(opcode, element)
                guard let status, status != before.status(opcode, element), !after.withheld.contains(index) else {
                    continue
                }
                onPublishing?(nodes[node].state.uuid, element, model.identifier)
                publish(opcode, status, publication, fromElement: element, of: node)
                // Faults and a fast cadence change the period.
                if let period = Self.period(of: model), nodes[node].publicationsAt[index] != nil {
                    plan(index, of: node, at: now.advanced(by: after.period(period, of: index)))
                }
            }
        }
    }

    /// Sends a status where a publication says, and again as often as it says.
    private func publish(
        _ opcode: Opcode,
        _ values: FieldValues,
        _ publication: Publication,
        fromElement element: Int,
        of node: Int
    ) {
        guard let payload = payload(of: opcode, values) else { return }
        publish(payload, publication, fromElement: element, of: node)
    }

    /// Sends a message of a model where its publication says, and again as often as it says. The other elements of the
    /// node receive it, too.
    func publish(_ payload: [UInt8], _ publication: Publication, fromElement element: Int, of node: Int) {
        let state = nodes[node].state
        guard let source = state.elementAddress(element), let key = state.appKey(publication.appKeyIndex),
            let destination = publication.address.destination
        else { return }
        let ttl = publication.ttl == Publication.defaultTTL ? state.defaultTTL : publication.ttl
        let isOwn = destination.address.kind == .unicast && state.addresses.contains(destination.address.rawValue)
        if isOwn || destination.address.kind != .unicast {
            let local = ApplicationMessage(
                source: source,
                destination: destination.address,
                label: destination.label,
                payload: payload,
                key: key.index,
                netKeyIndex: key.boundNetKey,
                ttl: ttl
            )
            deliver(local, at: node)
        }
        guard !isOwn else { return }
        let message = OutgoingMessage(
            source: source,
            destination: destination,
            payload: payload,
            security: .application(key.index),
            netKeyIndex: key.boundNetKey,
            ttl: ttl
        )
        var time = now.advanced(by: generator.duration(in: settings.processing))
        for _ in 0...publication.retransmit.count {
            queue.add(.send(node: node, message), at: time)
            time = time.advanced(by: .milliseconds(Int64(publication.retransmit.intervalMilliseconds)))
        }
    }

    // MARK: By period

    /// Plans the publications by period of a node, each at a time of its own, so that nodes alike do not speak at once.
    func schedulePublications(of node: Int) {
        let state = nodes[node].state
        var planned: [StatePublication: Instant] = [:]
        for element in state.elements.indices {
            for model in state.elements[element].models {
                guard let period = Self.period(of: model) else { continue }
                let publication = StatePublication(element: element, model: model.identifier)
                if let time = nodes[node].publicationsAt[publication],
                    now.duration(to: time).microseconds <= period.microseconds
                {
                    planned[publication] = time
                    continue
                }
                let place = Int64(state.address.rawValue) * 7_919_000 + Int64(element) * 104_729_000
                let phase = (place + Int64(model.identifier.model) * 15_485_867) % period.microseconds
                let time = now.advanced(by: .microseconds(phase + 1))
                planned[publication] = time
                queue.add(.publish(node: node, publication), at: time)
            }
        }
        nodes[node].publicationsAt = planned
    }

    /// The period of a model that publishes a state by one; nil for any other.
    private static func period(of model: Model) -> Duration? {
        guard let publication = model.publication, publication.period.steps > 0,
            ModelMachine.published[model.identifier] != nil
        else { return nil }
        let milliseconds = Int(publication.period.steps) * publication.period.resolution.milliseconds
        return .milliseconds(milliseconds)
    }

    private func plan(_ publication: StatePublication, of node: Int, at time: Instant) {
        nodes[node].publicationsAt[publication] = time
        queue.add(.publish(node: node, publication), at: time)
    }

    func publishByPeriod(_ publication: StatePublication, of node: Int) {
        guard let time = nodes[node].publicationsAt[publication], time <= now else { return }
        nodes[node].publicationsAt[publication] = nil
        let state = nodes[node].state
        guard state.isProvisioned, state.elements.indices.contains(publication.element),
            let model = state.elements[publication.element].models.first(where: { $0.identifier == publication.model }),
            let period = Self.period(of: model), let settings = model.publication
        else { return }
        let machine = ModelMachine(nodes[node].models, of: state, now: now)
        plan(publication, of: node, at: time.advanced(by: machine.period(period, of: publication)))
        guard nodes[node].isAlive, let opcode = ModelMachine.published[model.identifier] else { return }
        guard let status = machine.status(opcode, publication.element) else { return }
        publish(opcode, status, settings, fromElement: publication.element, of: node)
    }
}

extension ModelMachine {
    /// The period of a publication at present: faults and values in the range of a fast cadence shorten it.
    func period(_ period: Duration, of publication: StatePublication) -> Duration {
        let divisor: Int64
        switch publication.model {
        case .healthServer where !currentFaults(publication.element).isEmpty:
            divisor = Int64(1) << min(self[.healthDivisor, publication.element], 15)
        case .sensorServer: divisor = sensorDivisor(publication.element)
        default: divisor = 1
        }
        return max(.microseconds(period.microseconds / divisor), .milliseconds(10))
    }
}

extension PublishAddress {
    /// The destination of what is published; nil if the label is unknown.
    fileprivate var destination: Destination? {
        switch self {
        case .unicast(let address): .unicast(address)
        case .group(let address): .group(address)
        case .virtual(let label): .virtual(label)
        case .unknownLabel: nil
        }
    }
}
