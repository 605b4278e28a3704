/// Lines of cells in columns as wide as their widest cell, two spaces apart.
///
/// On terminals that are too narrow for that, texts of several words are broken within their columns; if that is not
/// enough, the last columns go below the others.
struct Table {
    /// The first line, shown faintly; nil for none.
    var header: [String]?
    /// The other lines. Cells may be missing at the end.
    var rows: [[String]] = []
    /// The columns with right-aligned cells.
    var rightAligned: Set<Int> = []

    init(_ header: [String]? = nil, rightAligned: Set<Int> = []) {
        self.header = header
        self.rightAligned = rightAligned
    }

    /// The lines, each with `indent` in front and without trailing spaces.
    func render(_ style: Style, indent: String = "") -> String {
        groups(style, indent: indent).joined().map { $0 + "\n" }.joined()
    }

    /// The lines of each row, that of the header first if there is one. On a narrow terminal a row may take several.
    func groups(_ style: Style, indent: String = "") -> [[String]] {
        let natural = widths { $0.displayWidth }
        let room = style.width - indent.displayWidth
        guard style.isTerminal, Self.sum(natural) > room else { return groups(natural[...], style, indent: indent) }
        let least = widths { cell in cell.split(separator: " ").map { String($0).displayWidth }.max() ?? 0 }
        if Self.sum(least) <= room {
            return groups(Self.narrowed(natural, to: least, room)[...], style, indent: indent)
        }
        // At least the first column stands alone.
        var count = least.count
        while count > 1, Self.sum(Array(least[..<count])) > room { count -= 1 }
        let shown = Self.narrowed(Array(natural[..<count]), to: Array(least[..<count]), room)
        return groups(shown[...], style, indent: indent)
    }

    /// The width of each column by a measure of its cells.
    private func widths(_ measure: (String) -> Int) -> [Int] {
        var widths: [Int] = []
        for row in (header.map { [$0] } ?? []) + rows {
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], measure(cell))
            }
        }
        return widths
    }

    private static func sum(_ widths: [Int]) -> Int { widths.reduce(0, +) + 2 * max(widths.count - 1, 0) }

    /// Widths that fit into `room`, taken from the widest columns, none below its least width.
    private static func narrowed(_ natural: [Int], to least: [Int], _ room: Int) -> [Int] {
        var widths = natural
        while sum(widths) > room {
            let reducible = widths.indices.filter { widths[$0] > least[$0] }
            guard let widest = reducible.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
        }
        return widths
    }

    /// The lines with columns of these widths; the cells of columns beyond them go below.
    private func groups(_ widths: ArraySlice<Int>, _ style: Style, indent: String) -> [[String]] {
        let first = header.map { [lines($0, widths, style, indent).map { style(.faint, $0) }] } ?? []
        return (first + rows.map { lines($0, widths, style, indent) }).map { lines in lines.map { indent + $0 } }
    }

    private func lines(_ row: [String], _ widths: ArraySlice<Int>, _ style: Style, _ indent: String) -> [String] {
        let cells = row.prefix(widths.count).enumerated().map { column, cell in
            cell.displayWidth <= widths[column] ? [cell] : wrap(cell, width: widths[column])
        }
        var lines = (0..<max(cells.map(\.count).max() ?? 0, 1)).map { number in
            var text = cells.enumerated().map { column, parts in
                let part = parts.indices.contains(number) ? parts[number] : ""
                return rightAligned.contains(column)
                    ? part.leftPadded(to: widths[column]) : part.padded(to: widths[column])
            }.joined(separator: "  ")
            while text.last == " " { text.removeLast() }
            return text
        }
        let below = row.dropFirst(widths.count).filter { !$0.isEmpty }
        guard !below.isEmpty else { return lines }
        // Cells stay whole where they fit.
        var line = ""
        for cell in below {
            let room = style.width - indent.displayWidth - Self.below.count
            for part in cell.displayWidth <= room ? [cell] : wrap(cell, width: room) {
                if !line.isEmpty, line.displayWidth + 2 + part.displayWidth > room {
                    lines.append(Self.below + line)
                    line = ""
                }
                line += (line.isEmpty ? "" : "  ") + part
            }
        }
        return lines + [Self.below + line]
    }

    /// What stands before the cells below a row.
    private static let below = "    "
}
