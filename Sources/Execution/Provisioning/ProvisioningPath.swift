import MeshCore

/// How a device in no network is reached.
enum ProvisioningPath: Hashable, Sendable {
    /// Over a connection of the bearer, to what advertises so (PB-GATT).
    case direct(AdvertiserIdentifier)
    /// Over a link that a node's Remote Provisioning Server opens (PB-Remote); the address of its primary element.
    case remote(UnicastAddress)
}

/// A link that carries one provisioning session. Each kind is named in its own way, so that the two never meet.
enum ProvisioningLink: Hashable, Comparable, Sendable {
    /// A connection of the bearer.
    case bearer(LinkIdentifier)
    /// The link of the Remote Provisioning Server with that address, which has one at most.
    case remote(UnicastAddress)
}

/// What a link carries.
enum ProvisioningCarriage: Hashable, Sendable {
    /// Proxy PDUs of that many octets at most, which carry PDUs of the provisioning protocol in parts (Mesh Protocol 6.3).
    case proxy(maximumPacketSize: Int)
    /// PDUs of the provisioning protocol as they are.
    case whole
}

/// Why a link is gone, or did not come about.
enum ProvisioningLinkLoss: Hashable, Sendable {
    /// What the bearer says.
    case bearer(BearerError)
    /// What came of the link of a Remote Provisioning Server.
    case remote(RemoteProvisioningLinkEnd)

    /// The loss as what happened to a device at a stage.
    func problem(at stage: ProvisioningStage) -> ProvisioningProblem {
        switch self {
        case .bearer(let error): .link(error, at: stage)
        case .remote(let end): .remoteLink(end, at: stage)
        }
    }
}
