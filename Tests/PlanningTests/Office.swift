import DefinitionModel
import Definitions
import MeshCore
import Planning
import Testing

/// A small office whose database is complete and agrees with ``definition`` in everything.
///
/// | node | address | elements | bound | subscribes | publishes |
/// | --- | --- | --- | --- | --- | --- |
/// | lamp-1, lamp-2 | 0x0010, 0x0012 | onoff, lightness servers; level server | lighting | all-lights | |
/// | switch-1 | 0x0014 | onoff client | lighting | | kitchen |
struct Office {
    var network: MeshNetwork

    /// Every test's definition starts like this; nodes come last, so that tests add sections after them.
    static let definition = """
        version: 1
        network: office
        subnets: { building: { index: 0 }, guests: {} }
        application_keys: { lighting: { subnet: building }, sensing: { subnet: guests } }
        groups: { all-lights: {}, kitchen: { parent: all-lights }, alarm: {} }

        """

    init() throws {
        let key = KeyMaterial(Octets16(high: 7, low: 7))
        let guests = try #require(NetKeyIndex(rawValue: 1))
        let lighting = try #require(AppKeyIndex(rawValue: 0))
        let sensing = try #require(AppKeyIndex(rawValue: 1))
        let allLights = SubscriptionAddress.group(try #require(GroupAddress(rawValue: 0xC000)))
        let kitchen = try #require(GroupAddress(rawValue: 0xC001))
        let label = LabelUUID(rawValue: Octets16(high: 0xA, low: 0xB))
        let own = DeviceUUID(rawValue: Octets16(high: 0, low: 1))
        network = MeshNetwork(
            uuid: Octets16(high: 0, low: 0),
            name: "office",
            ivIndex: IVIndex(value: 0),
            netKeys: [
                NetKey(index: .primary, name: "building", key: key), NetKey(index: guests, name: "guests", key: key),
            ],
            appKeys: [
                AppKey(index: lighting, name: "lighting", boundNetKey: .primary, key: key),
                AppKey(index: sensing, name: "sensing", boundNetKey: guests, key: key),
            ],
            groups: [
                Group(name: "all-lights", address: allLights),
                Group(name: "kitchen", address: .group(kitchen), parent: allLights),
                Group(name: "alarm", address: .virtual(label)),
            ],
            provisioners: [
                Provisioner(
                    name: "we",
                    uuid: own,
                    unicastRanges: [0x0001...0x00FF],
                    groupRanges: [0xC000...0xC003, 0xC010...0xC011]
                ),
                Provisioner(
                    name: "others",
                    uuid: DeviceUUID(rawValue: Octets16(high: 0, low: 2)),
                    unicastRanges: [],
                    groupRanges: [0xC002...0xC002]
                ),
            ],
            ownProvisioner: own,
            nodes: []
        )
        let lamp = [
            Element(models: [
                Model(identifier: .configurationServer),
                Model(identifier: .sig(0x1000), bindings: [lighting], subscriptions: [allLights]),
                Model(identifier: .sig(0x1300), bindings: [lighting], subscriptions: [allLights]),
            ]),
            Element(models: [Model(identifier: .sig(0x1002), bindings: [lighting])]),
        ]
        let publication = Publication(address: .group(kitchen), appKeyIndex: lighting)
        let client = [
            Element(models: [
                Model(identifier: .sig(0x1001), bindings: [lighting], publication: publication)
            ])
        ]
        try add("we", uuid: own, address: 0x0001, elements: client)
        for (name, low, address) in [("lamp-1", 0x11, 0x0010), ("lamp-2", 0x12, 0x0012)] as [(String, UInt64, UInt16)] {
            try add(name, uuid: DeviceUUID(rawValue: Octets16(high: 0, low: low)), address: address, elements: lamp)
        }
        let uuid = DeviceUUID(rawValue: Octets16(high: 0, low: 0x13))
        try add("switch-1", uuid: uuid, address: 0x0014, elements: client)
    }

    private mutating func add(_ name: String, uuid: DeviceUUID, address: UInt16, elements: [Element]) throws {
        var node = Node(
            uuid: uuid,
            name: name,
            unicastAddress: try #require(UnicastAddress(rawValue: address)),
            deviceKey: KeyMaterial(Octets16(high: 7, low: 7)),
            elements: elements,
            netKeys: [NodeKey(index: .primary)],
            appKeys: [NodeKey(index: try #require(AppKeyIndex(rawValue: 0)))]
        )
        node.isManaged = true
        node.features = Node.Features(relay: .enabled, proxy: .enabled, friend: .notSupported)
        node.defaultTTL = 5
        node.relayRetransmit = TransmitParameters(octet: 0x0A)
        network.nodes.append(node)
    }

    /// Has everything that the network itself holds be managed, as after an apply of ``definition``.
    mutating func manageAll() {
        for place in network.netKeys.indices { network.netKeys[place].isManaged = true }
        for place in network.appKeys.indices { network.appKeys[place].isManaged = true }
        for place in network.groups.indices { network.groups[place].isManaged = true }
    }

    /// Plans and carries the plan out.
    ///
    /// - Parameter devices: what devices to provision are made of.
    mutating func apply(_ yaml: String, devices: [DeviceUUID: Composition] = [:]) throws {
        let result = try result(yaml)
        let plan = try #require(result.plan, "\(result.diagnostics)")
        var simulation = StepSimulation(network, compositions: devices)
        simulation.apply(plan.claims)
        for step in plan.steps { try simulation.apply(step) }
        network = simulation.network
    }

    /// Changes the record of a node.
    mutating func change(_ name: String, _ change: (inout Node) throws -> Void) throws {
        let place = try #require(network.nodes.firstIndex { $0.name == name })
        try change(&network.nodes[place])
    }

    /// The definition's nodes as YAML, each with more settings in braces.
    static func nodes(lamp1: String = "", lamp2: String = "", switch1: String = "") -> String {
        func node(_ name: String, _ uuid: String, _ more: String) -> String {
            "  \(name): { uuid: \(String(repeating: "0", count: 30))\(uuid), \(more) }\n"
        }
        return "nodes:\n" + node("lamp-1", "11", lamp1) + node("lamp-2", "12", lamp2) + node("switch-1", "13", switch1)
    }

    /// Reads the YAML.
    func definition(_ yaml: String) throws -> Definition? {
        DefinitionReader.read(
            files: SourceFiles(files: [SourceFiles.File(path: "office.yaml", bytes: Array(yaml.utf8))])
        ).0.first
    }

    /// Reads the YAML, which must be good if it is checked, and plans.
    func result(
        _ yaml: String,
        options: PlannerOptions = PlannerOptions(),
        isChecked: Bool = true
    ) throws -> PlanningResult {
        let files = SourceFiles(files: [SourceFiles.File(path: "office.yaml", bytes: Array(yaml.utf8))])
        let (definitions, diagnostics) = DefinitionReader.read(files: files)
        if isChecked { #expect(diagnostics.filter { $0.severity == .error } == []) }
        return Planner.plan(
            definition: try #require(definitions.first),
            network: network,
            base: (Octets16(high: 1, low: 1), 7),
            identifier: Octets16(high: 2, low: 2),
            options: options
        )
    }

    /// The plan's text.
    func plan(_ yaml: String) throws -> String {
        let result = try result(Self.definition + yaml)
        return PlanDebugText.text(try #require(result.plan, "\(result.diagnostics)"))
    }

    /// The diagnostics, one a line: line of the YAML behind the common start, severity, message, hint.
    func diagnostics(_ yaml: String) throws -> String {
        let start = Self.definition.count { $0 == "\n" }
        return try result(Self.definition + yaml).diagnostics.map { diagnostic in
            let line = diagnostic.location.map { String(Int($0.line) - start) } ?? "-"
            return "\(line) \(diagnostic.severity): \(diagnostic.message); \(diagnostic.hint ?? "")"
        }.joined(separator: "\n")
    }
}
