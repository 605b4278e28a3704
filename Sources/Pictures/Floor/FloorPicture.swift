import DefinitionModel
package import Planning

/// A floor with its nodes in their places.
package struct FloorPicture: Hashable, Sendable {
    /// A node in its place.
    package struct Marker: Hashable, Sendable {
        package var name: String
        /// What people call the node; nil if it has no title.
        package var title: String?
        /// What the node is for, which decides the symbol; nil for a circle that means nothing.
        package var kind: NodeKind?
        /// To the right of the upper left corner, in millimetres.
        package var x: Int
        /// Below the upper left corner, in millimetres.
        package var y: Int
        package var mark: NodeMark
        package var isRelay: Bool
        package var isProxy: Bool
        /// What else is told of it when one asks, line by line.
        package var details: [String]
        /// A short text in the marker instead of its role, such as a number of hops; nil for none.
        package var inscription: String?
        /// The colour of the marker by its number in the palette; nil for that of its mark.
        package var colour: Int?

        /// A node at a place, with nothing else to tell of it.
        package init(
            name: String,
            x: Int,
            y: Int,
            mark: NodeMark = .settled,
            isRelay: Bool = false,
            isProxy: Bool = false
        ) {
            self.name = name
            self.x = x
            self.y = y
            self.mark = mark
            self.isRelay = isRelay
            self.isProxy = isProxy
            details = []
        }
    }

    /// A line between two nodes.
    package struct Line: Hashable, Sendable {
        /// The index of the marker that it begins at.
        package var from: Int
        /// The index of the marker that it ends at.
        package var to: Int

        package init(from: Int, to: Int) {
            self.from = from
            self.to = to
        }
    }

    package var name: String
    package var title: String
    /// The drawing under the nodes; nil if there is none.
    package var drawing: FloorDrawing?
    /// The width of the floor in millimetres; nil if the nodes decide.
    package var width: Int?
    /// The height of the floor in millimetres; nil if the drawing or the nodes decide.
    package var height: Int?
    package var markers: [Marker]
    /// Lines between nodes.
    package var lines: [Line] = []
    /// What the colours of markers mean, if they have some of their own.
    package var legend: [LegendEntry] = []

    /// What a colour means.
    package struct LegendEntry: Hashable, Sendable {
        /// The number of the colour.
        package var colour: Int
        package var text: String

        package init(colour: Int, text: String) {
            self.colour = colour
            self.text = text
        }
    }

    package init(name: String, title: String, markers: [Marker]) {
        self.name = name
        self.title = title
        self.markers = markers
    }
}

extension FloorPicture {
    /// The floor as a page of its own that loads nothing: the picture, and the same as a table.
    package func html(network: String) -> String {
        var rows = ""
        for marker in markers {
            let roles = (marker.isRelay ? ["relay"] : []) + (marker.isProxy ? ["proxy"] : [])
            let cells = [
                marker.title.map { "\($0) (\(marker.name))" } ?? marker.name, marker.kind?.title ?? "",
                LengthText.text(millimetres: marker.x), LengthText.text(millimetres: marker.y),
                roles.joined(separator: ", "), marker.mark.meaning,
            ]
            rows += "<tr>" + cells.map { "<td>\(MarkupText.escaped($0))</td>" }.joined() + "</tr>\n"
        }
        return PicturePage.text(
            title: "Network \(network): \(title)",
            picture: svg(),
            heading: "Nodes",
            table: """
                <thead><tr><th scope="col">Node</th><th scope="col">Kind</th><th scope="col">To the right</th><th scope="col">Down</th>\
                <th scope="col">Roles</th><th scope="col">State</th></tr></thead>
                <tbody>
                \(rows)</tbody>

                """
        )
    }
}
