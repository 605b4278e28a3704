import DefinitionModel
import Definitions
import MeshCore
import Pictures
import SystemLayer

/// Where the nodes of a network are: what the definition says itself, what tables say, and what drawings show.
struct Placement {
    /// A floor.
    struct Floor {
        var name: String
        var title: String
        var drawing: FloorDrawing?
        /// Its width in millimetres; nil if nobody says.
        var width: Int?
        /// Its height in millimetres; nil if nobody says.
        var height: Int?
    }

    /// The floors in the order of the definition; those that only positions name follow.
    var floors: [Floor] = []
    var positions: [String: NodePosition] = [:]

    /// The title of a position for people: `floor 2, 3.5m, 7m`.
    func text(_ position: NodePosition) -> String {
        let title = floors.first { $0.name == position.floor.value }?.title ?? position.floor.value
        let place = [position.x, position.y].map { LengthText.text(millimetres: $0) }.joined(separator: ", ")
        return "\(title.printable): \(place)"
    }
}

/// Reads the drawings and tables that the floors of a definition name.
struct FloorFiles {
    let context: Context
    /// The paths of the definition as they were typed, which decide from where files may be taken.
    let paths: [String]

    /// The most octets of such a file.
    private static let sizeLimit = 16 << 20
    /// The most rows of a table about unknown nodes that are told one by one.
    private static let mostUnknown = 20
    /// The largest difference to the edge of a drawing at which a shape counts as being on the floor.
    private static let farthest = Double(NodePosition.farthest)

    /// Where the nodes of a definition are.
    ///
    /// - Parameter files: the files of the definition. Tables with mistakes are added to them.
    /// - Returns: the places, and what is wrong with the files or worth knowing.
    func placement(of definition: Definition, _ files: inout SourceFiles) -> (Placement, [Diagnostic]) {
        var placement = Placement()
        var diagnostics: [Diagnostic] = []
        let nodes = Set(definition.nodes.map(\.name.value))
        for node in definition.nodes { placement.positions[node.name.value] = node.position?.value }
        // A position in the definition wins over tables, those over drawings.
        for floor in definition.floors {
            guard let table = floor.positions, let bytes = read(table, files, &diagnostics) else { continue }
            let path = files.resolving(table.value, namedAt: table.location)
            files.files.append(.init(path: path, bytes: bytes))
            let rows = PositionsTable(bytes, file: UInt32(clamping: files.files.count - 1))
            diagnostics += rows.diagnostics
            var unknown = 0
            for row in rows.rows {
                guard nodes.contains(row.node.value) else {
                    unknown += 1
                    // To look for a like name takes time, and nobody reads more.
                    guard unknown <= Self.mostUnknown else { continue }
                    diagnostics.append(
                        Diagnostic(
                            .warning,
                            "there is no node `\(row.node.value)`",
                            at: row.node.location,
                            hint: Suggestion.hint(for: row.node.value, among: nodes, are: "nodes are")
                        )
                    )
                    continue
                }
                guard placement.positions[row.node.value] == nil else { continue }
                placement.positions[row.node.value] = NodePosition(floor: floor.name, x: row.x, y: row.y)
            }
            if unknown > Self.mostUnknown {
                let text = "\(unknown - Self.mostUnknown) more rows of \(path) are about nodes that do not exist"
                diagnostics.append(Diagnostic(.warning, text, at: table.location))
            }
        }
        for floor in definition.floors {
            placement.floors.append(self.floor(floor, &placement, nodes, &files, &diagnostics))
        }
        let declared = Set(placement.floors.map(\.name))
        var others: Set<String> = []
        for position in placement.positions.values where !declared.contains(position.floor.value) {
            others.insert(position.floor.value)
        }
        placement.floors += others.sorted().map { Placement.Floor(name: $0, title: "Floor \($0)") }
        return (placement, diagnostics)
    }

    private func floor(
        _ definition: FloorDefinition,
        _ placement: inout Placement,
        _ nodes: Set<String>,
        _ files: inout SourceFiles,
        _ diagnostics: inout [Diagnostic]
    ) -> Placement.Floor {
        let name = definition.name.value
        var floor = Placement.Floor(name: name, title: definition.title?.value ?? "Floor \(name)")
        (floor.width, floor.height) = (definition.width?.value, definition.height?.value)
        guard let plan = definition.plan, let width = floor.width, let bytes = read(plan, files, &diagnostics) else {
            return floor
        }
        let drawing: FloorDrawing
        do throws(FloorDrawing.Problem) { drawing = try FloorDrawing(bytes) } catch {
            files.files.append(.init(path: files.resolving(plan.value, namedAt: plan.location), bytes: bytes))
            diagnostics.append(
                Diagnostic(
                    .error,
                    error.message,
                    at: SourceLocation(
                        file: UInt32(clamping: files.files.count - 1),
                        line: UInt32(clamping: error.line),
                        column: UInt32(clamping: error.column)
                    ),
                    hint: error.hint,
                    related: [Diagnostic.Related(message: "named here", location: plan.location)]
                )
            )
            return floor
        }
        floor.drawing = drawing
        let scale = Double(width) / drawing.width
        for (node, point) in drawing.shapes where nodes.contains(node) && placement.positions[node] == nil {
            let (x, y) = (point.x * scale, point.y * scale)
            // What lies beside the drawing is no place on the floor.
            guard (0...Self.farthest).contains(x), (0...Self.farthest).contains(y), point.x <= drawing.width,
                point.y <= drawing.height
            else { continue }
            placement.positions[node] = NodePosition(floor: definition.name, x: Int(x.rounded()), y: Int(y.rounded()))
        }
        return floor
    }

    /// The octets of a named file; nil if it cannot be read, which is reported.
    private func read(_ path: Located<String>, _ files: SourceFiles, _ diagnostics: inout [Diagnostic]) -> [UInt8]? {
        let name = files.resolving(path.value, namedAt: path.location)
        let definitionFiles = DefinitionFiles(context: context)
        let folders = definitionFiles.repository(of: paths)
        guard definitionFiles.lies(name, in: folders) else {
            diagnostics.append(
                Diagnostic(
                    .error,
                    "`\(path.value)` lies outside of the definition's folders",
                    at: path.location,
                    length: path.value.utf8.count,
                    hint: "Files of a definition lie in its repository, or in the folder where it stands."
                )
            )
            return nil
        }
        do {
            return try definitionFiles.bytes(name, inside: folders, limit: Self.sizeLimit)
        } catch {
            let failure = Failure(explaining: error)
            diagnostics.append(
                Diagnostic(
                    .error,
                    failure.message,
                    at: path.location,
                    length: path.value.utf8.count,
                    hint: failure.hint
                )
            )
            return nil
        }
    }
}
