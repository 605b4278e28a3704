/// How a field of a message or a device property is laid out and what its numbers mean.
package struct FieldType: Hashable, Sendable {
    /// The name in the tables, such as `lightness`; the notation itself for a type without a name, such as `u8`.
    package let name: String
    /// How many bits or octets it has.
    package let layout: Layout
    /// How a raw number becomes a value in ``unit``.
    package let rule: Rule
    /// The unit of the value: `%`, `K`, `lx`, `s`; empty for a plain number.
    package let unit: String
    /// The raw numbers that are ordinary values; nil if all are that have no word.
    package let range: ClosedRange<Int64>?
    /// What raw numbers mean that are no ordinary values, or all of them of an enumeration. Of a set: the bits.
    package let words: [Int64: String]
    /// What a raw number is that is neither in the range nor has a word.
    package let others: Others
    /// How the field is written for people.
    package let notation: Notation

    /// The places a field takes.
    package enum Layout: Hashable, Sendable {
        /// A number from 0, least significant bit first (Mesh Protocol 3.1.1.2); 1 to 63 bits.
        case unsigned(bits: Int)
        /// A number in two's complement; 2 to 64 bits.
        case signed(bits: Int)
        /// An IEEE 754 number of 32 bits. Its raw number is the bit pattern.
        case float
        /// So many octets as they are.
        case octets(Int)
        /// UTF-8 text, padded with zeros to so many octets.
        case text(Int)
        /// All octets that are left, at least so many.
        case remainder(minimum: Int)
        /// An equal share of the octets that fields of fixed size leave; at least one octet.
        case share
        /// An octet that counts the octets after it.
        case counted
        /// A model identifier at the end: two octets of a SIG model, four of a vendor model.
        case model
        /// Key indexes, pairs in three octets, an odd last one in two (Mesh Protocol 4.3.1.1).
        case keyIndexes
        /// Marshalled sensor values up to the end (Mesh Model 4.2.14).
        case sensorData
        /// The raw value X of a sensor's column, as long as the property says.
        case columnX
        /// The width of a sensor's column, as long as the property says.
        case columnWidth
        /// Sensor columns up to the end, each of X, width and Y.
        case columns
    }

    /// How a raw number becomes a value.
    package enum Rule: Hashable, Sendable {
        /// (raw + offset) × numerator ÷ denominator.
        case linear(offset: Int64, numerator: Double, denominator: Double)
        /// base to the power of (raw + offset), × factor; `hasZero` if raw number 0 is exactly 0.
        case power(base: Double, offset: Int64, factor: Double, hasZero: Bool)
        /// Steps in bits 0 to 5, resolution in bits 6 and 7; 63 steps are unknown (Mesh Model 3.1.3).
        case transitionTime

        /// A plain number.
        package static let plain = Rule.linear(offset: 0, numerator: 1, denominator: 1)
    }

    /// What a raw number is that is neither in the range nor has a word.
    package enum Others: Hashable, Sendable {
        /// Nothing says what it is.
        case unstated
        /// Reserved for future use.
        case reserved
        /// Prohibited: a message with it is ignored.
        case prohibited
    }

    /// How a field is written for people.
    package enum Notation: Hashable, Sendable {
        /// A number with its unit, or a word.
        case number
        /// On or off, true or false.
        case boolean
        /// Words of the bits that are set.
        case set
        /// Hexadecimal: addresses, company identifiers, octets.
        case hexadecimal
        /// A device property, by its name.
        case property
        /// The value of the device property that the field before it names.
        case propertyValue
        /// Days since 1970-01-01.
        case date
        /// A key, which is never written.
        case secret
    }

    /// The number of bits of a field of fixed size; nil if the size depends on the message.
    package var bits: Int? {
        switch layout {
        case .unsigned(let bits), .signed(let bits): bits
        case .float: 32
        case .octets(let count), .text(let count): 8 * count
        default: nil
        }
    }

    /// The raw numbers that fit into the field; nil for fields that are no numbers.
    package var representable: ClosedRange<Int64>? {
        switch layout {
        case .unsigned(let bits): 0...(Int64.max >> (63 - bits))
        case .signed(let bits): (Int64.min >> (64 - bits))...(Int64.max >> (64 - bits))
        case .float: 0...0xFFFF_FFFF
        default: nil
        }
    }

    /// Whether a raw number may stand in a message.
    package func permits(_ raw: Int64) -> Bool {
        if case .transitionTime = rule, others == .prohibited { return raw & 0x3F != 0x3F }
        guard others == .prohibited, notation != .set else { return true }
        return words[raw] != nil || range?.contains(raw) ?? false
    }
}

extension FieldType.Layout {
    /// Whether the field takes all octets up to the end.
    var takesAll: Bool {
        switch self {
        case .remainder, .model, .keyIndexes, .sensorData, .columns: true
        default: false
        }
    }
}
