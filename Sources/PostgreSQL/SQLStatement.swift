/// A statement with the values for its parameters `$1`, `$2`, … Values are always bound, never part of the text.
package struct SQLStatement: Sendable {
    package var sql: String
    /// The values, `$1` first.
    package var parameters: [SQLValue]

    /// A statement with the values for its parameters, `$1` first.
    package init(_ sql: String, _ parameters: SQLValue...) {
        self.sql = sql
        self.parameters = parameters
    }
}

/// A value for a parameter.
package enum SQLValue: Hashable, Sendable {
    /// `bytea`
    case octets([UInt8])
    /// `bigint`
    case integer(Int64)
    /// `text`
    case text(String)
    /// `bytea[]`
    case octetsList([[UInt8]])
    /// `bigint[]`
    case integerList([Int64])
    /// `text[]`
    case textList([String])

    /// The identifier of its type. It is the same in all versions of the server (`pg_type.dat`).
    var type: UInt32 {
        switch self {
        case .octets: SQLType.octets
        case .integer: SQLType.integer
        case .text: SQLType.text
        case .octetsList: 1001
        case .integerList: 1016
        case .textList: 1009
        }
    }

    /// The binary form that the type's `receive` function takes.
    var encoded: [UInt8] {
        switch self {
        case .octets(let octets): octets
        case .integer(let value): value.bigEndianOctets
        case .text(let text): SQLValue.octets(of: text)
        case .octetsList(let items): SQLValue.list(items, of: SQLType.octets)
        case .integerList(let items): SQLValue.list(items.map(\.bigEndianOctets), of: SQLType.integer)
        case .textList(let items): SQLValue.list(items.map(SQLValue.octets), of: SQLType.text)
        }
    }

    /// A text cannot hold NUL.
    private static func octets(of text: String) -> [UInt8] { Array(text.utf8.filter { $0 != 0 }) }

    /// Dimensions, no nulls, type; length and lower bound of the dimension; each item with its length.
    private static func list(_ items: [[UInt8]], of type: UInt32) -> [UInt8] {
        guard !items.isEmpty else { return Int32(0).bigEndianOctets + Int32(0).bigEndianOctets + type.bigEndianOctets }
        var octets: [UInt8] = []
        octets.reserveCapacity(20 + items.reduce(0) { $0 + 4 + $1.count })
        octets += Int32(1).bigEndianOctets + Int32(0).bigEndianOctets + type.bigEndianOctets
        octets += Int32(truncatingIfNeeded: items.count).bigEndianOctets + Int32(1).bigEndianOctets
        for item in items {
            octets += Int32(truncatingIfNeeded: item.count).bigEndianOctets
            octets += item
        }
        return octets
    }
}

/// Identifiers of types that results may have.
enum SQLType {
    static let octets: UInt32 = 17
    static let integer: UInt32 = 20
    static let text: UInt32 = 25
}

extension FixedWidthInteger {
    fileprivate var bigEndianOctets: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
