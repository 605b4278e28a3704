import DefinitionModel
import MeshCore
import Testing

@testable import Definitions

@Suite("Places and their assignments")
struct PlaceTests {
    private static let places = head + "nodes: { kitchen-1: {}, kitchen-2: { product: 0x0059:0x000a }, hall: }\n"

    /// A definition with a file of assignments beside it.
    private static func files(_ assignments: String, _ definition: String = places) -> SourceFiles {
        SourceFiles(files: [
            SourceFiles.File(path: "hq.yaml", bytes: Array(definition.utf8)),
            SourceFiles.File(path: "hq.assignments", bytes: Array(assignments.utf8)),
        ])
    }

    private func read(
        _ assignments: String,
        _ definition: String = places
    ) -> (nodes: [NodeDefinition], problems: [String]) {
        let files = Self.files(assignments, definition)
        let (definitions, diagnostics) = DefinitionReader.read(files: files)
        return (definitions.first?.nodes ?? [], diagnostics.map { compact($0, files) })
    }

    @Test("A node without `uuid` is a place, with an identity that follows from its name alone")
    func place() throws {
        let (definitions, problems) = definitions(Self.places)
        #expect(problems == [])
        let nodes = try #require(definitions.first).nodes
        #expect(nodes.map(\.awaitsDevice) == [true, true, true])
        #expect(Set(nodes.map(\.uuid.value)).count == 3)
        #expect(nodes[0].uuid.value == DeviceUUID.standIn(forPlace: "kitchen-1"))
        #expect(nodes[1].product?.value == ProductIdentifier(company: 0x59, product: 0xA))
    }

    @Test("A wrong UUID does not make a place, and a product has two parts")
    func wrong() {
        #expect(diagnose(head + "nodes: { a: { uuid: 12 } }").contains { $0.contains("is not a UUID") })
        #expect(
            diagnose(head + "nodes: { a: { product: 0x0059 } }") == [
                "a.yaml:3:24: error: `0x0059` is not a product "
                    + "(write the name of a product in a file under `products:`, or the company and the product of its "
                    + "composition: 0x0059:0x0001)"
            ]
        )
    }

    @Test("Assignments give places their devices, in any order, and repeated lines count once")
    func assignments() {
        let line = "kitchen-2 \(uuid(2))\n"
        let (nodes, problems) = read("# note\n" + line + "hall\t\(uuid(3))\r\n" + line)
        #expect(problems == [])
        #expect(nodes.map(\.awaitsDevice) == [true, false, false])
        #expect(nodes[1].uuid.value == DeviceUUID(uuid(2)))
    }

    @Test("Many places that the definition no longer has are one message")
    func gone() {
        let lines = (1...5).map { "room-\($0) \(uuid($0))\n" }.joined()
        let (nodes, problems) = read("hall \(uuid(9))\n" + lines)
        #expect(nodes.count { !$0.awaitsDevice } == 1)
        #expect(
            problems == [
                "hq.assignments:2:1: error: 5 of these places are not in the definition: `room-1`, `room-2`, `room-3` and "
                    + "2 more (take the lines of those away that are gone; give the others the names that their nodes "
                    + "have now)"
            ]
        )
        let three = (1...3).map { "room-\($0) \(uuid($0))\n" }.joined()
        #expect(read(three).problems.count == 3)
    }

    @Test("A `uuid` of the definition wins, and a different assignment is told with both lines")
    func definitionWins() {
        let definition = head + "nodes: { hall: { uuid: \(uuid(1)) } }"
        #expect(read("hall \(uuid(1))", definition).problems == [])
        let (nodes, problems) = read("hall \(uuid(2))", definition)
        #expect(nodes.first?.uuid.value == DeviceUUID(uuid(1)))
        #expect(
            problems == [
                "hq.assignments:1:6: warning: the definition gives `hall` another device, which counts "
                    + "(take this line away, or the `uuid` of the node) [hq.yaml:3:24: the `uuid` of the node]"
            ]
        )
    }

    @Test(
        "Contradictions are told with both lines",
        arguments: [
            (
                "hall \(uuid(1))\nhall \(uuid(2))",
                "hq.assignments:2:1: error: place `hall` has two devices (keep the line of the device that is there) "
                    + "[hq.assignments:1:1: the other one]"
            ),
            (
                "hall \(uuid(1))\nkitchen-1 \(uuid(1))",
                "hq.assignments:2:11: error: this device is already at `hall` (keep the line of the place where it is) "
                    + "[hq.assignments:1:6: here]"
            ),
            (
                "hal \(uuid(1))",
                "hq.assignments:1:1: error: there is no place `hal` in the definition (did you mean `hall`? if its node "
                    + "has another name now, give this line that name; if it is gone, take the line away)"
            ),
            (
                "hall",
                "hq.assignments:1:1: error: place `hall` needs one UUID (each line is a place and the UUID of its "
                    + "device: kitchen-1 0d5c5a0e6f5b4f0ea1a50b1f1c1f0001)"
            ),
            (
                "hall 1234",
                "hq.assignments:1:6: error: `1234` is not a UUID (write 32 hexadecimal digits, with or without hyphens; "
                    + "these are 4)"
            ),
            (
                "<<<<<<< ours",
                "hq.assignments:1:1: error: a merge has left both sides here (keep the lines of both sides, and take "
                    + "those with <<<<<<<, ======= and >>>>>>> away)"
            ),
        ] as [(String, String)]
    )
    func contradictions(text: String, problem: String) {
        #expect(read(text).problems == [problem])
    }

    @Test("A device that the definition has elsewhere is told with both files")
    func twoFiles() {
        let definition = head + "nodes: { a: { uuid: \(uuid(1)) }, b: }"
        #expect(
            read("b \(uuid(1))", definition).problems.contains {
                $0.hasPrefix("hq.assignments:1:3: error: the UUID") && $0.contains("[hq.yaml:3:21: first here]")
            }
        )
    }

    @Test("Assignments of another network do not matter")
    func otherNetwork() {
        let files = SourceFiles(files: [
            SourceFiles.File(path: "hq.yaml", bytes: Array(Self.places.utf8)),
            SourceFiles.File(path: "x/attic.assignments", bytes: Array("garage 12".utf8)),
        ])
        #expect(AssignmentsFile.network(ofFile: "x/attic.assignments") == "attic")
        #expect(AssignmentsFile.network(ofFile: "x/attic.yaml") == nil)
        #expect(DefinitionReader.read(files: files).definitions.first?.nodes.count == 3)
    }

    @Test("The text of a file is sorted, and reads back the same")
    func text() throws {
        let devices = ["b": try #require(DeviceUUID(uuid(1))), "a": try #require(DeviceUUID(uuid(2)))]
        let text = AssignmentsFile.text(of: devices)
        #expect(text.split(separator: "\n").dropFirst().map { $0.prefix(1) } == ["a", "b"])
        let files = SourceFiles(files: [SourceFiles.File(path: "hq.assignments", bytes: Array(text.utf8))])
        let (file, problems) = AssignmentsFile.read(files: files)
        #expect(problems == [])
        #expect(Dictionary(uniqueKeysWithValues: file.assignments.map { ($0.place.value, $0.device.value) }) == devices)
    }

    @Test(
        "The UUID of a label is found wherever it stands",
        arguments: [
            (uuid(7), true), ("urn:uuid:0d5c5a0e-6f5b-4f0e-a1a5-0b1f00000007", true),
            ("BT:MESH;UUID=\(uuid(7).uppercased());SN=0042", true),
            ("0D:5C:5A:0E:6F:5B:4F:0E:A1:A5:0B:1F:00:00:00:07", true), ("https://x.example/?d=\(uuid(7))&b=1", true),
            ("\(uuid(7))0", false), ("SN=0042", false), ("\(uuid(7)) \(uuid(8))", false), ("", false),
        ]
    )
    func labels(text: String, isFound: Bool) {
        #expect(LabelText.uuid(in: text) == (isFound ? DeviceUUID(uuid(7)) : nil))
    }

    @Test("A table names its columns; rows without a UUID wait")
    func table() {
        let text = "Room;Place;QR;static\n1;hall;UUID=\(uuid(1));00\n2;kitchen-1;;\n"
        let files = SourceFiles(files: [SourceFiles.File(path: "list.csv", bytes: Array(text.utf8))])
        let (table, problems) = AssignmentTable.read(files: files)
        #expect(problems == [])
        #expect(table.rows.map(\.place.value) == ["hall"] && table.open == 1 && table.hasSecrets)
        #expect(table.rows.first?.device.value == DeviceUUID(uuid(1)))
    }

    @Test(
        "What is wrong with a table is told where it is",
        arguments: [
            (
                "place\nhall\n",
                "list.csv:1:1: error: there is no column `uuid` (the first line names the columns: place, uuid)"
            ),
            ("", "list.csv:1:1: error: the file is empty (the first line names the columns: place, uuid)"),
            (
                "place,uuid\nhall,secret\n",
                "list.csv:2:6: error: there is no UUID in this text (write 32 hexadecimal digits, with or without "
                    + "hyphens, or the text of a label that holds them)"
            ),
            ("place,uuid\n,\(uuid(1))\n", "list.csv:2:1: error: the row has no place"),
        ]
    )
    func wrongTables(text: String, problem: String) {
        let files = SourceFiles(files: [SourceFiles.File(path: "list.csv", bytes: Array(text.utf8))])
        #expect(AssignmentTable.read(files: files).diagnostics.map { compact($0, files) } == [problem])
    }

    @Test("Places survive being written")
    func written() throws {
        let definition = try #require(definitions(Self.places).definitions.first)
        let text = DefinitionWriter.text(of: definition, header: [], footer: [])
        let again = try #require(definitions(text).definitions.first)
        #expect(again.nodes.map(\.awaitsDevice) == [true, true, true])
        #expect(again.nodes[1].product?.value.description == "0x0059:0x000A")
    }
}
