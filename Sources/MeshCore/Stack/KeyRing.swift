/// The keys of a participant, prepared for use and found by the fields of PDUs: NID, AID, Network ID, address.
///
/// Copies share the prepared keys, so a ring belongs to one thread. Its output never contains key material.
package struct KeyRing {
    /// One of a subnet's keys; a subnet has one or two.
    struct SubnetEntry {
        let index: NetKeyIndex
        /// Whether a key refresh replaces this key.
        let isOld: Bool
        let credentials: SubnetCredentials
    }

    /// One of the keys with an AppKey index, which has one or two.
    struct ApplicationEntry {
        let index: AppKeyIndex
        let boundNetKey: NetKeyIndex
        /// Whether a key refresh replaces this key.
        let isOld: Bool
        let credentials: ApplicationCredentials
    }

    private struct Subnet {
        var key: NetKey
        var current: SubnetCredentials
        var old: SubnetCredentials?
    }

    private struct Application {
        var key: AppKey
        var current: ApplicationCredentials
        var old: ApplicationCredentials?
    }

    private let schedules: KeySchedules
    /// What its NetKeys make of network PDUs.
    private(set) var networkView: NetworkView
    /// The identity of ``networkView``.
    private(set) var networkViewIdentity: ObjectIdentifier
    private var subnets: [NetKeyIndex: Subnet] = [:]
    private var subnetsByNID = [[SubnetEntry]](repeating: [], count: 128)
    private var subnetsByNetworkID: [UInt64: [SubnetEntry]] = [:]
    private var applications: [AppKeyIndex: Application] = [:]
    private var applicationsByAID = [[ApplicationEntry]](repeating: [], count: 64)
    private var deviceKeys: [UnicastAddress: KeyMaterial] = [:]
    private var deviceKeyCandidates: [UnicastAddress: KeyMaterial] = [:]
    private var labelsByAddress: [Address: [LabelUUID]] = [:]

    /// A ring without keys.
    ///
    /// - Parameter schedules: prepared keys to share with other rings of the same thread.
    package init(schedules: KeySchedules = KeySchedules()) {
        self.schedules = schedules
        networkView = schedules.view([])
        networkViewIdentity = networkView.identity
    }

    /// A ring with all NetKeys, AppKeys, device keys and labels of groups in a network.
    package init(_ network: MeshNetwork, schedules: KeySchedules = KeySchedules()) {
        self.init(schedules: schedules)
        for key in network.netKeys { set(key) }
        for key in network.appKeys { set(key) }
        for node in network.nodes {
            if let key = node.deviceKey { setDeviceKey(key, of: node.unicastAddress) }
        }
        for case .virtual(let label) in network.groups.map(\.address) { add(label) }
    }

    // MARK: NetKeys

    /// All NetKeys sorted by index.
    package var netKeys: [NetKey] { subnets.values.map(\.key).sorted { $0.index < $1.index } }

    package func netKey(_ index: NetKeyIndex) -> NetKey? { subnets[index]?.key }

    /// Adds a NetKey, or replaces the one with its index. The old key counts only during a key refresh.
    package mutating func set(_ key: NetKey) {
        removeNetKey(key.index)
        let oldKey = key.phase == .normal ? nil : key.oldKey
        let subnet = Subnet(key: key, current: schedules.subnet(key.key), old: oldKey.map(schedules.subnet))
        subnets[key.index] = subnet
        for entry in entries(of: subnet) {
            subnetsByNID[Int(entry.credentials.flooding.nid)].append(entry)
            subnetsByNetworkID[entry.credentials.networkID, default: []].append(entry)
        }
        if key.phase == .usingNewKeys, let old = subnet.old, old.flooding.nid != subnet.current.flooding.nid {
            // BTstack secures with the new key from then on, but goes on to write the NID of the old one.
            let entry = SubnetEntry(index: key.index, isOld: false, credentials: subnet.current)
            subnetsByNID[Int(old.flooding.nid)].append(entry)
        }
        updateNetworkView()
    }

    private mutating func updateNetworkView() {
        let parts = subnetsByNID.joined().map { entry in
            NetworkView.Part(
                index: entry.index,
                opens: ObjectIdentifier(entry.credentials),
                sends: transmitCredentials(entry.index).map { ObjectIdentifier($0) }
            )
        }
        networkView = schedules.view(parts)
        networkViewIdentity = networkView.identity
    }

    /// Removes the NetKey with that index. AppKeys bound to it stay, but cannot be used.
    package mutating func removeNetKey(_ index: NetKeyIndex) {
        guard let subnet = subnets.removeValue(forKey: index) else { return }
        for entry in entries(of: subnet) {
            subnetsByNID[Int(entry.credentials.flooding.nid)].removeAll { $0.index == index }
            subnetsByNetworkID[entry.credentials.networkID]?.removeAll { $0.index == index }
            if subnetsByNetworkID[entry.credentials.networkID]?.isEmpty == true {
                subnetsByNetworkID[entry.credentials.networkID] = nil
            }
        }
        updateNetworkView()
    }

    /// Moves a subnet to a phase of its key refresh. The return to normal forgets the old NetKey and the old keys of
    /// the AppKeys bound to it.
    package mutating func setPhase(_ phase: KeyRefreshPhase, of index: NetKeyIndex) {
        guard var key = subnets[index]?.key else { return }
        key.phase = phase
        guard phase == .normal else {
            set(key)
            return
        }
        key.oldKey = nil
        set(key)
        for var bound in appKeys where bound.boundNetKey == index && bound.oldKey != nil {
            bound.oldKey = nil
            set(bound)
        }
    }

    /// The credentials for sending: the old ones in phase 1 of a key refresh (3.11.4).
    ///
    /// - Parameter prefersOld: whether to use the old ones in phase 2, too, for a receiver that has missed the new key.
    func transmitCredentials(_ index: NetKeyIndex, prefersOld: Bool = false) -> SubnetCredentials? {
        guard let subnet = subnets[index] else { return nil }
        return subnet.key.phase == .keyDistribution || prefersOld ? subnet.old ?? subnet.current : subnet.current
    }

    /// All credentials that may have secured network PDUs with that NID.
    func candidates(nid: UInt8) -> [SubnetEntry] { subnetsByNID[Int(nid & 0x7F)] }

    /// All credentials that may have secured beacons with that Network ID.
    func candidates(networkID: UInt64) -> [SubnetEntry] { subnetsByNetworkID[networkID] ?? [] }

    /// All credentials that may have secured beacons that do not name their subnet, sorted by index.
    var subnetEntries: [SubnetEntry] {
        subnets.values.sorted { $0.key.index < $1.key.index }.flatMap(entries)
    }

    private func entries(of subnet: Subnet) -> [SubnetEntry] {
        let current = SubnetEntry(index: subnet.key.index, isOld: false, credentials: subnet.current)
        guard let old = subnet.old, old !== subnet.current else { return [current] }
        return [current, SubnetEntry(index: subnet.key.index, isOld: true, credentials: old)]
    }

    // MARK: AppKeys

    /// All AppKeys sorted by index.
    package var appKeys: [AppKey] { applications.values.map(\.key).sorted { $0.index < $1.index } }

    package func appKey(_ index: AppKeyIndex) -> AppKey? { applications[index]?.key }

    /// Adds an AppKey, or replaces the one with its index.
    package mutating func set(_ key: AppKey) {
        removeAppKey(key.index)
        let application = Application(
            key: key,
            current: schedules.application(key.key),
            old: key.oldKey.map(schedules.application)
        )
        applications[key.index] = application
        for (credentials, isOld) in [(application.current, false), (application.old, true)] {
            guard let credentials else { continue }
            applicationsByAID[Int(credentials.aid)].append(
                ApplicationEntry(
                    index: key.index,
                    boundNetKey: key.boundNetKey,
                    isOld: isOld,
                    credentials: credentials
                )
            )
        }
    }

    package mutating func removeAppKey(_ index: AppKeyIndex) {
        guard let application = applications.removeValue(forKey: index) else { return }
        for credentials in [application.current, application.old] {
            guard let credentials else { continue }
            applicationsByAID[Int(credentials.aid)].removeAll { $0.index == index }
        }
    }

    /// The credentials for sending: the old ones, if they exist, in phase 1 of the NetKey's refresh.
    func transmitCredentials(_ index: AppKeyIndex) -> ApplicationCredentials? {
        guard let application = applications[index] else { return nil }
        let phase = subnets[application.key.boundNetKey]?.key.phase
        return phase == .keyDistribution ? application.old ?? application.current : application.current
    }

    /// All application keys that may have secured access messages with that AID. Old keys count only during the refresh
    /// of their NetKey, even if a database has kept them longer.
    func candidates(aid: UInt8) -> [ApplicationEntry] {
        applicationsByAID[Int(aid & 0x3F)].filter { entry in
            !entry.isOld || subnets[entry.boundNetKey].map { $0.key.phase != .normal } ?? false
        }
    }

    // MARK: Device keys and labels

    /// Sets the device key of the node whose primary element has that address.
    package mutating func setDeviceKey(_ key: KeyMaterial, of node: UnicastAddress) {
        deviceKeys[node] = key
    }

    /// Sets or removes the device key candidate of a node. The first message that it opens makes it the device key
    /// (Mesh Protocol 1.1, 3.9.6.1).
    package mutating func setDeviceKeyCandidate(_ key: KeyMaterial?, of node: UnicastAddress) {
        deviceKeyCandidates[node] = key
    }

    /// Forgets the device key of a node and its candidate.
    package mutating func removeDeviceKey(of node: UnicastAddress) {
        deviceKeys[node] = nil
        deviceKeyCandidates[node] = nil
    }

    /// Makes the candidate of a node its device key and forgets the former one.
    mutating func activateDeviceKeyCandidate(of node: UnicastAddress) {
        guard let key = deviceKeyCandidates.removeValue(forKey: node) else { return }
        deviceKeys[node] = key
    }

    package func hasDeviceKey(of node: UnicastAddress) -> Bool { deviceKeys[node] != nil }

    func deviceCipher(_ node: UnicastAddress) -> AuthenticatedCipher? {
        deviceKeys[node].map(schedules.device)
    }

    func deviceCandidateCipher(_ node: UnicastAddress) -> AuthenticatedCipher? {
        deviceKeyCandidates.isEmpty ? nil : deviceKeyCandidates[node].map(schedules.device)
    }

    /// The known labels, sorted. Messages to other virtual addresses cannot be read.
    package var labels: [LabelUUID] { labelsByAddress.values.flatMap { $0 }.sorted() }

    package mutating func add(_ label: LabelUUID) {
        let address = label.virtualAddress
        guard !labels(of: address).contains(label) else { return }
        labelsByAddress[address, default: []].append(label)
    }

    package mutating func remove(_ label: LabelUUID) {
        labelsByAddress[label.virtualAddress]?.removeAll { $0 == label }
    }

    func labels(of address: Address) -> [LabelUUID] { labelsByAddress[address] ?? [] }
}

extension KeyRing {
    /// The credentials that may have secured a network PDU.
    ///
    /// - Throws: ``NetworkPDUError`` if the PDU is too short or too long, or no known key has its NID.
    func candidates(for bytes: [UInt8]) throws(NetworkPDUError) -> [SubnetEntry] {
        guard (NetworkPDU.minimumSize...NetworkPDU.maximumSize).contains(bytes.count),
            let nid = NetworkPDU.nid(of: bytes)
        else { throw .malformed(.length(bytes.count)) }
        let candidates = candidates(nid: nid)
        guard !candidates.isEmpty else { throw .unknownNID(nid) }
        return candidates
    }

    /// Opens a network PDU with the first IV index and key that authenticate it (Mesh Protocol 3.4.6.3).
    ///
    /// - Parameter ivIndexes: the IV indexes to try, in this order.
    /// - Throws: ``NetworkPDUError`` if the PDU is malformed, or none of them opens it.
    func open(
        _ bytes: [UInt8],
        as purpose: NetworkPDU.Purpose,
        under ivIndexes: some Sequence<UInt32>
    ) throws(NetworkPDUError) -> (pdu: NetworkPDU, netKeyIndex: NetKeyIndex) {
        let candidates = try candidates(for: bytes)
        for ivIndex in ivIndexes {
            for candidate in candidates {
                do throws(NetworkPDUError) {
                    let credentials = candidate.credentials.flooding
                    let pdu = try NetworkPDU(decoding: bytes, with: credentials, ivIndex: ivIndex, as: purpose)
                    return (pdu, candidate.index)
                } catch {
                    guard error == .notAuthentic else { throw error }
                }
            }
        }
        throw .notAuthentic
    }
}
