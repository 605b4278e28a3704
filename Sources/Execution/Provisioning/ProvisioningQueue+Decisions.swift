import MeshCore

/// Decisions of the queue's owner or of a person.
extension ProvisioningQueue {
    /// Decides how to provision a device that told its capabilities. If that needs the person while another device has
    /// the person, the link is closed and the device waits for its turn.
    mutating func choose(
        _ uuid: DeviceUUID,
        _ choice: ProvisioningChoice,
        data: ProvisioningData,
        at now: Instant
    ) -> [Output] {
        let kind = choice.authentication.method.kind
        let needsPerson = kind == .outputOOB || kind == .inputOOB
        devices[uuid]?.needsPerson = needsPerson
        if needsPerson {
            guard turns.isPersonFree(for: uuid) else {
                let outputs = hangUp(uuid)
                enqueue(uuid)
                return outputs + [.progress(uuid, .waitingForPerson)]
            }
            turns.personHolder = uuid
        } else {
            turns.releasePerson(of: uuid)
        }
        return converse(uuid, at: now) { $0.choose(choice, data: data, at: now) }
    }

    /// A device that told its capabilities cannot be provisioned.
    mutating func refuse(_ uuid: DeviceUUID, _ problem: ProvisioningProblem, at now: Instant) -> [Output] {
        fail(uuid, problem, at: now)
    }

    /// A candidate is durable.
    mutating func dataIsDurable(_ uuid: DeviceUUID, at now: Instant) -> [Output] {
        let outputs = converse(uuid, at: now) { $0.dataIsDurable(at: now) }
        if case .talking(_, let conversation)? = devices[uuid]?.state, conversation.stage == .completion {
            devices[uuid]?.isStoring = false
        }
        return outputs
    }

    /// The person answered.
    mutating func answer(_ text: String, at now: Instant) -> [Output] {
        guard let uuid = turns.personHolder else { return [] }
        return converse(uuid, at: now) { $0.answer(text, at: now) }
    }
}
