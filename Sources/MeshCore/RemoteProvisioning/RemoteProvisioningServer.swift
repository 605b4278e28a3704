/// The Remote Provisioning Server model of a node (Mesh Protocol 1.1, 4.4.5): scans for devices that can be provisioned
/// and carries the provisioning protocol between a client and one of them, or the node itself.
///
/// A value machine: requests, beacons, what happens on the link to the device, and time in; messages, orders for the
/// link and a deadline out. It knows nothing of the radio: its owner opens the link to a device that it is told to
/// open, over PB-ADV, or to the node's own Node Provisioning Protocol Interface, and tells what comes of it.
package struct RemoteProvisioningServer {
    /// Who asked, and in which subnet: answers and reports go there.
    package struct Client: Hashable, Sendable {
        /// The element of the client.
        package var address: UnicastAddress
        /// The subnet.
        package var netKeyIndex: NetKeyIndex

        package init(address: UnicastAddress, netKeyIndex: NetKeyIndex) {
            self.address = address
            self.netKeyIndex = netKeyIndex
        }
    }

    /// What the node is to do, in order.
    package enum Action: Hashable, Sendable {
        /// Send an answer: opcode and parameters.
        case answer([UInt8], to: Client)
        /// Send a report, segmented so that it is acknowledged: opcode and parameters.
        case report([UInt8], to: Client)
        /// Open a link: to a device, or to the node itself. Answer with ``linkOpened(at:)`` once it is open.
        case open(RemoteProvisioningLinkOpen.Target)
        /// Send a PDU over the link. Answer with ``pduDelivered(at:)`` once the other side has it.
        case send([UInt8])
        /// Close the link, or stop opening it. With success, a procedure on the node itself takes effect.
        case close(RemoteProvisioningCloseReason)
    }

    /// What a server is able to do.
    package struct Abilities: Hashable, Sendable {
        /// How many devices it can report in one scan, at least 4.
        package var maximumScannedItems: UInt8 = 16
        /// Whether it can ask devices for scan responses.
        package var isActiveScanSupported = true

        /// Those of common firmware.
        package init() {}
    }

    /// What the server's node tells of itself.
    package struct Own: Hashable, Sendable {
        /// Its Device UUID.
        package var uuid: DeviceUUID
        /// What it would tell in an extended scan.
        package var findings: RemoteProvisioningExtendedScanReport.Findings
        /// Whether its Composition Data page 128 differs from page 0, so that it can be refreshed.
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

    /// Whether it forgets a link as soon as the time is over that it was given to open it, though the link is open, and
    /// begins the transfer of a PDU anew when the PDU is sent to it again: as bluetooth-meshd 5.87, for simulators.
    package var forgetsLinks = false

    let abilities: Abilities
    /// Whether a link was forgotten that the device still waits on.
    var hasForgottenLink = false
    var scan = RemoteProvisioningScan()
    var link = Link.idle

    /// A link and what it is at.
    enum Link: Hashable {
        case idle
        case open(OpenLink)
    }

    /// A server that does nothing.
    package init(abilities: Abilities = Abilities()) {
        self.abilities = abilities
    }

    /// The Remote Provisioning Link state.
    package var linkState: RemoteProvisioningLinkState {
        guard case .open(let link) = link else { return .idle }
        return link.state
    }

    /// Whether it wants to hear of devices.
    package var isScanning: Bool { scan.isListening }

    /// When ``advance(to:)`` is to be called, nil if never.
    package var nextDeadline: Instant? {
        guard case .open(let link) = link else { return scan.nextDeadline }
        return min(link.deadline, link.forgottenAt ?? .distantFuture, scan.nextDeadline ?? .distantFuture)
    }

    /// Takes in a request that was secured with the node's DeviceKey. What is malformed or none of its messages is
    /// ignored.
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

    /// An unprovisioned device was heard.
    ///
    /// - Parameters:
    ///   - signal: in dBm.
    ///   - structures: the other structures that it advertises, scan response included.
    package mutating func hear(
        _ beacon: UnprovisionedDeviceBeacon,
        signal: Int8,
        structures: [AdvertisingStructure],
        at now: Instant
    ) -> [Action] {
        advance(to: now) + scan.hear(beacon, signal: signal, structures: structures)
    }

    /// Lets time pass.
    package mutating func advance(to now: Instant) -> [Action] {
        scan.advance(to: now) + advanceLink(to: now)
    }

    /// Forgets what is for a subnet that the node has left: a link is closed as failed, and nobody is told
    /// (Mesh Protocol 1.1, 4.4.5.4).
    package mutating func forget(_ netKeyIndex: NetKeyIndex) -> [Action] {
        scan.forget(netKeyIndex)
        guard case .open(let open) = link, open.client.netKeyIndex == netKeyIndex else { return [] }
        link = .idle
        return [.close(.fail)]
    }
}
