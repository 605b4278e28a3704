extension ControlGraph {
    /// The graph as a page of its own that loads nothing: the picture, and the same as a table.
    package func html() -> String {
        PicturePage.text(
            title: "Network \(network)",
            picture: svg(),
            heading: "Who sends to whom",
            table: """
                <thead><tr><th scope="col">Sends</th><th scope="col">To</th><th scope="col">Key</th><th scope="col">Who \
                listens</th></tr></thead>
                <tbody>
                \(rows())</tbody>

                """
        )
    }

    private func rows() -> String {
        var listeners: [Int: [String]] = [:]
        for arrow in arrows where boxes[arrow.from].kind == .group {
            listeners[arrow.from, default: []].append(boxes[arrow.to].title)
        }
        var text = ""
        for arrow in arrows where boxes[arrow.from].kind == .node {
            let cells = [
                boxes[arrow.from].title, boxes[arrow.to].title, arrow.keys.joined(separator: ", "),
                (listeners[arrow.to] ?? []).joined(separator: ", "),
            ]
            text += "<tr>" + cells.map { "<td>\(MarkupText.escaped($0))</td>" }.joined() + "</tr>\n"
        }
        return text
    }
}
