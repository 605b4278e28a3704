import Foundation
import MeshCore
import TestSupport

@testable import Store

/// A folder that is removed with the last reference.
final class TemporaryFolder {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("meshplan-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ name: String) -> String { path + "/" + name }
}

let now = Timestamp(rawValue: 1_763_705_818)

func holder(_ operation: String = "test") -> LockHolder {
    LockHolder(user: "anna", host: "desk", process: 4711, operation: operation, since: now)
}

/// What comes of a call that has to fail.
func storeError(_ body: () throws -> Void) -> StoreError? {
    do {
        try body()
        return nil
    } catch {
        return error as? StoreError
    }
}

/// Runs a statement on the file of a fixture, as somebody with a SQLite shell but without the key can.
func execute(_ fixture: Fixture, _ sql: String, _ values: [SQLiteValue] = []) throws {
    try SQLiteConnection(fixture.path, patience: .seconds(5)).run(sql, values)
}

func uuid(_ number: UInt64) -> DeviceUUID { DeviceUUID(rawValue: Octets16(high: 0xA0A0, low: number)) }

func readFile(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

/// A file of the tests.
func resource(_ name: String) throws -> [UInt8] {
    let url = Bundle.module.url(forResource: name, withExtension: nil, subdirectory: "Resources")
    return [UInt8](try Data(contentsOf: required(url)))
}

func writeFile(_ path: String, _ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
}

/// A network that uses every field there is.
func richNetwork(nodes count: Int = 2) throws -> MeshNetwork {
    func key(_ low: UInt64) -> KeyMaterial { KeyMaterial(Octets16(high: 0x5EC2E7, low: low)) }
    let label = LabelUUID(rawValue: Octets16(high: 1, low: 2))
    let group = try required(GroupAddress(rawValue: 0xC000))
    let second = try required(NetKeyIndex(rawValue: 7))
    let appKey = try required(AppKeyIndex(rawValue: 0x0FFF))
    var network = MeshNetwork(
        uuid: Octets16(high: 3, low: 4),
        name: "Häuschen 🏠",
        ivIndex: IVIndex(value: 0x1234_5678, isUpdateInProgress: true),
        netKeys: [
            NetKey(index: .primary, name: "primary", key: key(1)),
            NetKey(
                index: second,
                name: "guests",
                key: key(2),
                oldKey: key(3),
                phase: .usingNewKeys,
                isMinimumSecuritySecure: false
            ),
        ],
        appKeys: [AppKey(index: appKey, name: "light", boundNetKey: second, key: key(4), oldKey: key(5))],
        groups: [
            Group(name: "all", address: .group(group)),
            Group(name: "label", address: .virtual(label), parent: .group(group)),
        ],
        provisioners: [
            Provisioner(
                name: "me",
                uuid: uuid(1),
                unicastRanges: [1...0xFF, 0x200...0x7FFF],
                groupRanges: [0xC000...0xC0FF],
                sceneRanges: [1...0xFFFF]
            )
        ],
        ownProvisioner: uuid(1),
        scenes: [Scene(number: 9, name: "night", addresses: [.first, .last])],
        exclusions: [NetworkExclusion(ivIndex: 5, addresses: [.last])],
        nodes: []
    )
    network.ivIndexChangedAt = now
    network.ivIndexRecoveredAt = Timestamp(rawValue: now.rawValue - 1)
    network.ivIndexStatedAt = Timestamp(rawValue: now.rawValue - 2)
    network.netKeys[1].isManaged = true
    network.netKeys[1].isProtected = true
    network.appKeys[0].isManaged = true
    network.groups[1].isProtected = true
    network.pendingProvisionings = [
        PendingProvisioning(
            uuid: uuid(0x700),
            name: "door",
            address: try required(UnicastAddress(rawValue: 0x7000)),
            elementCount: 2,
            deviceKeys: [key(70), key(71)],
            netKeyIndex: second,
            isSecurelyProvisioned: true,
            attemptedAt: now
        ),
        PendingProvisioning(
            uuid: uuid(0x701),
            name: "",
            address: .last,
            elementCount: 1,
            deviceKeys: [key(72)],
            netKeyIndex: .primary,
            isSecurelyProvisioned: false,
            attemptedAt: Timestamp(rawValue: -1)
        ),
    ]
    for reason in RetiredNode.Reason.allCases {
        let node = Node(uuid: uuid(0x800), name: "ghost", unicastAddress: .last, deviceKey: key(80))
        network.retiredNodes.append(RetiredNode(node: node, reason: reason, retiredAt: now))
    }
    for number in 0..<count {
        var node = Node(
            uuid: uuid(UInt64(number) + 1),
            name: "node-\(number)",
            unicastAddress: try required(UnicastAddress(rawValue: UInt16(1 + 3 * number))),
            deviceKey: number % 5 == 4 ? nil : key(UInt64(1000 + number)),
            netKeys: [
                NodeKey(index: .primary), NodeKey(index: second, progress: KeyRefreshProgress.allCases[number % 4]),
            ],
            appKeys: [NodeKey(index: appKey, isUpdated: true)]
        )
        node.isSecurelyProvisioned = true
        node.isConfigComplete = number % 2 == 0
        node.isExcluded = number % 2 == 1
        node.isManaged = true
        node.isProtected = number % 3 == 0
        node.removalPolicy = number % 2 == 0 ? .reset : .forget
        node.unprovisionedSeenAt = number % 3 == 0 ? now : nil
        node.product = Node.Product(company: 0x0059, product: 1, version: 2, replayListSize: 0xFFFF)
        node.features = Node.Features(relay: .enabled, proxy: .disabled, friend: .notSupported, lowPower: nil)
        node.secureNetworkBeacon = number % 2 == 0
        node.defaultTTL = 127
        node.networkTransmit = TransmitParameters(count: 7, steps: 31)
        node.relayRetransmit = TransmitParameters(count: 0, steps: 0)
        for state in try richStates(number, group: group, subnet: second) { node.record(state) }
        if number % 3 != 1 {
            node.recordBridging(try bridgingEntry(from: 5, to: 0xC000, .oneWay, second))
            node.recordBridging(try bridgingEntry(from: 5, to: 9, .bothWays, second))
            node.compositionPages = [1: [1, 2, 3], 128: [UInt8](repeating: 7, count: 300)]
            node.modelsMetadata = [0: []]
            node.unread = [
                Node.UnreadRecord(request: [1, 2, 3], answer: [0x80, 0x4E, 0x00]),
                Node.UnreadRecord(request: [4], answer: nil),
            ]
        }
        node.observedAt = now
        node.elements = [
            Element(
                name: "lamp",
                location: 0x0106,
                models: [
                    Model(identifier: .configurationServer),
                    Model(
                        identifier: .sig(0x1000),
                        bindings: [appKey],
                        subscriptions: [.group(group), .virtual(label)],
                        publication: Publication(
                            address: .virtual(label),
                            appKeyIndex: appKey,
                            usesFriendshipCredentials: true,
                            ttl: 9,
                            period: PublishPeriod(octet: 0xC5),
                            retransmit: PublishRetransmit(octet: 0x3A)
                        )
                    ),
                ]
            ),
            Element(
                models: [
                    Model(
                        identifier: .vendor(company: 0x0059, model: 1),
                        publication: Publication(address: .unicast(.last), appKeyIndex: appKey)
                    ),
                    Model(
                        identifier: .sig(0x1001),
                        publication: Publication(address: .group(.allNodes), appKeyIndex: appKey)
                    ),
                ]
            ),
        ]
        // All of it, some of it, none of it.
        node.elements[0].models[1].managedBindings = [appKey]
        node.elements[0].models[1].managedSubscriptions = number % 2 == 0 ? [.virtual(label)] : [.group(group)]
        node.elements[0].models[1].isPublicationManaged = number % 3 == 0
        network.nodes.append(node)
    }
    return network
}

/// A database in a folder of its own.
struct Fixture {
    let folder: TemporaryFolder
    let key: DatabaseSecret
    let database: MeshDatabase
    let network: MeshNetwork
    var path: String { folder.file("house.meshdb") }

    init(nodes: Int = 2, seed: UInt64 = 1) throws {
        folder = try TemporaryFolder()
        var generator = SplitMix64(seed: seed)
        key = DatabaseSecret.random(using: &generator)
        network = try richNetwork(nodes: nodes)
        database = try MeshDatabase.create(
            at: folder.file("house.meshdb"),
            network: network,
            key: key,
            now: now,
            using: generator
        )
    }

    func reopened() throws -> MeshDatabase { try MeshDatabase.open(at: path, key: key) }
}

/// States of every kind, in which what can be unknown is known on every second node.
private func richStates(_ number: Int, group: GroupAddress, subnet: NetKeyIndex) throws -> [FoundationState] {
    let isKnown = number % 2 == 0
    var transmitter = SARTransmitterState.standard
    transmitter.unicastRetransmissionsCount = 15
    return [
        .subnetBridge(true), .privateNodeIdentity(subnet, .notSupported), .onDemandPrivateProxy(seconds: 255),
        .privateGATTProxy(isKnown ? .enabled : .notSupported),
        .privateBeacon(PrivateBeaconState(isEnabled: true, randomUpdateIntervalSteps: isKnown ? 0 : nil)),
        .sarReceiver(.standard), .sarTransmitter(transmitter), .nodeIdentity(subnet, .stopped),
        .nodeIdentity(.primary, .stopped),
        .heartbeatSubscription(
            HeartbeatSubscription(source: nil, destination: group.address, periodLog: isKnown ? .off : nil)
        ),
        .heartbeatPublication(
            HeartbeatPublication(
                destination: group.address,
                countLog: isKnown ? .endless : nil,
                periodLog: try required(HeartbeatPeriodLog(seconds: 65_535)),
                ttl: 5,
                features: [.relay, .lowPower],
                netKeyIndex: subnet
            )
        ),
    ]
}

private func bridgingEntry(
    from first: UInt16,
    to second: UInt16,
    _ directions: BridgingDirections,
    _ subnet: NetKeyIndex
) throws -> BridgingTableEntry {
    BridgingTableEntry(
        subnets: NetKeyIndexPair(first: .primary, second: subnet),
        addresses: BridgedAddresses(
            first: try required(UnicastAddress(rawValue: first)),
            second: Address(rawValue: second),
            directions: directions
        )
    )
}
