import Catalogue
import DefinitionModel
import Definitions
import Foundation
import MeshCore
import Planning
import Rehearsal
import TestSupport
import Testing

/// The example hotel with a part of its rooms.
private struct Hotel {
    let reading: DefinitionReading
    let definition: Definition

    private static let examples = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../examples/hotel").standardizedFileURL

    private static func text(_ name: String) throws -> String {
        try String(contentsOf: examples.appending(path: name), encoding: .utf8)
    }

    /// - Parameter rooms: which rows of the table to take, counted from 0; one test is about the room in row 16.
    init(rooms: (Int) -> Bool) throws {
        let lines = try Self.text("rooms.csv").split(separator: "\n")
        let chosen = lines.dropFirst().enumerated().filter { rooms($0.offset) }.map(\.element)
        let table = ([lines[0]] + chosen).joined(separator: "\n") + "\n"
        reading = DefinitionReader.reading(
            SourceFiles(files: [SourceFiles.File(path: "hotel.yaml", bytes: Array(try Self.text("hotel.yaml").utf8))]),
            loading: { $0 == "rooms.csv" ? [SourceFiles.File(path: $0, bytes: Array(table.utf8))] : [] }
        )
        let errors = reading.diagnostics.filter { $0.severity == .error }
        try #require(errors.isEmpty, "\(errors.map(\.message))")
        definition = try #require(reading.definitions.first)
    }

    /// The hotel as commissioned in the simulator.
    func rehearsed() throws -> RehearsedBuilding {
        try RehearsedBuilding(definition, RehearsedDevices(of: definition, known: [], recorded: nil), .sig)
    }
}

@Suite("The example hotel")
struct HotelTests {
    @Test("A switch lights its room and the plant room's the corridors, among 42 rooms")
    func rehearsed() throws {
        let building = try Hotel(rooms: { $0 < 30 || $0 % 75 < 4 }).rehearsed()
        #expect(building.rehearsal.network.nodes.count == 1 + (30 + 12) * 5 + 4 * 9 + 4)
        #expect(building.rehearsal.definition.tests.count == 2)
        #expect(building.failures().isEmpty, "\(building.failures())")
    }

    /// Reads a definition that was written, and plans it for the network.
    private func recorded(
        _ text: String,
        _ devices: [String: DeviceUUID],
        _ network: MeshNetwork
    ) throws -> MeshNetwork {
        var files = SourceFiles(files: [SourceFiles.File(path: "hotel.yaml", bytes: Array(text.utf8))])
        if !devices.isEmpty {
            let assignments = Array(AssignmentsFile.text(of: devices).utf8)
            files.files.append(SourceFiles.File(path: "hotel.assignments", bytes: assignments))
        }
        let reading = DefinitionReader.read(files: files)
        let errors = reading.diagnostics.filter { $0.severity == .error }
        try #require(errors.isEmpty, "\(errors.map(\.message)) \(text)")
        let result = Planner.plan(
            definition: try #require(reading.definitions.first),
            network: network,
            base: (lineage: Octets16(high: 0, low: 0), serial: 0),
            identifier: Octets16(high: 0, low: 0)
        )
        let plan = try #require(result.plan, "\(result.diagnostics.map(\.message))")
        return try #require(network.recording(plan), "a plan with messages")
    }

    @Test("Adoption writes its rooms as modules, in fewer lines than nodes, and means the same as node by node")
    func adopted() throws {
        let hotel = try Hotel(rooms: { $0 % 75 < 10 && $0 % 75 != 6 || $0 == 16 }).rehearsed()
        let network = hotel.rehearsal.network
        let adoption = Adoption.make(of: network, named: "hotel")
        #expect(adoption.leftOut.isEmpty)
        let folded = try #require(FoldedDefinition(adoption.definition))
        let lines = folded.text.split(separator: "\n").count
        let nodes = adoption.definition.nodes.count
        #expect(nodes == 37 * 5 + 40 && lines < nodes, "\(folded.text)")
        #expect(folded.devices.count > nodes * 9 / 10, "\(folded.text)")
        #expect(folded.text.contains("{ module: room, for: { n: 101..106 } }"), "\(folded.text)")
        let plain = try recorded(DefinitionWriter.text(of: adoption.definition), [:], network)
        #expect(try recorded(folded.text, folded.devices, plain) == plain)
        // A definition that repeats nothing is not folded.
        #expect(FoldedDefinition(Definition(network: adoption.definition.network)) == nil)
    }

    @Test("A room that differs from the others is no instance of their module")
    func odd() throws {
        let hotel = try Hotel(rooms: { $0 % 75 < 8 || $0 == 16 }).rehearsed()
        var network = hotel.rehearsal.network
        let odd = try #require(network.nodes.firstIndex { $0.name == "lamp-103-bed" })
        network.nodes[odd].defaultTTL = 3
        let adoption = Adoption.make(of: network, named: "hotel")
        let folded = try #require(FoldedDefinition(adoption.definition))
        #expect(folded.devices["lamp-103-bed"] == nil && folded.devices["lamp-104-bed"] != nil)
        #expect(folded.text.contains("    ttl: 3") || folded.text.contains("ttl: 3 }"), "\(folded.text)")
        let plain = try recorded(DefinitionWriter.text(of: adoption.definition), [:], network)
        #expect(try recorded(folded.text, folded.devices, plain) == plain)
    }
}
