package import MeshCore

/// The progress of a device, for views.
package enum ProvisioningProgress: Hashable, Sendable {
    /// It has not been heard yet.
    case listening
    /// An earlier attempt may have made it a node; the run is finding out.
    case findingOut
    /// A link to it is being opened.
    case connecting
    /// The node with this UUID opens a link to it.
    case connectingThrough(DeviceUUID)
    /// It waits for the person, whom another device needs at present.
    case waitingForPerson
    case session(ProvisioningStage)
}

/// How often and how long the run tries a device.
package struct ProvisioningAttempts: Hashable, Sendable {
    /// The greatest number of attempts that fail for a temporary reason, at least 1.
    package var attempts = 3
    /// The wait before the second attempt, doubled for each further one.
    package var retryDelay: Duration = .seconds(2)
    /// How long the bearer may scan for a device without hearing it.
    package var notHeardAfter: Duration = .seconds(30)
    /// How long a link may take to open.
    package var connectTimeout: Duration = .seconds(20)

    /// After this time without the bearer hearing a device, nodes with a Remote Provisioning Server listen for it, too.
    /// If the bearer cannot scan, they begin at once.
    package var remoteAfter: Duration = .seconds(5)
    /// How many devices are provisioned through nodes at once: all their messages go over the proxy links, whose queues
    /// are short.
    package var remoteSessions = 4

    /// Whether static values are offered once more that another device may have learnt in an earlier session.
    package var offersUsedValues = false

    func delay(afterFailures failures: Int) -> Duration {
        (1..<min(max(failures, 1), 8)).reduce(retryDelay) { delay, _ in delay * 2 }
    }
}
