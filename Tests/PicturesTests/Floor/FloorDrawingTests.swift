import Testing

@testable import Pictures

@Suite("Drawings of floors")
struct FloorDrawingTests {
    private func drawing(_ body: String, _ head: String = "viewBox=\"100 50 3000 1800\"") throws -> FloorDrawing {
        try FloorDrawing(Array("<svg xmlns=\"http://www.w3.org/2000/svg\" \(head)>\(body)</svg>".utf8))
    }

    private func shape(_ body: String) throws -> [Double] {
        let point = try #require(try drawing(body, "viewBox=\"0 0 100 100\"").shapes["n"])
        return [point.x, point.y].map { ($0 * 1_000).rounded() / 1_000 }
    }

    @Test("Shapes are where their middle is, counted from the upper left corner")
    func places() throws {
        let plan = try drawing(
            """
            <g id="room"><rect id="lamp-1" x="400" y="250" width="200" height="100"/>
            <circle data-node="lamp-2" id="path1" cx="1100" cy="1050" r="9"/></g>
            <defs><circle id="lamp-3" r="5"/></defs><g id="nothing"/>
            """
        )
        #expect(plan.width == 3_000 && plan.height == 1_800)
        #expect(plan.shapes["lamp-1"] == .init(x: 400, y: 250))
        #expect(plan.shapes["lamp-2"] == .init(x: 1_000, y: 1_000))
        #expect(plan.shapes.keys.sorted() == ["lamp-1", "lamp-2", "room"])
    }

    @Test(
        "Every kind of shape has a middle, also when it is moved, scaled or turned",
        arguments: [
            ("<path id='n' d='M10 10 L30,20z'/>", [20.0, 15]),
            ("<path id='n' d='m10 10h20v10-5H10Z'/>", [20, 15]),
            ("<path id='n' d='M0 0C0 40 20 40 20 0'/>", [10, 20]),
            ("<path id='n' d='M10,10a5 5 0 0110 0'/>", [15, 10]),
            ("<path id='n' d='M-1.5.5-2.5.5'/>", [-2, 0.5]),
            ("<polygon id='n' points='0,0 10,0 10,30'/>", [5, 15]),
            ("<line id='n' x1='1' y1='1' x2='3' y2='9'/>", [2, 5]),
            ("<text id='n' x='7' y='8'>lamp</text>", [7, 8]),
            ("<g transform='translate(10 20) scale(2)'><circle id='n' cx='1' cy='2' r='3'/></g>", [12, 24]),
            ("<circle id='n' cx='10' cy='0' r='1' transform='rotate(90)'/>", [0, 10]),
            ("<circle id='n' cx='10' cy='5' r='1' transform='rotate(-45 10 5)'/>", [10, 5]),
            ("<circle id='n' cx='1' cy='2' r='1' transform='matrix(0 1 -1 0 5 5)'/>", [3, 6]),
            ("<ellipse id='n' cx='1e1' cy='2' rx='1' ry='1'/>", [10, 2]),
        ] as [(String, [Double])]
    )
    func shapes(_ body: String, _ expected: [Double]) throws {
        #expect(try shape(body) == expected)
    }

    @Test("Width and height in pixels do for a viewBox; something without extent or of another kind is refused")
    func extents() throws {
        #expect(try drawing("", "width='640px' height='480'").width == 640)
        for head in [
            "", "viewBox='0 0 0 10'", "viewBox='1 2 3'", "width='100%' height='5'", "width='1e999' height='1'",
        ] {
            #expect(throws: FloorDrawing.Problem.self, "\(head)") { try drawing("", head) }
        }
        #expect(throws: FloorDrawing.Problem.self) { try FloorDrawing(Array("<html/>".utf8)) }
    }

    @Test("Numbers that are too large or no numbers make no places, and no trap")
    func hostile() throws {
        let wild = """
            <circle id="a" cx="1e308" cy="1e308" r="1e308"/><path id="b" d="M\(String(repeating: "9", count: 50)) 1"/>
            <rect id="c" x="NaN" y="inf" width="1" height="1" transform="rotate(1e300) scale(1e300) scale(1e300)"/>
            <path id="d" d="z z m"/><path id="e" d="a1 1 0 9 9 1"/><polygon id="f" points="1"/>
            """
        let plan = try drawing(wild)
        #expect(plan.shapes.values.allSatisfy { $0.x.isFinite && $0.y.isFinite })
    }
}
