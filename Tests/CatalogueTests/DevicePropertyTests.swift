import Foundation
import MeshCore
import TestSupport
import Testing

@testable import Catalogue

@Suite("Device properties")
struct DevicePropertyTests {
    struct Fact: Decodable {
        struct Field: Decodable {
            let name: String
            let octets: Int?
            let bits: Int?
            let unit: String?
            let rawMin: Double?
            let rawMax: Double?
            let min: Double?
            let max: Double?
            let special: [String: String]?
            let values: [String: String]?
        }
        struct Variant: Decodable { let length: Int }
        struct Example: Decodable {
            let raw: String
            let value: ExampleValue
        }
        struct Series: Decodable { let y: String }
        let id: String
        let name: String
        let length: Int
        let fields: [Field]
        let variants: [Variant]?
        let examples: [Example]
        let series: Series?

        var identifier: UInt16 { UInt16(id, radix: 16) ?? 0 }
    }

    /// A number, a word or a text, or one for each field.
    enum ExampleValue: Decodable, Hashable {
        case number(Double)
        case truth(Bool)
        case word(String)
        case list([ExampleValue])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let truth = try? container.decode(Bool.self) {
                self = .truth(truth)
            } else if let number = try? container.decode(Double.self) {
                self = .number(number)
            } else if let word = try? container.decode(String.self) {
                self = .word(word)
            } else {
                self = .list(try container.decode([ExampleValue].self))
            }
        }

        var list: [ExampleValue] { if case .list(let list) = self { list } else { [self] } }
    }

    private static let facts: [Fact] = (try? resource("device-properties")) ?? []

    @Test("all 203 properties are known by identifier and name, with fields of the same sizes and units")
    func table() throws {
        #expect(Self.facts.count == 203)
        #expect(DeviceProperty.all.map(\.identifier) == Self.facts.map(\.identifier))
        for fact in Self.facts {
            let property = try #require(DeviceProperty.property(fact.identifier))
            #expect(property.title == fact.name)
            #expect(property.length == fact.length, "\(fact.name)")
            #expect(DeviceProperty.property(named: property.name) == property)
            #expect(property.isHistogram == (fact.series != nil), "\(fact.name)")
            #expect(property.fields.count == fact.fields.count, "\(fact.name)")
            for (field, expected) in zip(property.fields, fact.fields) {
                #expect(field.name == snakeCase(expected.name))
                #expect(field.type.bits == expected.bits ?? 8 * (expected.octets ?? 0), "\(fact.name)")
                #expect(field.type.unit == expected.unit ?? "", "\(fact.name)")
            }
            if let series = fact.series { #expect(property.fields.first?.name == snakeCase(series.y)) }
        }
    }

    @Test("limits, special values and enumerations are those of the facts, and what lies outside has no meaning")
    func meanings() throws {
        var limits = 0
        var words = 0
        for fact in Self.facts {
            let property = try #require(DeviceProperty.property(fact.identifier))
            for (field, expected) in zip(property.fields, fact.fields) {
                let type = field.type
                for (raw, value) in [(expected.rawMin, expected.min), (expected.rawMax, expected.max)] {
                    guard let raw, let value, type.words[Int64(raw)] == nil else { continue }
                    expect(type.meaning(of: Int64(raw)), .number(value), "\(fact.name)")
                    limits += 1
                }
                for (pattern, word) in expected.special ?? [:] {
                    let raw = try type.raw(reading: "0x" + pattern, prohibitedToo: true)
                    expect(type.meaning(of: raw), word == "zero" ? .number(0) : .word(word), "\(fact.name)")
                    words += 1
                }
                for (number, word) in expected.values ?? [:] {
                    let raw = try #require(Int64(number))
                    expect(
                        type.meaning(of: raw),
                        word == "true" || word == "false" ? .truth(word == "true") : .word(word),
                        "\(fact.name)"
                    )
                }
                guard let low = expected.rawMin, let high = expected.rawMax, let all = type.representable else {
                    continue
                }
                for raw in [Int64(low) - 1, Int64(high) + 1] where all.contains(raw) && type.words[raw] == nil {
                    #expect(type.meaning(of: raw) == .unknown(raw), "\(fact.name)")
                    #expect(type.text(of: raw) == type.hexadecimal(raw))
                }
            }
        }
        #expect(limits > 500 && words > 300)
    }

    @Test("every example is read into its values, and written again from values and from text")
    func examples() throws {
        var count = 0
        for fact in Self.facts {
            let property = try #require(DeviceProperty.property(fact.identifier))
            for example in fact.examples {
                let raw = try octets(example.raw)
                let layout = try #require(property.layout(length: raw.count), "\(fact.name) \(example.raw)")
                let values = try property.decode(raw)
                for (field, expected) in zip(layout, example.value.list) {
                    switch (try #require(values[field.name]), expected) {
                    case (.integer(let number), _): expect(field.type.meaning(of: number), expected, "\(fact.name)")
                    case (let value, .word(let text)): #expect(field.type.text(ofValue: value) == text, "\(fact.name)")
                    default: Issue.record("\(fact.name): \(expected)")
                    }
                }
                #expect(try property.encode(values, length: raw.count) == raw)
                let text = DeviceProperty.text(of: raw, property: fact.identifier)
                let read = try DeviceProperty.octets(reading: text, property: fact.identifier, length: raw.count)
                #expect(read == raw, "\(fact.name): \(text)")
                count += 1
            }
        }
        #expect(count >= 600)
    }

    @Test("a second length that devices use is read by that length; one without a known layout is shown in hexadecimal")
    func variants() throws {
        // Time since motion sensed: milliseconds in three octets, in older stacks seconds in two.
        #expect(DeviceProperty.text(of: [0xC4, 0x09, 0x00], property: 0x0068) == "2.5 s")
        #expect(DeviceProperty.text(of: [0xC4, 0x09], property: 0x0068) == "2500 s")
        #expect(try DeviceProperty.octets(reading: "2500 s", property: 0x0068, length: 2) == [0xC4, 0x09])
        #expect(try DeviceProperty.octets(reading: "2.5 s", property: 0x0068) == [0xC4, 0x09, 0x00])
        #expect(DeviceProperty.text(of: [0x2B, 0x7E], property: 0x0013).hasPrefix("minimum_temperature 21.5 °C"))
        #expect(DeviceProperty.text(of: [0x54], property: 0x006E) == "8.4 h")
        #expect(DeviceProperty.property(0x0049)?.layouts.count == 2)
        let known: Set<UInt16> = [0x0013, 0x0049, 0x0068, 0x006E]
        for fact in Self.facts {
            let property = try #require(DeviceProperty.property(fact.identifier))
            #expect(property.layouts.count == (known.contains(fact.identifier) ? 2 : 1), "\(fact.name)")
            for variant in fact.variants ?? [] where variant.length != fact.length {
                let raw = [UInt8](repeating: 0x2B, count: variant.length)
                let isHexadecimal = DeviceProperty.text(of: raw, property: fact.identifier).hasPrefix("hex:")
                #expect(isHexadecimal != known.contains(fact.identifier), "\(fact.name)")
            }
        }
        #expect(DeviceProperty.text(of: [1, 2], property: 0x004F) == "hex:0102")
        #expect(DeviceProperty.text(of: [1, 2], property: 0x1234) == "hex:0102")
    }

    @Test("random octets of every property are refused, or written again; their text is read into the same octets")
    func random() throws {
        var generator = SplitMix64(seed: 203)
        var read = 0
        for property in DeviceProperty.all {
            for round in 0..<60 {
                let length = round < 40 ? property.length : round % 11
                let raw = generator.octets(length)
                guard let values = try? property.decode(raw) else {
                    #expect(property.layout(length: length) == nil)
                    continue
                }
                #expect(try property.encode(values, length: length) == raw, "\(property.name)")
                let text = DeviceProperty.text(of: raw, property: property.identifier)
                // What is prohibited is shown, but cannot be written by a person.
                guard
                    let back = try? DeviceProperty.octets(reading: text, property: property.identifier, length: length)
                else { continue }
                #expect(back == raw, "\(property.name): \(text)")
                read += 1
            }
        }
        #expect(read > 5000)
    }

    @Test("a value that is too short or too long says where")
    func lengths() throws {
        let light = try #require(DeviceProperty.property(named: "present-ambient-light-level"))
        #expect(throws: MessageDecodeError(offset: 2, field: light.name, reason: .truncated(needed: 1))) {
            try light.decode([1, 2])
        }
        #expect(throws: MessageDecodeError(offset: 3, field: light.name, reason: .trailing(count: 1))) {
            try light.decode([1, 2, 3, 4])
        }
        #expect(throws: MessageEncodeError.self) { try light.encode(["illuminance": 1], length: 7) }
        #expect(throws: MessageEncodeError.missing("illuminance")) { try light.encode([:]) }
        #expect(throws: MessageEncodeError.unknownField("lux", known: ["illuminance"])) { try light.encode(["lux": 1]) }
    }

    private func expect(_ meaning: Meaning, _ expected: ExampleValue, _ comment: Comment) {
        switch (meaning, expected) {
        case (.number(let number, _), .number(let value)):
            #expect(abs(number - value) <= abs(value) * 1e-5, comment)
        case (.truth(let truth), .truth(let value)): #expect(truth == value, comment)
        case (.word(let word), .word(let value)): #expect(word == self.word(value), comment)
        default: Issue.record("\(comment): \(meaning), \(expected)")
        }
    }

    /// `notKnown` as the table writes it.
    private func word(_ fact: String) -> String {
        if fact.hasPrefix("atLeast:") { return "\(fact.dropFirst(8))-or-above" }
        if fact.hasPrefix("atMost:") { return "\(fact.dropFirst(7))-or-below" }
        var word = ""
        for character in fact {
            let begins = character.isUppercase || character.isNumber
            word += begins && word.last?.isLowercase == true && !word.hasSuffix("i") ? "-" : ""
            word += character.lowercased()
        }
        return word.replacingOccurrences(of: "typei", with: "type-i").replacingOccurrences(of: "typev", with: "type-v")
    }

    private func snakeCase(_ name: String) -> String {
        name.lowercased().split { !($0.isLetter || $0.isNumber) }.joined(separator: "_")
    }
}

extension FieldType {
    /// The raw number of a bit pattern, whether or not it may be sent.
    func raw(reading pattern: String, prohibitedToo: Bool) throws -> Int64 {
        let bits = try #require(UInt64(pattern.dropFirst(2), radix: 16))
        guard case .signed(let width) = layout else { return Int64(bits) }
        return Int64(bitPattern: bits << UInt64(64 - width)) >> Int64(64 - width)
    }
}
