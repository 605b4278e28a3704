package import MeshCore

/// The result of a node with a Remote Provisioning Server listening for devices (Mesh Protocol 1.1, 4.4.5.1).
package struct RemoteListening: Hashable, Sendable {
    /// Whether a node listened.
    package enum Outcome: Hashable, Sendable {
        /// It was not asked before the end.
        case notAsked
        case listened
        /// It listened, and did not confirm that it has stopped. It stops by itself within 20 s.
        case notStopped
        case silent
        case refused(RemoteProvisioningStatusCode)
    }

    package var node: DeviceUUID
    package var outcome: Outcome
    /// The greatest number of devices that it reports in one scan, at least 4; nil if it has not told.
    package var maximumScannedItems: UInt8?
    /// Whether it asks devices for scan responses; nil if it has not told.
    package var isActiveScanSupported: Bool?
    /// Whether it reported as many devices as it can, so that there may be more.
    package var isListFull: Bool = false

    /// Whether the node did as it was asked.
    package var isGood: Bool {
        switch outcome {
        case .listened, .notAsked: true
        case .notStopped, .silent, .refused: false
        }
    }
}

/// An event while nodes and the bearer listen.
package enum ListeningEvent: Hashable, Sendable {
    case heard(Advertisement)
    case reported(DeviceUUID, RemoteProvisioningScanReport)
    /// The client has a proxy: its address if it has told it.
    case linkUp(proxy: UnicastAddress?)
    /// Nothing was heard, but time has passed; sent at least every half second.
    case quiet
}

/// The result of listening with the help of nodes.
package struct RemoteListeningReport: Hashable, Sendable {
    /// The results of the nodes, by address.
    package var nodes: [RemoteListening] = []
    /// Whether the bearer listened, too.
    package var hasBearerListened = false
    /// Why it ended; ``Recap/Ending/completed`` if its time was over.
    package var ending = Recap.Ending.completed
}
