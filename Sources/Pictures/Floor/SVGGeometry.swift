/// Reads the numbers of SVG's attributes: `M10-2.5.5,1e3` holds four.
struct NumberScanner {
    private let bytes: [UInt8]
    private var place = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    /// The next letter of a command, skipping what separates; nil if a number or the end comes first.
    mutating func letter() -> UInt8? {
        skip()
        guard place < bytes.count, Self.isLetter(bytes[place]) else { return nil }
        place += 1
        return bytes[place - 1]
    }

    /// The next number, skipping what separates; nil if something else comes first.
    mutating func number() -> Double? {
        skip()
        let start = place
        var end = place
        if end < bytes.count, bytes[end] == UInt8(ascii: "-") || bytes[end] == UInt8(ascii: "+") { end += 1 }
        var digits = 0
        var hasPoint = false
        while end < bytes.count {
            if Self.isDigit(bytes[end]) {
                digits += 1
            } else if bytes[end] == UInt8(ascii: "."), !hasPoint {
                hasPoint = true
            } else {
                break
            }
            end += 1
        }
        guard digits > 0, end - start <= 40 else { return nil }
        end = exponentEnd(end)
        place = end
        return Double(String(decoding: bytes[start..<end], as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
    }

    /// A digit of SVG's arcs, whose flags need nothing between them.
    mutating func flag() -> Bool? {
        skip()
        guard place < bytes.count, bytes[place] == UInt8(ascii: "0") || bytes[place] == UInt8(ascii: "1") else {
            return nil
        }
        place += 1
        return bytes[place - 1] == UInt8(ascii: "1")
    }

    /// All numbers, whatever stands between them.
    func numbers() -> [Double] {
        var scanner = self
        var numbers: [Double] = []
        while scanner.place < scanner.bytes.count {
            if let number = scanner.number() { numbers.append(number) } else { scanner.place += 1 }
        }
        return numbers
    }

    private func exponentEnd(_ end: Int) -> Int {
        guard end < bytes.count, bytes[end] | 0x20 == UInt8(ascii: "e") else { return end }
        var after = end + 1
        if after < bytes.count, bytes[after] == UInt8(ascii: "-") || bytes[after] == UInt8(ascii: "+") { after += 1 }
        let digits = bytes[min(after, bytes.count)...].prefix(while: Self.isDigit).count
        return digits > 0 && digits < 4 ? after + digits : end
    }

    private mutating func skip() {
        while place < bytes.count, bytes[place] <= 0x20 || bytes[place] == UInt8(ascii: ",") { place += 1 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}

/// A linear map with a translation, as SVG's `transform` describes it.
struct Transform: Hashable, Sendable {
    private var (a, b, c, d, e, f) = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)

    /// What changes nothing.
    init() {}

    private init(_ a: Double, _ b: Double, _ c: Double, _ d: Double, _ e: Double, _ f: Double) {
        (self.a, self.b, self.c, self.d, self.e, self.f) = (a, b, c, d, e, f)
    }

    /// `translate(10 20) rotate(90)` and the like. What is not understood changes nothing.
    init(_ text: String) {
        self.init()
        for call in text.split(separator: ")") {
            guard let open = call.firstIndex(of: "(") else { continue }
            let name = call[..<open].filter { $0.isLetter }
            let values = FloorDrawing.numbers(String(call[call.index(after: open)...]))
            guard let map = Self.map(name, values) else { continue }
            self = before(map)
        }
    }

    private static func map(_ name: String, _ values: [Double]) -> Transform? {
        switch (name, values.count) {
        case ("matrix", 6): return Transform(values[0], values[1], values[2], values[3], values[4], values[5])
        case ("translate", 1): return Transform(1, 0, 0, 1, values[0], 0)
        case ("translate", 2): return Transform(1, 0, 0, 1, values[0], values[1])
        case ("scale", 1): return Transform(values[0], 0, 0, values[0], 0, 0)
        case ("scale", 2): return Transform(values[0], 0, 0, values[1], 0, 0)
        case ("rotate", 1), ("rotate", 3):
            let (sine, cosine) = Trigonometry.sineAndCosine(degrees: values[0])
            let turn = Transform(cosine, sine, -sine, cosine, 0, 0)
            guard values.count == 3 else { return turn }
            return Transform(1, 0, 0, 1, values[1], values[2]).before(turn)
                .before(Transform(1, 0, 0, 1, -values[1], -values[2]))
        default: return nil
        }
    }

    /// This map after another one: the inner one is applied first.
    func before(_ inner: Transform) -> Transform {
        Transform(
            a * inner.a + c * inner.b,
            b * inner.a + d * inner.b,
            a * inner.c + c * inner.d,
            b * inner.c + d * inner.d,
            a * inner.e + c * inner.f + e,
            b * inner.e + d * inner.f + f
        )
    }

    /// A point after the map.
    func apply(_ point: FloorDrawing.Point) -> FloorDrawing.Point {
        .init(x: a * point.x + c * point.y + e, y: b * point.x + d * point.y + f)
    }
}

/// Sine and cosine without a C library.
private enum Trigonometry {
    static func sineAndCosine(degrees: Double) -> (sine: Double, cosine: Double) {
        // The series is exact enough within a quarter turn.
        let turns = (degrees / 90).rounded()
        let x = (degrees - turns * 90) * Double.pi / 180
        let square = x * x
        var (sine, cosine) = (0.0, 0.0)
        var (sineTerm, cosineTerm) = (x, 1.0)
        for step in 0..<10 {
            sine += sineTerm
            cosine += cosineTerm
            let n = Double(2 * step)
            sineTerm *= -square / ((n + 2) * (n + 3))
            cosineTerm *= -square / ((n + 1) * (n + 2))
        }
        switch Int(turns.truncatingRemainder(dividingBy: 4) + 4) % 4 {
        case 0: return (sine, cosine)
        case 1: return (cosine, -sine)
        case 2: return (-sine, -cosine)
        default: return (-cosine, sine)
        }
    }
}

/// The points that a path names: ends of its lines and curves, and what draws its curves towards them.
struct PathPoints {
    /// The points in their order; those before a mistake, as browsers draw a path.
    private(set) var points: [FloorDrawing.Point] = []

    init(_ text: String) {
        var scanner = NumberScanner(text)
        var command: UInt8?
        var current = FloorDrawing.Point(x: 0, y: 0)
        var start = current
        while true {
            if let letter = scanner.letter() {
                command = letter
                if letter | 0x20 == UInt8(ascii: "z") {
                    current = start
                    continue
                }
            }
            guard let letter = command, letter | 0x20 != UInt8(ascii: "z") else { return }
            let isRelative = letter >= UInt8(ascii: "a")
            guard let numbers = Self.arguments(of: letter | 0x20, &scanner) else { return }
            let base = isRelative ? current : FloorDrawing.Point(x: 0, y: 0)
            switch letter | 0x20 {
            case UInt8(ascii: "h"): current.x = base.x + numbers[0]
            case UInt8(ascii: "v"): current.y = base.y + numbers[0]
            default:
                // Points on the way of a curve.
                for place in stride(from: 0, to: numbers.count - 2, by: 2) {
                    points.append(.init(x: base.x + numbers[place], y: base.y + numbers[place + 1]))
                }
                current = .init(x: base.x + numbers[numbers.count - 2], y: base.y + numbers[numbers.count - 1])
            }
            points.append(current)
            if letter | 0x20 == UInt8(ascii: "m") {
                start = current
                // What follows without a letter are lines.
                command = isRelative ? UInt8(ascii: "l") : UInt8(ascii: "L")
            }
        }
    }

    /// The numbers of one command that are points; of an arc only its end.
    private static func arguments(of command: UInt8, _ scanner: inout NumberScanner) -> [Double]? {
        let count: Int
        switch command {
        case UInt8(ascii: "m"), UInt8(ascii: "l"), UInt8(ascii: "t"): count = 2
        case UInt8(ascii: "h"), UInt8(ascii: "v"): count = 1
        case UInt8(ascii: "q"), UInt8(ascii: "s"): count = 4
        case UInt8(ascii: "c"): count = 6
        case UInt8(ascii: "a"):
            guard scanner.number() != nil, scanner.number() != nil, scanner.number() != nil, scanner.flag() != nil,
                scanner.flag() != nil, let x = scanner.number(), let y = scanner.number()
            else { return nil }
            return [x, y]
        default: return nil
        }
        var numbers: [Double] = []
        for _ in 0..<count {
            guard let number = scanner.number() else { return nil }
            numbers.append(number)
        }
        return numbers
    }
}
