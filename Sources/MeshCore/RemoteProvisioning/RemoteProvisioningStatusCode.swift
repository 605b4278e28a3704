/// What a Remote Provisioning Server says of a request or of its link (Mesh Protocol 1.1, 4.3.4), one octet.
package struct RemoteProvisioningStatusCode: RawRepresentable, Hashable, Sendable, AccessField {
    package let rawValue: UInt8

    /// Any octet; unknown ones are kept.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// It was done.
    package static let success = RemoteProvisioningStatusCode(rawValue: 0x00)
    /// The server does not scan as it was asked to.
    package static let scanningCannotStart = RemoteProvisioningStatusCode(rawValue: 0x01)
    /// The request has no place in the state that the server is in.
    package static let invalidState = RemoteProvisioningStatusCode(rawValue: 0x02)
    /// The server has no room for it.
    package static let limitedResources = RemoteProvisioningStatusCode(rawValue: 0x03)
    /// The server cannot begin to open the link, as with another one open.
    package static let linkCannotOpen = RemoteProvisioningStatusCode(rawValue: 0x04)
    /// The device did not answer in time.
    package static let linkOpenFailed = RemoteProvisioningStatusCode(rawValue: 0x05)
    /// The device ended the link.
    package static let linkClosedByDevice = RemoteProvisioningStatusCode(rawValue: 0x06)
    /// The server ended the link.
    package static let linkClosedByServer = RemoteProvisioningStatusCode(rawValue: 0x07)
    /// The client ended the link.
    package static let linkClosedByClient = RemoteProvisioningStatusCode(rawValue: 0x08)
    /// The server could not take in what the device sent.
    package static let linkClosedAsCannotReceivePDU = RemoteProvisioningStatusCode(rawValue: 0x09)
    /// The device did not take what it was sent.
    package static let linkClosedAsCannotSendPDU = RemoteProvisioningStatusCode(rawValue: 0x0A)
    /// The client did not acknowledge what the device had sent.
    package static let linkClosedAsCannotDeliverPDUReport = RemoteProvisioningStatusCode(rawValue: 0x0B)

    /// The specification's name, `Link Open Failed`; `Unknown Status 0x42` for codes it does not define.
    package var name: String { explanation?.name ?? "Unknown Status 0x\(rawValue.hexadecimal)" }

    /// What the server says with it, a clause without a full stop.
    package var meaning: String {
        explanation?.meaning ?? "the node answered with a status that this version does not know"
    }

    private var explanation: (name: String, meaning: String)? {
        switch self {
        case .success: ("Success", "it was done")
        case .scanningCannotStart: ("Scanning Cannot Start", "the node cannot scan as it was asked to")
        case .invalidState: ("Invalid State", "the node is doing something else")
        case .limitedResources: ("Limited Resources", "the node has no room for it at present")
        case .linkCannotOpen: ("Link Cannot Open", "the node cannot open a link now, as when it has another one")
        case .linkOpenFailed: ("Link Open Failed", "the device did not answer the node in time")
        case .linkClosedByDevice: ("Link Closed By Device", "the device ended the link")
        case .linkClosedByServer: ("Link Closed By Server", "the node ended the link")
        case .linkClosedByClient: ("Link Closed By Client", "the provisioner ended the link")
        case .linkClosedAsCannotReceivePDU:
            ("Link Closed As Cannot Receive PDU", "the node could not take in what the device sent")
        case .linkClosedAsCannotSendPDU:
            ("Link Closed As Cannot Send PDU", "the device did not take what the node sent it")
        case .linkClosedAsCannotDeliverPDUReport:
            ("Link Closed As Cannot Deliver PDU Report", "the node got no acknowledgment from the provisioner")
        default: nil
        }
    }
}

extension RemoteProvisioningStatusCode: CustomStringConvertible {
    package var description: String { name }
}
