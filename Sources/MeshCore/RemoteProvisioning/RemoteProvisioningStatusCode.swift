/// The outcome of a request or the state of the link, as a Remote Provisioning Server reports it (Mesh Protocol 1.1,
/// 4.3.4), one octet.
package struct RemoteProvisioningStatusCode: RawRepresentable, Hashable, Sendable, AccessField {
    package static let notation = "$:remote-status"
    package let rawValue: UInt8

    /// Every octet is valid; unknown ones are kept.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let success = RemoteProvisioningStatusCode(rawValue: 0x00)
    /// The server cannot scan as requested.
    package static let scanningCannotStart = RemoteProvisioningStatusCode(rawValue: 0x01)
    /// The state of the server does not allow the request.
    package static let invalidState = RemoteProvisioningStatusCode(rawValue: 0x02)
    /// The server does not have the resources.
    package static let limitedResources = RemoteProvisioningStatusCode(rawValue: 0x03)
    /// The server cannot start to open the link, for example because another one is open.
    package static let linkCannotOpen = RemoteProvisioningStatusCode(rawValue: 0x04)
    /// The device did not answer in time.
    package static let linkOpenFailed = RemoteProvisioningStatusCode(rawValue: 0x05)
    package static let linkClosedByDevice = RemoteProvisioningStatusCode(rawValue: 0x06)
    package static let linkClosedByServer = RemoteProvisioningStatusCode(rawValue: 0x07)
    package static let linkClosedByClient = RemoteProvisioningStatusCode(rawValue: 0x08)
    /// The server could not receive a PDU from the device.
    package static let linkClosedAsCannotReceivePDU = RemoteProvisioningStatusCode(rawValue: 0x09)
    /// The device did not receive a PDU.
    package static let linkClosedAsCannotSendPDU = RemoteProvisioningStatusCode(rawValue: 0x0A)
    /// The client did not acknowledge a PDU from the device.
    package static let linkClosedAsCannotDeliverPDUReport = RemoteProvisioningStatusCode(rawValue: 0x0B)

    /// The name in the specification, `Link Open Failed`; `Unknown Status 0x42` for codes that it does not define.
    package var name: String { explanation?.name ?? "Unknown Status 0x\(rawValue.hexadecimal)" }

    /// What the code means, a clause without a full stop.
    package var meaning: String {
        explanation?.meaning ?? "the node answered with a status that this version does not know"
    }

    private var explanation: (name: String, meaning: String)? {
        switch self {
        case .success: ("Success", "the request succeeded")
        case .scanningCannotStart: ("Scanning Cannot Start", "the node cannot scan as requested")
        case .invalidState: ("Invalid State", "the node is doing something else")
        case .limitedResources: ("Limited Resources", "the node does not have the resources at the moment")
        case .linkCannotOpen: ("Link Cannot Open", "the node cannot open a link now, as when it has another one")
        case .linkOpenFailed: ("Link Open Failed", "the device did not answer the node in time")
        case .linkClosedByDevice: ("Link Closed By Device", "the device ended the link")
        case .linkClosedByServer: ("Link Closed By Server", "the node ended the link")
        case .linkClosedByClient: ("Link Closed By Client", "the provisioner ended the link")
        case .linkClosedAsCannotReceivePDU:
            ("Link Closed As Cannot Receive PDU", "the node could not receive a message from the device")
        case .linkClosedAsCannotSendPDU:
            ("Link Closed As Cannot Send PDU", "the device did not receive a message from the node")
        case .linkClosedAsCannotDeliverPDUReport:
            ("Link Closed As Cannot Deliver PDU Report", "the node got no acknowledgment from the provisioner")
        default: nil
        }
    }
}

extension RemoteProvisioningStatusCode: CustomStringConvertible {
    package var description: String { name }
}
