#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// JSON of typed values whose members have neither an order nor a location that matters: what a program stores for
/// itself, and what its processes tell each other. In JSON, names of members are in snake case.
package enum TypedJSON {
    /// Reads a value. Unknown members are ignored.
    ///
    /// - Throws: ``JSONError`` that says where the text is no JSON, or which member is something else than expected.
    package static func decode<Value: Decodable>(
        _ type: Value.Type = Value.self,
        from bytes: [UInt8]
    ) throws(JSONError) -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        do {
            return try decoder.decode(type, from: Data(bytes))
        } catch {
            // The own reader says where.
            _ = try JSONParser.parse(bytes)
            throw JSONError(.malformed, (error as? DecodingError).map(text) ?? "it has another form")
        }
    }

    /// Writes a value in one line, with its members in the order of the alphabet. Numbers in it are finite.
    package static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(value))
        } catch {
            preconditionFailure("a value that cannot be JSON: \(error)")
        }
    }

    private static func text(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context): "\(path(context.codingPath + [key])) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "\(path(context.codingPath)) is something else than expected"
        case .dataCorrupted(let context): "\(path(context.codingPath)) is not a value that makes sense"
        @unknown default: "it has another form"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.isEmpty ? "the whole" : keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }
}

extension KeyedDecodingContainer {
    /// A member that may be missing, or else the usual value.
    ///
    /// - Throws: `DecodingError` if it is something else.
    package func value<Value: Decodable>(_ key: Key, or usual: Value) throws -> Value {
        try decodeIfPresent(Value.self, forKey: key) ?? usual
    }

    /// The error that a member makes no sense.
    package func senseless(_ key: Key) -> DecodingError {
        .dataCorruptedError(forKey: key, in: self, debugDescription: "")
    }
}
