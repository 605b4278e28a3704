package import MeshCore

/// What came of having a node with a Remote Provisioning Server listen for devices (Mesh Protocol 1.1, 4.4.5.1).
package struct RemoteListening: Hashable, Sendable {
    /// Whether a node listened.
    package enum Outcome: Hashable, Sendable {
        /// It was not asked before all was over.
        case notAsked
        /// It listened.
        case listened
        /// It listened, and did not confirm that it has stopped; it stops by itself within 20 s.
        case notStopped
        /// It does not answer.
        case silent
        /// It did not do what it was asked.
        case refused(RemoteProvisioningStatusCode)
    }

    /// The node.
    package var node: DeviceUUID
    /// Whether it listened.
    package var outcome: Outcome
    /// How many devices it reports in one scan at most, at least 4; nil if it has not told.
    package var maximumScannedItems: UInt8?
    /// Whether it asks devices for scan responses; nil if it has not told.
    package var isActiveScanSupported: Bool?
    /// Whether it reported as many devices as it can, so that there may be others.
    package var isListFull: Bool

    /// What came of it.
    package init(
        node: DeviceUUID,
        outcome: Outcome,
        maximumScannedItems: UInt8? = nil,
        isActiveScanSupported: Bool? = nil,
        isListFull: Bool = false
    ) {
        self.node = node
        self.outcome = outcome
        self.maximumScannedItems = maximumScannedItems
        self.isActiveScanSupported = isActiveScanSupported
        self.isListFull = isListFull
    }

    /// Whether the node did what it was asked.
    package var isGood: Bool {
        switch outcome {
        case .listened, .notAsked: true
        case .notStopped, .silent, .refused: false
        }
    }
}

/// What is heard while nodes and the bearer listen.
package enum ListeningEvent: Hashable, Sendable {
    /// The bearer heard that.
    case heard(Advertisement)
    /// The node with that UUID heard a device.
    case reported(DeviceUUID, RemoteProvisioningScanReport)
    /// The client has a proxy; its address as far as it told.
    case linkUp(proxy: UnicastAddress?)
    /// Nothing was heard, but time has passed; comes every half second at least.
    case quiet
}

/// What came of listening with the help of nodes.
package struct RemoteListeningReport: Hashable, Sendable {
    /// What came of each node, by address.
    package var nodes: [RemoteListening] = []
    /// Whether the bearer listened, too.
    package var hasBearerListened = false
    /// Why it ended; ``Recap/Ending/completed`` after its time.
    package var ending = Recap.Ending.completed

    /// Nobody has listened.
    package init() {}
}
