import DefinitionModel
import MeshCore
import Testing

@testable import Definitions

@Suite("Stubs of nodes for devices that were found")
struct UnprovisionedStubTests {
    private func found(_ numbers: [Int]) throws -> [(uuid: DeviceUUID, outOfBandInformation: OutOfBandInformation)] {
        try numbers.map { (try #require(DeviceUUID(uuid($0))), $0 == 2 ? [.number, .onBox] : []) }
    }

    @Test("A document of stubs is plain YAML with a comment on out-of-band data")
    func document() throws {
        let stubs = UnprovisionedStub.stubs(for: try found([1, 2, 1]), prefix: "Light", avoiding: ["light-1"])
        #expect(
            UnprovisionedStub.document(stubs, network: "hq") == """
                version: 1
                network: hq
                nodes:
                  light-2: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f00000001 }
                  light-3: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f00000002 }  # OOB information: number, on box

                """
        )
        #expect(UnprovisionedStub.document([], network: "hq") == "")
    }

    @Test(
        "Whatever the prefix, names are valid, lowercase and not taken, and what is written reads back",
        arguments: [
            "light", "", "Küche 7", "---", "all", "all-nodes", "0x1", "null", "~", "a: { b", "\u{202E}x\n", "1e5",
            String(repeating: "Lampe ", count: 50),
        ]
    )
    func prefixes(_ prefix: String) throws {
        let first = UnprovisionedStub.stubs(for: try found([1]), prefix: prefix, avoiding: [])
        let name = try #require(first.first).name
        let stubs = UnprovisionedStub.stubs(
            for: try found(Array(1...50)),
            prefix: prefix,
            avoiding: [name.uppercased()]
        )
        #expect(Set(stubs.map(\.name)).count == 50)
        #expect(!stubs.contains { $0.name == name })
        #expect(stubs.allSatisfy { $0.name == $0.name.lowercased() && Name.isValid($0.name) })
        for network in ["hq", nil] {
            let document = UnprovisionedStub.document(stubs, network: network)
            let (definitions, problems) = definitions(network == nil ? head : "", document)
            #expect(problems.filter { !$0.contains("document is empty") } == [])
            let nodes = try #require(definitions.first).nodes
            #expect(nodes.map(\.name.value) == stubs.map(\.name))
            #expect(nodes.map(\.uuid.value) == stubs.map(\.uuid))
        }
    }

    @Test("Every bit of out-of-band information can stand in the comment")
    func everyBit() throws {
        let device = try #require(DeviceUUID(uuid(1)))
        let all = OutOfBandInformation(rawValue: 0xFFFF)
        let stubs = UnprovisionedStub.stubs(for: [(device, all)], prefix: "x", avoiding: [])
        let (definitions, problems) = definitions(UnprovisionedStub.document(stubs, network: "hq"))
        #expect(problems == [])
        #expect(definitions.first?.nodes.count == 1)
    }
}
