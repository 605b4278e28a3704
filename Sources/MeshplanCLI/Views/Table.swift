/// Lines of cells in columns as wide as their widest cell, two spaces apart.
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
        var widths: [Int] = []
        for row in (header.map { [$0] } ?? []) + rows {
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], cell.displayWidth)
            }
        }
        func line(_ row: [String]) -> String {
            var text = row.enumerated().map { column, cell in
                rightAligned.contains(column) ? cell.leftPadded(to: widths[column]) : cell.padded(to: widths[column])
            }.joined(separator: "  ")
            while text.last == " " { text.removeLast() }
            return text
        }
        let first = header.map { indent + style(.faint, line($0)) + "\n" } ?? ""
        return first + rows.map { indent + line($0) + "\n" }.joined()
    }
}
