extension ControlGraph {
    /// The graph as a page of its own that loads nothing: the picture, and the same as a table.
    package func html() -> String {
        let title = MarkupText.escaped("Network \(network)")
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title)</title>
            <style>
            body { margin: 1rem; font: 16px/1.5 system-ui, sans-serif; }
            .scroll { overflow-x: auto; }
            table { border-collapse: collapse; }
            th, td { padding: 0.25rem 0.75rem 0.25rem 0; text-align: left; vertical-align: top; }
            tr + tr td { border-top: 1px solid #8888; }
            </style>
            </head>
            <body>
            <h1>\(title)</h1>
            <div class="scroll" tabindex="0" role="region" aria-label="Picture">
            \(svg())</div>
            <h2>Who sends to whom</h2>
            <div class="scroll" tabindex="0" role="region" aria-label="Table">
            <table>
            <thead><tr><th scope="col">Sends</th><th scope="col">To</th><th scope="col">Key</th><th scope="col">Who \
            listens</th></tr></thead>
            <tbody>
            \(rows())</tbody>
            </table>
            </div>
            </body>
            </html>

            """
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
