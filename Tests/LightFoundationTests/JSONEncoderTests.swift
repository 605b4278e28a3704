import Foundation
import LightFoundation
import SystemLayer
import Testing

/// The module means what Foundation means, as far as it goes.
@Suite struct JSONEncoderTests {
    @Test func `a document says what Foundation's says`() throws {
        let sample = Sample()
        let ours = LightFoundation.JSONEncoder()
        ours.outputFormatting = .prettyPrinted
        ours.outputFormatting.insert(.sortedKeys)
        let theirs = Foundation.JSONEncoder()
        theirs.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let text = try #require(String(data: ours.encode(sample), encoding: .utf8))
        // The order of members counts here, too.
        #expect(try JSONParser.parse(Array(text.utf8)) == JSONParser.parse(Array(theirs.encode(sample))))
        #expect(text.hasPrefix("{\n  \"byHand\": ["))
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `a number that JSON does not have is refused`(number: Double) {
        #expect(throws: EncodingError.self) { try LightFoundation.JSONEncoder().encode(["a": [number]]) }
    }

    @Test func `a value that encodes nothing is refused`() {
        #expect(throws: EncodingError.self) { try LightFoundation.JSONEncoder().encode(["a": Nothing()]) }
    }

    @Test func `an error without words has no description`() {
        #expect(Wordless().errorDescription == nil)
    }
}

private struct Wordless: LightFoundation.LocalizedError {
    var errorDescription: String? { nil }
}

private struct Nothing: Encodable {
    func encode(to _: any Encoder) {}
}

/// Every kind of value and every way to write one.
private struct Sample: Encodable {
    enum Kind: String, Encodable { case positional, flag }

    struct Child: Encodable {
        var name = "a \"quoted\" name, \\, /, é, 🛰 and\tmore\n\u{1}\u{2028}"
        var kind = Kind.flag
        var missing: String?
        var none: [String] = []
    }

    /// Writes what synthesised code does not: nested containers, those of a superclass, an object that stays empty.
    struct ByHand: Encodable {
        func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            try list.encode(1)
            try list.encodeNil()
            var nested = list.nestedContainer(keyedBy: Name.self)
            try nested.encode(true, forKey: .b)
            try nested.encodeNil(forKey: .a)
            var inner = nested.nestedUnkeyedContainer(forKey: .c)
            try inner.encode(Int8.min)
            _ = nested.nestedContainer(keyedBy: Name.self, forKey: .d)
            try 5.encode(to: nested.superEncoder())
            try "six".encode(to: nested.superEncoder(forKey: .e))
            var deeper = list.nestedUnkeyedContainer()
            #expect(deeper.count == 0)
            try deeper.encode(contentsOf: [UInt64.max])
            #expect(deeper.count == 1)
            try false.encode(to: list.superEncoder())
            #expect(list.count == 5)
        }

        enum Name: String, CodingKey { case a, b, c, d, e }
    }

    var zero = 0
    var negative = Int16(-3)
    var large = UInt64.max
    var half = 0.5
    var small = Float(0.25)
    var yes = true
    var maybe: Bool? = false
    var children = [Child(), Child(missing: "x", none: ["y"])]
    var names = ["b": 1, "a": 2]
    var byHand = ByHand()
}
