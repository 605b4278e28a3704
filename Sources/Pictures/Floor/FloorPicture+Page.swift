import DefinitionModel

extension FloorPicture {
    /// The floor as a page of its own that loads nothing: the picture, and the same as a table.
    package func html(network: String) -> String {
        var rows = ""
        for marker in markers {
            let roles = (marker.isRelay ? ["relay"] : []) + (marker.isProxy ? ["proxy"] : [])
            let cells = [
                marker.name, LengthText.text(millimetres: marker.x), LengthText.text(millimetres: marker.y),
                roles.joined(separator: ", "), marker.mark.meaning,
            ]
            rows += "<tr>" + cells.map { "<td>\(MarkupText.escaped($0))</td>" }.joined() + "</tr>\n"
        }
        return PicturePage.text(
            title: "Network \(network): \(title)",
            picture: svg(),
            heading: "Nodes",
            table: """
                <thead><tr><th scope="col">Node</th><th scope="col">To the right</th><th scope="col">Down</th>\
                <th scope="col">Roles</th><th scope="col">State</th></tr></thead>
                <tbody>
                \(rows)</tbody>

                """
        )
    }
}
