import Foundation
import Store
import SystemLayer
import Testing

@testable import MeshplanCLI

@Suite("JSON output")
struct JSONValueTests {
    @Test("members keep their order and missing ones are left out")
    func order() {
        let value: JSONValue = .object(["type": "x", "a": nil, "n": .integer(-3), "list": [true, .null]])
        #expect(value.line == #"{"type":"x","n":-3,"list":[true,null]}"#)
    }

    @Test("every text survives a JSON parser and stays on one line")
    func texts() throws {
        let text = String(String.UnicodeScalarView((0...0x2100).compactMap(Unicode.Scalar.init))) + "\u{1F4A1}\"\\"
        let line = JSONValue.object(["text": text.json]).line
        #expect(!line.unicodeScalars.contains { $0 == "\n" || $0.value == 0x2028 })
        let parsed = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
        #expect(parsed?["text"]?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
    }
}
