package import MeshCore

/// What is wrong with a device while it is provisioned, for tests of those who must cope with it.
package struct ProvisioningFaults: Hashable, Sendable {
    /// What a device does instead of what it should do.
    package enum Behaviour: Hashable, Sendable {
        /// It says nothing any more on this link.
        case silence
        /// It gives up with that code.
        case failure(ProvisioningErrorCode)
        /// It drops the link.
        case linkLoss
    }

    /// A misbehaviour at one place of the protocol.
    package struct Misbehaviour: Hashable, Sendable {
        /// Where: the stage at which the PDU arrives that the device reacts to wrongly, seen from the device:
        /// `.invitation` is that of Invite, `.decision` of Start, `.publicKeyExchange` of Public Key, `.confirmation` of
        /// Confirmation, `.verification` of Random, `.completion` of Data. At `.completed` the device has accepted the
        /// data and is a node, but does not tell.
        package var stage: ProvisioningStage
        /// What it does there.
        package var behaviour: Behaviour
        /// In how many sessions; nil for all.
        package var remaining: Int?

        /// A misbehaviour in the next `count` sessions, in all if nil.
        package init(_ behaviour: Behaviour, at stage: ProvisioningStage, count: Int? = nil) {
            self.behaviour = behaviour
            self.stage = stage
            remaining = count
        }
    }

    /// What it does wrong; of several for one stage the first that remains counts.
    package var misbehaviours: [Misbehaviour]
    /// How many connections it refuses.
    package var connectionsToRefuse: Int
    /// What it takes for its static value instead of that of its description.
    package var staticValue: StaticOutOfBandValue?

    /// Faults of those kinds, none by default.
    package init(
        misbehaviours: [Misbehaviour] = [],
        connectionsToRefuse: Int = 0,
        staticValue: StaticOutOfBandValue? = nil
    ) {
        self.misbehaviours = misbehaviours
        self.connectionsToRefuse = connectionsToRefuse
        self.staticValue = staticValue
    }

    /// What the device does wrong at a stage, counting it off.
    mutating func take(at stage: ProvisioningStage) -> Behaviour? {
        guard let index = misbehaviours.firstIndex(where: { $0.stage == stage && $0.remaining != 0 }) else {
            return nil
        }
        if let remaining = misbehaviours[index].remaining { misbehaviours[index].remaining = remaining - 1 }
        return misbehaviours[index].behaviour
    }
}
