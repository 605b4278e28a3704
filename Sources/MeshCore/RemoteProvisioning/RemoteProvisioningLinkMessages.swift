/// Remote Provisioning Link Get (Mesh Protocol 1.1, 4.3.4.10).
package struct RemoteProvisioningLinkGet: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = RemoteProvisioningLinkStatus
    package static let opcode: Opcode = 0x8058

    package init() {}
}

/// Remote Provisioning Link Open (Mesh Protocol 1.1, 4.3.4.11): Device UUID (16) and optionally a timeout in seconds
/// (1), or a procedure of the Node Provisioning Protocol Interface (1).
package struct RemoteProvisioningLinkOpen: ConfigurationRequest, FieldMessage {
    /// The other end of the link.
    package enum Target: Hashable, Sendable {
        /// A device that the server hears. It has that many seconds to answer, 1...60; nil for ``defaultTimeout``.
        case device(DeviceUUID, timeout: UInt8?)
        /// The server's own node.
        case node(NodeProvisioningProcedure)
    }

    package typealias Status = RemoteProvisioningLinkStatus
    package static let opcode: Opcode = 0x8059
    /// How many seconds a server tries to open a link if the request does not tell.
    package static let defaultTimeout: UInt8 = 10
    /// The valid timeouts in seconds.
    package static let timeouts: ClosedRange<UInt8> = 1...60
    /// The other end of the link.
    package var target: Target

    package init(target: Target) {
        self.target = target
    }

    /// Reads 1, 16 or 17 octets; unknown procedures and timeouts out of range are prohibited.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        if reader.remaining == 1 {
            target = .node(try NodeProvisioningProcedure(reading: &reader))
            return
        }
        let uuid = try DeviceUUID(reading: &reader)
        guard !reader.isAtEnd else {
            target = .device(uuid, timeout: nil)
            return
        }
        let timeout = try reader.readUInt8()
        guard Self.timeouts.contains(timeout) else {
            throw .prohibited(field: "LinkOpenTimeout", value: UInt64(timeout))
        }
        target = .device(uuid, timeout: timeout)
    }

    /// Appends 1, 16 or 17 octets.
    package func write(to writer: inout ByteWriter) {
        switch target {
        case .device(let uuid, let timeout):
            uuid.write(to: &writer)
            if let timeout { writer.write(timeout) }
        case .node(let procedure): procedure.write(to: &writer)
        }
    }

    /// Whether the server refuses, or its link is opening or open.
    package func isAnswered(by status: Status) -> Bool {
        status.status != .success || status.state == .opening || status.state == .active
    }
}

/// Remote Provisioning Link Close (Mesh Protocol 1.1, 4.3.4.12): reason (1).
package struct RemoteProvisioningLinkClose: ConfigurationRequest, FieldMessage {
    package typealias Status = RemoteProvisioningLinkStatus
    package static let opcode: Opcode = 0x805A
    /// The reason. The Node Provisioning Protocol Interface takes effect only with success.
    package var reason: RemoteProvisioningCloseReason

    package init(reason: RemoteProvisioningCloseReason) {
        self.reason = reason
    }

    /// Reads one octet; other reasons are prohibited.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        reason = try RemoteProvisioningCloseReason(reading: &reader)
    }

    package func write(to writer: inout ByteWriter) {
        reason.write(to: &writer)
    }

    /// Whether the server refuses, or its link is closing or closed.
    package func isAnswered(by status: Status) -> Bool {
        status.status != .success || status.state == .closing || status.state == .idle
    }
}

/// Remote Provisioning Link Status (Mesh Protocol 1.1, 4.3.4.13): status (1), link state (1).
package struct RemoteProvisioningLinkStatus: ConfigurationMessage, FieldMessage {
    package static let opcode: Opcode = 0x805B
    /// The outcome of the request.
    package var status: RemoteProvisioningStatusCode
    /// The state of the link.
    package var state: RemoteProvisioningLinkState

    package init(status: RemoteProvisioningStatusCode, state: RemoteProvisioningLinkState) {
        self.status = status
        self.state = state
    }

    /// Reads two octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        status = try RemoteProvisioningStatusCode(reading: &reader)
        state = try RemoteProvisioningLinkState(reading: &reader)
    }

    package func write(to writer: inout ByteWriter) {
        status.write(to: &writer)
        state.write(to: &writer)
    }
}

/// Remote Provisioning Link Report (Mesh Protocol 1.1, 4.3.4.14), sent without a request when a link opens or closes:
/// status (1), link state (1), optionally the reason (1).
package struct RemoteProvisioningLinkReport: ConfigurationMessage, FieldMessage {
    package static let opcode: Opcode = 0x805C
    /// What happened.
    package var status: RemoteProvisioningStatusCode
    /// The state of the link.
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

    /// Reads two or three octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        status = try RemoteProvisioningStatusCode(reading: &reader)
        state = try RemoteProvisioningLinkState(reading: &reader)
        reason = reader.isAtEnd ? nil : try ProvisioningBearerCloseReason(reading: &reader)
    }

    package func write(to writer: inout ByteWriter) {
        status.write(to: &writer)
        state.write(to: &writer)
        reason?.write(to: &writer)
    }
}
