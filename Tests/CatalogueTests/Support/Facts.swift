import Foundation
import MeshCore
import TestSupport
import Testing

@testable import Catalogue

/// A message of the facts: names and opcodes of the SIG table, answers and examples of other stacks' tests.
struct MessageFact: Decodable {
    let opcode: String
    let name: String
    let response: String?
    /// The shortest and the longest parameters.
    let length: [Int]?
    let nameOnly: Bool?
    let examples: [String]?
}

/// Which messages a server takes and sends, compared with the operation tables of ESP-IDF.
struct ServerFact: Decodable {
    let server: String
    let get: [String]
    let set: [String]
    let status: [String]
}

func resource<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
    let url = try #require(Bundle.module.url(forResource: "Resources/\(name)", withExtension: "json"))
    return try JSONDecoder().decode(type, from: Data(contentsOf: url))
}

func octets(_ hexadecimal: String) throws -> [UInt8] {
    try #require(Hexadecimal.decode(hexadecimal))
}

func opcode(_ text: String) throws -> Opcode {
    try #require(UInt32(text, radix: 16).flatMap(Opcode.init(rawValue:)))
}

func message(_ name: String) throws -> MessageDescription {
    try #require(MessageCatalogue.sig.message(named: name), "\(name)")
}

/// The value of a field in a vector: a raw number, octets, or nothing where a sensor has no value.
enum VectorValue: Decodable, Hashable {
    case number(Int64)
    case octets([UInt8])
    case nothing

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .nothing
        } else if let number = try? container.decode(Int64.self) {
            self = .number(number)
        } else {
            self = .octets(try octetsOf(container.decode(String.self)))
        }
    }
}

private func octetsOf(_ text: String) throws -> [UInt8] {
    try #require(Hexadecimal.decode(text))
}

/// An access payload with the raw values of its fields in their order.
struct MessageVector: Decodable {
    let payload: [UInt8]
    let values: [VectorValue]

    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        payload = try octetsOf(container.decode(String.self))
        values = try container.decode([VectorValue].self)
    }
}

extension FieldValues {
    /// The values one after the other, as vectors have them.
    var flattened: [VectorValue] {
        items.flatMap { item -> [VectorValue] in
            switch item.value {
            case .integer(let raw): [.number(raw)]
            case .octets(let octets): [.octets(octets)]
            case .model(let model):
                model.company.map { [.number(Int64($0)), .number(Int64(model.model))] } ?? [.number(Int64(model.model))]
            case .integers(let numbers): numbers.map { .number($0) }
            case .records(let records): records.flatMap(\.flattened)
            case .sensorData(let data):
                data.flatMap { [.number(Int64($0.property)), $0.value.map { .octets($0) } ?? .nothing] }
            case .columns(let columns):
                columns.flatMap { [.octets($0.x), .octets($0.width), .octets($0.y)] }
            }
        }
    }
}

extension SplitMix64 {
    mutating func octets(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
    }
}
