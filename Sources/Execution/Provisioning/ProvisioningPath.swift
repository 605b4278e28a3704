import MeshCore

/// How a device without a network is reached.
enum ProvisioningPath: Hashable, Sendable {
    /// Over a connection of the bearer, to this advertiser (PB-GATT).
    case direct(AdvertiserIdentifier)
    /// Over a link that a node's Remote Provisioning Server opens (PB-Remote); the address of its primary element.
    case remote(UnicastAddress)
}

/// A link that carries one provisioning session. The two kinds have identifiers of their own, so they never collide.
enum ProvisioningLink: Hashable, Comparable, Sendable {
    case bearer(LinkIdentifier)
    /// The link of the Remote Provisioning Server with this address, which has at most one.
    case remote(UnicastAddress)
}

/// What a link carries.
enum ProvisioningCarriage: Hashable, Sendable {
    /// Proxy PDUs of at most this many octets, which carry PDUs of the provisioning protocol in parts (Mesh Protocol
    /// 6.3).
    case proxy(maximumPacketSize: Int)
    /// Whole PDUs of the provisioning protocol.
    case whole
}

/// Why a link is gone, or could not be made.
enum ProvisioningLinkLoss: Hashable, Sendable {
    case bearer(BearerError)
    case remote(RemoteProvisioningLinkEnd)

    /// The problem of a device that lost its link at a stage.
    func problem(at stage: ProvisioningStage) -> ProvisioningProblem {
        switch self {
        case .bearer(let error): .link(error, at: stage)
        case .remote(let end): .remoteLink(end, at: stage)
        }
    }
}
