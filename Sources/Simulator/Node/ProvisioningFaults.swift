package import MeshCore

/// The faults of a device while it is provisioned, for tests of programs that must cope with them.
package struct ProvisioningFaults: Hashable, Sendable {
    /// What a device does instead of what it should do.
    package enum Behaviour: Hashable, Sendable {
        /// It stays silent on this link.
        case silence
        case failure(ProvisioningErrorCode)
        case linkLoss
    }

    /// A misbehaviour at one stage of the protocol.
    package struct Misbehaviour: Hashable, Sendable {
        /// The stage at which the device reacts wrongly, seen from the device. A stage stands for the PDU that arrives:
        /// `.invitation` for Invite, `.decision` for Start, `.publicKeyExchange` for Public Key, `.confirmation` for
        /// Confirmation, `.verification` for Random, `.completion` for Data. At `.completed` the device has accepted
        /// the data and is a node, but does not say so.
        package var stage: ProvisioningStage
        package var behaviour: Behaviour
        /// In how many more sessions; nil for all.
        package var remaining: Int?

        /// Misbehaves in the next `count` sessions, or in all if nil.
        package init(_ behaviour: Behaviour, at stage: ProvisioningStage, count: Int? = nil) {
            self.behaviour = behaviour
            self.stage = stage
            remaining = count
        }
    }

    /// What it does wrong. If there are several for one stage, the first with sessions left counts.
    package var misbehaviours: [Misbehaviour]
    /// How many more connections it refuses.
    package var connectionsToRefuse: Int
    /// The static value that it uses instead of the one in its description.
    package var staticValue: StaticOutOfBandValue?

    package init(
        misbehaviours: [Misbehaviour] = [],
        connectionsToRefuse: Int = 0,
        staticValue: StaticOutOfBandValue? = nil
    ) {
        self.misbehaviours = misbehaviours
        self.connectionsToRefuse = connectionsToRefuse
        self.staticValue = staticValue
    }

    /// What the device does wrong at a stage; uses up one of its count.
    mutating func strike(at stage: ProvisioningStage) -> Behaviour? {
        guard let index = misbehaviours.firstIndex(where: { $0.stage == stage && $0.remaining != 0 }) else {
            return nil
        }
        if let remaining = misbehaviours[index].remaining { misbehaviours[index].remaining = remaining - 1 }
        return misbehaviours[index].behaviour
    }
}
