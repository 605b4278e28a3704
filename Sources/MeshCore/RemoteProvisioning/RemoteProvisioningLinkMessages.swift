/// Remote Provisioning Link Get (Mesh Protocol 1.1, 4.3.4.10).
package struct RemoteProvisioningLinkGet: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = RemoteProvisioningLinkStatus
    package static let opcode: Opcode = 0x8058

    package init() {}
}

/// Remote Provisioning Link Open (Mesh Protocol 1.1, 4.3.4.11): Device UUID (16) and optionally a timeout in seconds
/// (1), or a procedure of the Node Provisioning Protocol Interface (1).
package struct RemoteProvisioningLinkOpen: ConfigurationRequest, FoundationMessage {
    /// The other end of the link.
    package enum Target: Hashable, Sendable {
        /// A device that the server hears. It has that many seconds to answer, 1...60; nil for ``defaultTimeout``.
        case device(DeviceUUID, timeout: UInt8?)
        /// The server's own node.
        case node(NodeProvisioningProcedure)
    }

    package typealias Status = RemoteProvisioningLinkStatus
    package static let opcode: Opcode = 0x8059
    package static let layout = Layout(Self.init, .field("", \.target))
    /// How many seconds a server tries to open a link if the request does not tell.
    package static let defaultTimeout: UInt8 = 10
    /// The valid timeouts in seconds.
    package static let timeouts: ClosedRange<UInt8> = 1...60
    package var target: Target

    package init(target: Target) {
        self.target = target
    }

    /// Whether the server refuses, or its link is opening or open.
    package func isAnswered(by status: Status) -> Bool {
        status.status != .success || status.state == .opening || status.state == .active
    }
}

extension RemoteProvisioningLinkOpen.Target: AccessField {
    package static let notation = "uuid [ timeout:u8 ] / nppi_procedure:u8"

    /// Reads 1, 16 or 17 octets; unknown procedures and timeouts out of range are prohibited.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        if reader.remaining == 1 {
            self = .node(try NodeProvisioningProcedure(reading: &reader))
            return
        }
        let uuid = try DeviceUUID(reading: &reader)
        let timeout = reader.isAtEnd ? nil : try reader.readUInt8()
        if let timeout, !RemoteProvisioningLinkOpen.timeouts.contains(timeout) {
            throw .prohibited(field: "LinkOpenTimeout", value: UInt64(timeout))
        }
        self = .device(uuid, timeout: timeout)
    }

    /// Appends 1, 16 or 17 octets.
    package func write(to writer: inout ByteWriter) {
        switch self {
        case .device(let uuid, let timeout):
            uuid.write(to: &writer)
            if let timeout { writer.write(timeout) }
        case .node(let procedure): procedure.write(to: &writer)
        }
    }
}

/// Remote Provisioning Link Close (Mesh Protocol 1.1, 4.3.4.12): reason (1).
package struct RemoteProvisioningLinkClose: ConfigurationRequest, FoundationMessage {
    package typealias Status = RemoteProvisioningLinkStatus
    package static let opcode: Opcode = 0x805A
    package static let layout = Layout(Self.init, .field("reason", \.reason))
    /// The reason. The Node Provisioning Protocol Interface takes effect only with success.
    package var reason: RemoteProvisioningCloseReason

    package init(reason: RemoteProvisioningCloseReason) {
        self.reason = reason
    }

    /// Whether the server refuses, or its link is closing or closed.
    package func isAnswered(by status: Status) -> Bool {
        status.status != .success || status.state == .closing || status.state == .idle
    }
}

/// Remote Provisioning Link Status (Mesh Protocol 1.1, 4.3.4.13): status (1), link state (1).
package struct RemoteProvisioningLinkStatus: ConfigurationMessage, FoundationMessage {
    package static let opcode: Opcode = 0x805B
    package static let layout = Layout(Self.init, .field("status", \.status), .field("link_state", \.state))
    package var status: RemoteProvisioningStatusCode
    package var state: RemoteProvisioningLinkState

    package init(status: RemoteProvisioningStatusCode, state: RemoteProvisioningLinkState) {
        self.status = status
        self.state = state
    }
}

/// Remote Provisioning Link Report (Mesh Protocol 1.1, 4.3.4.14), sent without a request when a link opens or closes:
/// status (1), link state (1), optionally the reason (1).
package struct RemoteProvisioningLinkReport: ConfigurationMessage, FoundationMessage {
    package static let opcode: Opcode = 0x805C
    package static let layout = Layout(
        Self.init,
        .field("status", \.status),
        .field("link_state", \.state),
        .optional("reason", \.reason)
    )
    package var status: RemoteProvisioningStatusCode
    package var state: RemoteProvisioningLinkState
    /// Why the link was closed, if the device or the server closed it.
    package var reason: ProvisioningBearerCloseReason?

    package init(
        status: RemoteProvisioningStatusCode,
        state: RemoteProvisioningLinkState,
        reason: ProvisioningBearerCloseReason? = nil
    ) {
        self.status = status
        self.state = state
        self.reason = reason
    }
}
