/// The scanning of a Remote Provisioning Server (Mesh Protocol 1.1, 4.2.26 and 4.4.5.1): at most one scan for devices,
/// and at the same time at most one extended scan of a single device.
struct RemoteProvisioningScan {
    typealias Action = RemoteProvisioningServer.Action
    typealias Client = RemoteProvisioningServer.Client

    /// A scan in progress.
    private struct Search {
        let client: Client
        let uuid: DeviceUUID?
        let limit: UInt8
        let end: Instant
        /// The devices already reported.
        var found: Set<DeviceUUID> = []
    }

    /// An extended scan in progress.
    private struct Inquiry {
        let client: Client
        let uuid: DeviceUUID
        let types: [UInt8]
        let end: Instant
    }

    private var search: Search?
    private var inquiry: Inquiry?

    /// Whether a scan is in progress, so that advertisements matter.
    var isListening: Bool { search != nil || inquiry != nil }

    /// When the next of the two ends.
    var nextDeadline: Instant? {
        [search?.end, inquiry?.end].compactMap(\.self).min()
    }

    /// The scan state, as the answer to a request.
    func status(_ status: RemoteProvisioningStatusCode, at now: Instant) -> RemoteProvisioningScanStatus {
        guard let search else {
            return RemoteProvisioningScanStatus(status: status, state: .idle, scannedItemsLimit: 0, timeout: 0)
        }
        let rest = now.duration(to: search.end).microseconds
        return RemoteProvisioningScanStatus(
            status: status,
            state: search.uuid == nil ? .multipleDevices : .singleDevice,
            scannedItemsLimit: search.limit,
            timeout: UInt8(clamping: (rest + 999_999) / 1_000_000)
        )
    }

    /// Starts a scan. It replaces one that the same client started before.
    mutating func start(
        _ request: RemoteProvisioningScanStart,
        for client: Client,
        limit: UInt8,
        at now: Instant
    ) -> RemoteProvisioningStatusCode {
        guard request.scannedItemsLimit <= limit else { return .scanningCannotStart }
        if let search, search.client != client { return .invalidState }
        search = Search(
            client: client,
            uuid: request.uuid,
            limit: request.scannedItemsLimit == 0 ? limit : request.scannedItemsLimit,
            end: now.advanced(by: .seconds(Int64(request.timeout)))
        )
        return .success
    }

    /// Starts to listen for a device's advertisements, or reports those of the node itself.
    mutating func start(
        _ request: RemoteProvisioningExtendedScanStart,
        for client: Client,
        own: RemoteProvisioningServer.Own,
        isLinkIdle: Bool,
        at now: Instant
    ) -> [Action] {
        guard let device = request.device else {
            let findings = own.findings.narrowed(to: request.types)
            return [report(.success, own.uuid, findings, to: client)]
        }
        let isBusy = inquiry.map { $0.client != client || $0.uuid != device.uuid } ?? false
        guard isLinkIdle, !isBusy else { return [report(.limitedResources, device.uuid, nil, to: client)] }
        inquiry = Inquiry(
            client: client,
            uuid: device.uuid,
            types: request.types,
            end: now.advanced(by: .seconds(Int64(device.timeout)))
        )
        return []
    }

    /// Ends the scan, but not the extended one.
    mutating func stop() {
        search = nil
    }

    /// Handles a device that was heard. A scan reports each device once.
    mutating func hear(
        _ beacon: UnprovisionedDeviceBeacon,
        signal: Int8,
        structures: [AdvertisingStructure]
    ) -> [Action] {
        var actions: [Action] = []
        if let inquiry, inquiry.uuid == beacon.uuid {
            self.inquiry = nil
            let findings = RemoteProvisioningExtendedScanReport.Findings(
                outOfBandInformation: beacon.outOfBandInformation,
                structures: structures
            )
            actions.append(report(.success, inquiry.uuid, findings.narrowed(to: inquiry.types), to: inquiry.client))
        }
        if var search, search.uuid == nil || search.uuid == beacon.uuid, search.found.count < Int(search.limit),
            search.found.insert(beacon.uuid).inserted
        {
            self.search = search
            let report = RemoteProvisioningScanReport(
                signal: signal,
                uuid: beacon.uuid,
                outOfBandInformation: beacon.outOfBandInformation,
                uriHash: beacon.uriHash
            )
            actions.append(.report(report.encoded, to: search.client))
        }
        return actions
    }

    /// Ends scans that are over. An extended scan then reports that the device was not heard.
    mutating func advance(to now: Instant) -> [Action] {
        if let end = search?.end, end <= now { search = nil }
        guard let inquiry, inquiry.end <= now else { return [] }
        self.inquiry = nil
        return [report(.success, inquiry.uuid, nil, to: inquiry.client)]
    }

    /// Ends the scans that were requested in a subnet.
    mutating func forget(_ netKeyIndex: NetKeyIndex) {
        if search?.client.netKeyIndex == netKeyIndex { search = nil }
        if inquiry?.client.netKeyIndex == netKeyIndex { inquiry = nil }
    }

    private func report(
        _ status: RemoteProvisioningStatusCode,
        _ uuid: DeviceUUID,
        _ findings: RemoteProvisioningExtendedScanReport.Findings?,
        to client: Client
    ) -> Action {
        let report = RemoteProvisioningExtendedScanReport(status: status, uuid: uuid, findings: findings)
        return .report(report.encoded, to: client)
    }
}

extension RemoteProvisioningExtendedScanReport.Findings {
    /// The octets for structures in one access message beside opcode (2), status (1), Device UUID (16) and OOB
    /// information (2), out of at most 380.
    private static let room = 359

    /// Keeps only the requested structures, as many as fit into a message.
    fileprivate func narrowed(to types: [UInt8]) -> Self {
        var narrowed = self
        var size = 0
        narrowed.structures = structures.filter { structure in
            guard types.contains(structure.type) else { return false }
            let longer = size + structure.data.count + 2
            guard longer <= Self.room, structure.data.count <= 254 else { return false }
            size = longer
            return true
        }
        return narrowed
    }
}
