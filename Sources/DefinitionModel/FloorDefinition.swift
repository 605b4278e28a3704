/// A floor of the building, for pictures and reports. Nothing of it goes on the air.
package struct FloorDefinition: Hashable, Sendable {
    /// Its name, such as `2`.
    package var name: Located<String>
    /// Its title for people; nil for its name.
    package var title: Located<String>?
    /// The path of its drawing in SVG, relative to the file that names it; nil if there is none.
    package var plan: Located<String>?
    /// The path of a table in CSV with places of nodes, relative to the file that names it; nil if there is none.
    package var positions: Located<String>?
    /// Its width in millimetres; that is also what the drawing's width stands for.
    package var width: Located<Int>?
    /// Its height on the drawing in millimetres; nil if the drawing tells it, or the nodes do.
    package var height: Located<Int>?

    /// A floor about which only its name is known.
    package init(name: Located<String>) {
        self.name = name
    }
}

/// Where a node is, for pictures and reports.
package struct NodePosition: Hashable, Sendable {
    package var floor: Located<String>
    /// To the right of the floor's upper left corner, in millimetres.
    package var x: Int
    /// Below the floor's upper left corner, in millimetres.
    package var y: Int

    /// The longest distance from the corner, in millimetres.
    package static let farthest = 10_000_000

    package init(floor: Located<String>, x: Int, y: Int) {
        self.floor = floor
        self.x = x
        self.y = y
    }
}
