import Basics

/// A floor plan as an SVG drawing: its extent, and where its named shapes are.
package struct FloorDrawing: Hashable, Sendable {
    /// A place in the drawing's own units.
    package struct Point: Hashable, Sendable {
        /// To the right.
        package var x: Double
        /// Downwards.
        package var y: Double
    }

    /// Why a document is no floor plan.
    package struct Problem: Error, Hashable, Sendable {
        /// The line, from 1.
        package var line: Int
        /// The column, from 1.
        package var column: Int
        /// What is wrong, without a full stop.
        package var message: String
        /// What to do about it; nil if there is nothing to say.
        package var hint: String?
    }

    /// The upper left corner.
    package let origin: Point
    /// The width, above 0.
    package let width: Double
    /// The height, above 0.
    package let height: Double
    /// The middles of shapes by their names, counted from the upper left corner. The name of a shape is its attribute
    /// `data-node`, else its `id`.
    package let shapes: [String: Point]
    /// The document. It is well-formed, declares no entities, and is drawn as a picture only: then browsers neither run
    /// nor load anything in it.
    package let document: [UInt8]

    /// Reads a drawing.
    ///
    /// - Throws: ``Problem`` if it is no SVG drawing, is larger than is read here, or has no extent.
    package init(_ document: [UInt8]) throws(Problem) {
        let root: XMLElement
        do { root = try XMLReader.read(document) } catch {
            throw Problem(line: error.line, column: error.column, message: error.message, hint: error.hint)
        }
        guard root.localName == "svg" else {
            throw Problem(line: root.line, column: 1, message: "`\(root.name)` is no SVG drawing")
        }
        let box = root["viewBox"].map(Self.numbers) ?? []
        if box.count == 4, box[2] > 0, box[3] > 0 {
            origin = Point(x: box[0], y: box[1])
            (width, height) = (box[2], box[3])
        } else if root["viewBox"] == nil, let width = root["width"].flatMap(Self.pixels),
            let height = root["height"].flatMap(Self.pixels)
        {
            origin = Point(x: 0, y: 0)
            (self.width, self.height) = (width, height)
        } else {
            throw Problem(
                line: root.line,
                column: 1,
                message: "the drawing does not say how large it is",
                hint: "give its `svg` element a viewBox, such as viewBox=\"0 0 3000 1800\""
            )
        }
        var finder = ShapeFinder()
        finder.visit(root)
        let corner = self.origin
        shapes = finder.found.mapValues { Point(x: $0.middle.x - corner.x, y: $0.middle.y - corner.y) }
        self.document = document
    }

    /// All numbers of a text, whatever stands between them.
    static func numbers(_ text: String) -> [Double] {
        NumberScanner(text).numbers()
    }

    /// A length in pixels, as `120` or `120px`.
    private static func pixels(_ text: String) -> Double? {
        let digits = text.hasSuffix("px") ? String(text.dropLast(2)) : text
        return Double(digits).flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
    }
}

/// Finds the extents of named shapes.
private struct ShapeFinder {
    /// The extents by names; the first shape of a name counts.
    private(set) var found: [String: Extent] = [:]

    /// What is drawn nowhere, or only elsewhere.
    private static let undrawn: Set<Substring> = ["defs", "symbol", "marker", "pattern", "clipPath", "mask", "style"]

    mutating func visit(_ element: XMLElement) {
        _ = extent(of: element, Transform(), isOutermost: true)
    }

    private mutating func extent(of element: XMLElement, _ outer: Transform, isOutermost: Bool = false) -> Extent? {
        guard !Self.undrawn.contains(element.localName) else { return nil }
        let transform = element["transform"].map { outer.before(Transform($0)) } ?? outer
        var extent = Extent()
        for point in Self.points(of: element) { extent.add(transform.apply(point)) }
        for child in element.children {
            if let inner = self.extent(of: child, transform) { extent.add(inner) }
        }
        guard !extent.isEmpty else { return nil }
        if !isOutermost, let name = element["data-node"] ?? element["id"], found[name] == nil { found[name] = extent }
        return extent
    }

    private static func points(of element: XMLElement) -> [FloorDrawing.Point] {
        func number(_ name: String) -> Double { element[name].flatMap { FloorDrawing.numbers($0).first } ?? 0 }
        func corners(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> [FloorDrawing.Point] {
            [
                .init(x: x, y: y), .init(x: x + width, y: y), .init(x: x, y: y + height),
                .init(x: x + width, y: y + height),
            ]
        }
        switch element.localName {
        case "rect", "image", "use": return corners(number("x"), number("y"), number("width"), number("height"))
        case "circle":
            let r = number("r")
            return corners(number("cx") - r, number("cy") - r, 2 * r, 2 * r)
        case "ellipse":
            let (rx, ry) = (number("rx"), number("ry"))
            return corners(number("cx") - rx, number("cy") - ry, 2 * rx, 2 * ry)
        case "line":
            return [.init(x: number("x1"), y: number("y1")), .init(x: number("x2"), y: number("y2"))]
        case "polygon", "polyline":
            let numbers = FloorDrawing.numbers(element["points"] ?? "")
            return stride(from: 0, to: numbers.count - 1, by: 2).map { .init(x: numbers[$0], y: numbers[$0 + 1]) }
        case "text": return [.init(x: number("x"), y: number("y"))]
        case "path": return PathPoints(element["d"] ?? "").points
        default: return []
        }
    }
}

/// The rectangle around points.
struct Extent: Hashable, Sendable {
    private var left = Double.infinity
    private var top = Double.infinity
    private var right = -Double.infinity
    private var bottom = -Double.infinity

    /// Whether it is around nothing.
    var isEmpty: Bool { right < left || bottom < top }
    var middle: FloorDrawing.Point { .init(x: (left + right) / 2, y: (top + bottom) / 2) }

    mutating func add(_ point: FloorDrawing.Point) {
        guard point.x.isFinite, point.y.isFinite else { return }
        (left, right) = (min(left, point.x), max(right, point.x))
        (top, bottom) = (min(top, point.y), max(bottom, point.y))
    }

    /// Grows around another one.
    mutating func add(_ other: Extent) {
        guard !other.isEmpty else { return }
        add(.init(x: other.left, y: other.top))
        add(.init(x: other.right, y: other.bottom))
    }
}
