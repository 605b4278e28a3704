package import DefinitionModel
import MeshCore

/// A table with the places of nodes on one floor: the columns `node`, `x` and `y`, in any order, and others that are
/// left alone.
package struct PositionsTable: Sendable {
    /// A node and its place.
    package struct Row: Sendable {
        /// The name of the node, at its line.
        package var node: Located<String>
        /// To the right of the floor's upper left corner, in millimetres.
        package var x: Int
        /// Below the floor's upper left corner, in millimetres.
        package var y: Int
    }

    /// The rows that could be read, each node once.
    package private(set) var rows: [Row] = []
    /// What is wrong, at most 20.
    package private(set) var diagnostics: [Diagnostic]

    private static let columns = ["node", "x", "y"]

    /// Reads a table.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - file: its index, for the places of diagnostics.
    package init(_ bytes: [UInt8], file: UInt32) {
        var limits = ReadingLimits()
        limits.diagnostics = 20
        var decoder = DocumentDecoder(limits: limits)
        let table = decoder.readRows(bytes, of: file)
        var rows: [Row] = []
        var first: [String: SourceLocation] = [:]
        let names = Self.columns.map { decoder.symbols.intern($0) }
        let places = names.map { name in table?.columns.firstIndex(of: name) }
        if let table, let node = places[0], let x = places[1], let y = places[2] {
            for row in table.rows {
                let location = SourceLocation(file: file, line: row.line, column: 1)
                do throws(ScalarProblem) {
                    let name = try Words.name(decoder.symbols.text(row.values[node]))
                    let place = try (
                        Lengths.millimetres(decoder.symbols.text(row.values[x])),
                        Lengths.millimetres(decoder.symbols.text(row.values[y]))
                    )
                    if let earlier = first[name] {
                        decoder.diagnostics.report(
                            "the node \(quoted(name)) has two places",
                            at: location,
                            related: [Diagnostic.Related(message: "first here", location: earlier)]
                        )
                        continue
                    }
                    first[name] = location
                    rows.append(Row(node: Located(name, at: location), x: place.0, y: place.1))
                } catch {
                    decoder.diagnostics.report(error.message, at: location, hint: error.hint)
                }
            }
        } else if table != nil {
            let missing = zip(Self.columns, places).filter { $0.1 == nil }.map { quoted($0.0) }
            decoder.diagnostics.report(
                "the table has no column \(missing.joined(separator: " and "))",
                at: SourceLocation(file: file, line: 1, column: 1),
                hint: "the first line names the columns: node,x,y"
            )
        }
        self.rows = rows
        diagnostics = decoder.diagnostics.finished()
    }
}
