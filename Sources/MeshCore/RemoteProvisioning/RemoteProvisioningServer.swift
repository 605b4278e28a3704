/// The Remote Provisioning Server model of a node (Mesh Protocol 1.1, 4.4.5). It scans for devices that can be
/// provisioned, and carries the provisioning protocol between a client and one of them, or its own node.
///
/// A value machine: requests, beacons, events of the link to the device, and time go in; messages, orders for the link
/// and a deadline come out. It knows nothing about radio. Its owner opens links as ordered, over PB-ADV to a device or
/// to the node's own Node Provisioning Protocol Interface, and reports the result.
package struct RemoteProvisioningServer {
    /// A client and its subnet, to which answers and reports go.
    package struct Client: Hashable, Sendable {
        /// The client's element.
        package var address: UnicastAddress
        /// The subnet of the request.
        package var netKeyIndex: NetKeyIndex

        package init(address: UnicastAddress, netKeyIndex: NetKeyIndex) {
            self.address = address
            self.netKeyIndex = netKeyIndex
        }
    }

    /// What the node must do, in order.
    package enum Action: Hashable, Sendable {
        /// Send an answer: opcode, then parameters.
        case answer([UInt8], to: Client)
        /// Send a report, segmented so that it is acknowledged: opcode, then parameters.
        case report([UInt8], to: Client)
        /// Open a link to a device, or to the node itself. Call ``linkOpened(at:)`` once it is open.
        case open(RemoteProvisioningLinkOpen.Target)
        /// Send a PDU over the link. Call ``pduDelivered(at:)`` once the other side has it.
        case send([UInt8])
        /// Close the link, or stop opening it. With success, a procedure on the node itself takes effect.
        case close(RemoteProvisioningCloseReason)
    }

    /// The abilities of a server.
    package struct Abilities: Hashable, Sendable {
        /// The number of devices that it can report in one scan, at least 4.
        package var maximumScannedItems: UInt8 = 16
        /// Whether it can request scan responses from devices.
        package var isActiveScanSupported = true
    }

    /// What a server reports about its own node.
    package struct Own: Hashable, Sendable {
        package var uuid: DeviceUUID
        package var findings: RemoteProvisioningExtendedScanReport.Findings
        /// Whether its Composition Data page 128 differs from page 0, so that the composition can be refreshed.
        package var isCompositionRefreshable: Bool

        package init(
            uuid: DeviceUUID,
            findings: RemoteProvisioningExtendedScanReport.Findings,
            isCompositionRefreshable: Bool
        ) {
            self.uuid = uuid
            self.findings = findings
            self.isCompositionRefreshable = isCompositionRefreshable
        }
    }

    /// Whether it forgets an open link once the time allowed for opening is over, and restarts the transfer of a PDU
    /// that arrives again. So does bluetooth-meshd 5.87; this is for simulators.
    package var forgetsLinks = false

    let abilities: Abilities
    /// Whether it forgot a link on which the device still waits.
    var hasForgottenLink = false
    var scan = RemoteProvisioningScan()
    var link = Link.idle

    /// A link and its state.
    enum Link: Hashable {
        case idle
        case open(OpenLink)
    }

    /// A server without scan and link.
    package init(abilities: Abilities = Abilities()) {
        self.abilities = abilities
    }

    package var linkState: RemoteProvisioningLinkState {
        guard case .open(let link) = link else { return .idle }
        return link.state
    }

    /// Whether it needs to hear of devices.
    package var isScanning: Bool { scan.isListening }

    /// When ``advance(to:)`` must be called; nil if nothing is due.
    package var nextDeadline: Instant? {
        guard case .open(let link) = link else { return scan.nextDeadline }
        return min(link.deadline, link.forgottenAt ?? .distantFuture, scan.nextDeadline ?? .distantFuture)
    }

    /// Receives a request that the node's DeviceKey secured. Malformed and other messages are ignored.
    package mutating func receive(_ payload: [UInt8], from client: Client, own: Own, at now: Instant) -> [Action] {
        guard let message = try? decodeFoundationMessage(payload) else { return [] }
        let passed = advance(to: now)
        switch message {
        case is RemoteProvisioningScanCapabilitiesGet:
            let status = RemoteProvisioningScanCapabilitiesStatus(
                maximumScannedItems: abilities.maximumScannedItems,
                isActiveScanSupported: abilities.isActiveScanSupported
            )
            return passed + [.answer(status.encoded, to: client)]
        case is RemoteProvisioningScanGet:
            return passed + [.answer(scan.status(.success, at: now).encoded, to: client)]
        case let start as RemoteProvisioningScanStart:
            let status = scan.start(start, for: client, limit: abilities.maximumScannedItems, at: now)
            return passed + [.answer(scan.status(status, at: now).encoded, to: client)]
        case is RemoteProvisioningScanStop:
            scan.stop()
            return passed + [.answer(scan.status(.success, at: now).encoded, to: client)]
        case let start as RemoteProvisioningExtendedScanStart:
            return passed + scan.start(start, for: client, own: own, isLinkIdle: link == .idle, at: now)
        case is RemoteProvisioningLinkGet: return passed + [linkStatus(.success, to: client)]
        case let open as RemoteProvisioningLinkOpen: return passed + self.open(open.target, for: client, own, at: now)
        case let close as RemoteProvisioningLinkClose: return passed + self.close(close.reason, by: client)
        case let send as RemoteProvisioningPDUSend: return passed + self.send(send, from: client, at: now)
        default: return []
        }
    }

    /// Handles the beacon of an unprovisioned device.
    ///
    /// - Parameters:
    ///   - signal: the signal strength in dBm.
    ///   - structures: its other advertising structures, scan response included.
    package mutating func hear(
        _ beacon: UnprovisionedDeviceBeacon,
        signal: Int8,
        structures: [AdvertisingStructure],
        at now: Instant
    ) -> [Action] {
        advance(to: now) + scan.hear(beacon, signal: signal, structures: structures)
    }

    /// Does what is due at `now`.
    package mutating func advance(to now: Instant) -> [Action] {
        scan.advance(to: now) + advanceLink(to: now)
    }

    /// Forgets everything in a subnet that the node has left. A link is closed as failed, and nobody gets a report
    /// (Mesh Protocol 1.1, 4.4.5.4).
    package mutating func forget(_ netKeyIndex: NetKeyIndex) -> [Action] {
        scan.forget(netKeyIndex)
        guard case .open(let open) = link, open.client.netKeyIndex == netKeyIndex else { return [] }
        link = .idle
        return [.close(.fail)]
    }
}
