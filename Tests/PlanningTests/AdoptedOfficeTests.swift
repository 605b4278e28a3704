import DefinitionModel
import Definitions
import Foundation
import MeshCore
import Planning
import TestSupport
import Testing

@Suite("The example office, adopted")
struct AdoptedOfficeTests {
    private func files(_ names: String...) throws -> SourceFiles {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let files = try names.map { name in
            let data = try Data(contentsOf: root.appendingPathComponent("examples/office/\(name)"))
            return SourceFiles.File(path: name, bytes: Array(data))
        }
        return SourceFiles(files: files)
    }

    @Test("What an apply of the example has made of its devices is written down shorter, and plans empty")
    func roundTrip() throws {
        let definition = try #require(
            DefinitionReader.read(files: try files("office.yaml", "devices/models.yaml")).definitions.first
        )
        let devices = DeviceFile.read(files: try files("devices/devices.yaml")).devices
        let own = DeviceUUID(rawValue: Octets16(high: 0, low: 1))
        var network = MeshNetwork(
            uuid: Octets16(high: 0, low: 0),
            name: "office",
            ivIndex: IVIndex(value: 0),
            netKeys: [NetKey(index: .primary, name: "primary", key: RandomCase.key())],
            provisioners: [
                Provisioner(name: "we", uuid: own, unicastRanges: [0x0001...0x7FFF], groupRanges: [0xC000...0xFEFF])
            ],
            ownProvisioner: own,
            nodes: []
        )
        network.nodes = [
            Node(
                uuid: own,
                name: "we",
                unicastAddress: .first,
                deviceKey: RandomCase.key(),
                elements: [Element(models: [Model(identifier: .configurationClient)])],
                netKeys: [NodeKey(index: .primary)]
            )
        ]
        let plan = try #require(AdoptedNetwork.plan(definition, network).plan)
        let compositions = Dictionary(devices.map { ($0.uuid, $0.composition) }) { first, _ in first }
        var simulation = StepSimulation(network, compositions: compositions)
        simulation.apply(plan.claims)
        for step in plan.steps { try simulation.apply(step) }
        #expect(AdoptedNetwork.plan(definition, simulation.network).plan?.isEmpty == true)

        let adopted = try AdoptedNetwork(simulation.network, "office")
        #expect(adopted.adoption.leftOut.isEmpty && adopted.adoption.notes.isEmpty)
        #expect(adopted.adoption.renamings.isEmpty)
        #expect(adopted.definition.nodes.map(\.name.value).sorted() == definition.nodes.map(\.name.value).sorted())
        expectSnapshot(adopted.text, "adopted-office.yaml")
    }
}
