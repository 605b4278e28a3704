package import MeshCore

/// Where a device stands, for views.
package enum ProvisioningProgress: Hashable, Sendable {
    /// It is not heard yet.
    case listening
    /// It may be a node by an earlier attempt; that is being found out.
    case findingOut
    /// A link to it is being opened.
    case connecting
    /// The node with that UUID opens a link to it.
    case connectingThrough(DeviceUUID)
    /// Another device has the attention of the person it needs.
    case waitingForPerson
    /// The session has come so far.
    case session(ProvisioningStage)
}

/// How often and how long a device is tried.
package struct ProvisioningAttempts: Hashable, Sendable {
    /// Attempts at most, at least 1, of those that fail for a reason that can pass.
    package var attempts = 3
    /// The wait before the second attempt, doubled for each further one.
    package var retryDelay: Duration = .seconds(2)
    /// How long a device may take to be heard, while the bearer scans.
    package var notHeardAfter: Duration = .seconds(30)
    /// How long a link may take to open.
    package var connectTimeout: Duration = .seconds(20)

    /// How long a device may not be heard by the bearer before nodes with a Remote Provisioning Server listen for it
    /// too; a bearer that cannot scan leaves it to them at once.
    package var remoteAfter: Duration = .seconds(5)
    /// Devices that are provisioned through nodes at once at most: all that is said to them goes over the proxy links,
    /// whose queues are short.
    package var remoteSessions = 4

    /// The values described at each property.
    package init() {}

    func delay(afterFailures failures: Int) -> Duration {
        (1..<min(max(failures, 1), 8)).reduce(retryDelay) { delay, _ in delay * 2 }
    }
}
