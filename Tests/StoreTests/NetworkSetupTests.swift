import MeshCore
import Store
import TestSupport
import Testing

@Suite("Setting up networks")
struct NetworkSetupTests {
    @Test("A new network has a primary key and our own node at 0x0001")
    func new() throws {
        var generator = SplitMix64(seed: 1)
        let now = Timestamp(rawValue: 1_763_705_818)
        let network = MeshNetwork.new(name: "hq", at: now, using: &generator)
        #expect(network.ivIndex == IVIndex(value: 0))
        #expect(network.ivIndexChangedAt == now, "nobody else can have raised it")
        #expect(network.netKeys.map(\.name) == ["primary"])
        #expect(network.netKeys[0].index == .primary)
        #expect(network.nodes.map(\.unicastAddress) == [.first])
        #expect(network.nodes[0].uuid == network.ownProvisioner)
        #expect(network.nodes[0].deviceKey != nil)
        #expect(network.provisioners.map(\.uuid) == [network.ownProvisioner])
        #expect(network.provisioners[0].unicastRanges == [0x0001...0x7FFF])
        #expect(network.provisioners[0].groupRanges == [0xC000...0xFEFF])
        let other = MeshNetwork.new(name: "hq", at: now, using: &generator)
        #expect(other.netKeys[0].key != network.netKeys[0].key)
        #expect(other.uuid != network.uuid)
    }

    @Test("An import never makes us somebody else: our provisioner has an address range of its own")
    func sample() throws {
        var generator = SplitMix64(seed: 1)
        let document = try CDBImport.read(CDBRoundTripTests.sample("01-spec-example-kotlin-lib"))
        let network = try document.joined(using: &generator)
        let own = try required(network.provisioners.last)
        #expect(network.provisioners.dropLast() == document.network.provisioners[...])
        #expect(own.uuid == network.ownProvisioner)
        #expect(own.name == "meshplan")
        #expect(own.unicastRanges == [0x0200...0x02FF])
        #expect(own.groupRanges == [0xC300...0xC3FF])
        let node = try required(network.nodes.first { $0.uuid == own.uuid })
        #expect(node.unicastAddress.rawValue == 0x0200)
        #expect(node.elements == [Element(models: [Model(identifier: .configurationClient)])])
        #expect(node.netKeys.map { [$0.index.rawValue, $0.isUpdated ? 1 : 0] } == [[0, 0], [1, 1]])
        #expect(
            node.appKeys.map { [$0.index.rawValue, $0.isUpdated ? 1 : 0] } == [[0, 0], [2, 0], [3, 1], [1200, 0]]
        )
        #expect(network.nodes.filter { $0.uuid != own.uuid } == document.network.nodes)
        #expect(network.nodes.map(\.unicastAddress) == network.nodes.map(\.unicastAddress).sorted())
        // What is exported with our provisioner in it can be imported.
        #expect(try CDBImport.read(CDBExport.write(network, extras: document.extras)).network.nodes == network.nodes)
    }

    func network(_ ranges: [ClosedRange<UInt16>], nodes: [UInt16] = [], excluded: [UInt16] = []) throws -> MeshNetwork {
        var network = try richNetwork(nodes: 0)
        network.groups = []
        network.provisioners = [
            Provisioner(name: "p", uuid: uuid(99), unicastRanges: ranges, groupRanges: [0xC000...0xFEFF])
        ]
        network.nodes = try nodes.enumerated().map { index, address in
            Node(
                uuid: uuid(UInt64(200 + index)),
                name: "n",
                unicastAddress: try required(UnicastAddress(rawValue: address)),
                deviceKey: nil,
                elements: [Element(), Element()]
            )
        }
        network.pendingProvisionings = []
        network.exclusions = [
            NetworkExclusion(ivIndex: 0, addresses: try excluded.map { try required(UnicastAddress(rawValue: $0)) })
        ]
        return network
    }

    @Test("Nodes, devices that may be nodes, and exclusions outside all ranges are avoided too")
    func avoidance() throws {
        var generator = SplitMix64(seed: 1)
        func range(_ network: MeshNetwork) throws -> ClosedRange<UInt16>? {
            try MeshNetwork.addingProvisioner(to: network, using: &generator).provisioners.last?.unicastRanges.first
        }
        let elsewhere: [ClosedRange<UInt16>] = [0x0300...0x03FF]
        #expect(try range(network(elsewhere)) == 0x0002...0x0101, "0x0001 may be somebody's who is not in the file")
        #expect(try range(network([0x0001...0x0010, 0x0005...0x0008])) == 0x0011...0x0110)
        #expect(try range(network(elsewhere, nodes: [0x00FF])) == 0x0101...0x0200)
        #expect(try range(network(elsewhere, excluded: [0x0100])) == 0x0101...0x0200)
        var waiting = try network(elsewhere)
        waiting.pendingProvisionings = try richNetwork().pendingProvisionings
        waiting.pendingProvisionings[0].address = try required(UnicastAddress(rawValue: 0x0050))
        #expect(try range(waiting) == 0x0052...0x0151)
        #expect(try range(network([0x0001...0x7FF0])) == 0x7FF1...0x7FFF)
        #expect(try range(network([0x0001...0x0FFF, 0x1002...0x7FFE])) == 0x1000...0x1001)
    }

    @Test("Where nobody says which addresses are given out, the last ones are taken, and 0x0001 never")
    func undeclared() throws {
        var generator = SplitMix64(seed: 1)
        func ranges(_ network: MeshNetwork) throws -> [[ClosedRange<UInt16>]] {
            try MeshNetwork.addingProvisioner(to: network, using: &generator).provisioners.map(\.unicastRanges)
        }
        #expect(try ranges(network([])) == [[], [0x7F00...0x7FFF]])
        #expect(try ranges(network([], nodes: [0x0001, 0x7FFE])) == [[], [0x7EFE...0x7FFD]])
        // The range of PyACI: its own address, 0x0001, is the only one outside.
        #expect(try ranges(network([0x0002...0x7FFF])) == [[0x0002...0x7EFF], [0x7F00...0x7FFF]])
        #expect(try ranges(network([0x0010...0x7FFF])) == [[0x0010...0x7FFF], [0x0002...0x000F]])
        var nobody = try network([])
        nobody.provisioners = []
        #expect(try ranges(nobody) == [[0x7F00...0x7FFF]])
    }

    @Test(
        "Where others have all addresses in their ranges, the last ones that nobody uses are taken out of those",
        arguments: [
            (nodes: [0x0003], excluded: [], own: 0x7F00...0x7FFF, others: [0x0001...0x7EFF]),
            (nodes: [0x7FFE], excluded: [], own: 0x7EFE...0x7FFD, others: [0x0001...0x7EFD, 0x7FFE...0x7FFF]),
            (nodes: [0x7F00], excluded: [0x7FFF], own: 0x7E00...0x7EFF, others: [0x0001...0x7DFF, 0x7F00...0x7FFF]),
        ] as [(nodes: [UInt16], excluded: [UInt16], own: ClosedRange<UInt16>, others: [ClosedRange<UInt16>])]
    )
    func concessions(
        nodes: [UInt16],
        excluded: [UInt16],
        own: ClosedRange<UInt16>,
        others: [ClosedRange<UInt16>]
    ) throws {
        var generator = SplitMix64(seed: 1)
        let full = try network([0x0001...0x7FFF], nodes: nodes, excluded: excluded)
        let joined = try MeshNetwork.addingProvisioner(to: full, using: &generator)
        #expect(joined.provisioners.map(\.unicastRanges) == [others, [own]])
        #expect(joined.nodes.first { $0.uuid == joined.ownProvisioner }?.unicastAddress.rawValue == own.lowerBound)
    }

    @Test("Without a free address there is a clear error, without free groups there are none")
    func full() throws {
        var generator = SplitMix64(seed: 1)
        let full = try network([0x0001...0x7FFF], excluded: Array(0x0001...0x7FFF))
        #expect(
            storeError { _ = try MeshNetwork.addingProvisioner(to: full, using: &generator) }?.code == .noFreeAddresses
        )
        let added = try MeshNetwork.addingProvisioner(to: network([0x0001...0x00FF]), using: &generator)
        #expect(added.provisioners.last?.groupRanges == [])
    }
}
