internal import SystemLayer

/// Encodes values as JSON, always on several lines and with sorted names, whatever the format that is asked for.
public final class JSONEncoder {
    /// How a document is laid out.
    public struct OutputFormatting: OptionSet, Sendable {
        /// The chosen options, one bit each.
        public let rawValue: UInt

        /// The options with these bits.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// Every member and item has a line of its own.
        public static let prettyPrinted = OutputFormatting(rawValue: 1 << 0)
        /// Members are in the order of their names.
        public static let sortedKeys = OutputFormatting(rawValue: 1 << 1)
    }

    /// How the document is laid out.
    public var outputFormatting: OutputFormatting = []

    /// An encoder without options.
    public init() {}

    /// The document of a value.
    ///
    /// - Throws: `EncodingError` if a number is not finite or a value encodes nothing, and what the value throws.
    public func encode<Value: Encodable>(_ value: Value) throws -> Data {
        let slot = Slot()
        try slot.encode(value, codingPath: [])
        return Data(bytes: slot.value.document())
    }
}

/// Where one value of the document is put. It is a class because containers fill in after their parents got them.
private final class Slot {
    private enum Content {
        case plain(JSONValue)
        case items([Slot])
        case members([String: Slot])
    }

    private var content: Content?

    /// Without content it is null, as Foundation's nested containers are that nobody writes to.
    var value: JSONValue {
        switch content {
        case nil: .null
        case .plain(let value): value
        case .items(let slots): .array(slots.map(\.value))
        case .members(let slots):
            .object(slots.sorted { $0.key < $1.key }.map { JSONMember($0.key, $0.value.value) })
        }
    }

    var count: Int {
        if case .items(let slots) = content { slots.count } else { 0 }
    }

    func set(_ value: JSONValue) {
        content = .plain(value)
    }

    func beginItems() {
        if case .items = content { return }
        content = .items([])
    }

    func beginMembers() {
        if case .members = content { return }
        content = .members([:])
    }

    func appended() -> Slot {
        var slots: [Slot] = if case .items(let slots) = content { slots } else { [] }
        let slot = Slot()
        slots.append(slot)
        content = .items(slots)
        return slot
    }

    func member(_ name: String) -> Slot {
        var slots: [String: Slot] = if case .members(let slots) = content { slots } else { [:] }
        let slot = Slot()
        slots[name] = slot
        content = .members(slots)
        return slot
    }

    func encode(_ value: some Encodable, codingPath: [any CodingKey]) throws {
        func invalid(_ reason: String) -> EncodingError {
            .invalidValue(value, EncodingError.Context(codingPath: codingPath, debugDescription: reason))
        }
        switch value {
        case let value as Bool: set(.bool(value))
        case let value as String: set(.string(value))
        case let value as any BinaryInteger: set(.number("\(value)"))
        case let value as any BinaryFloatingPoint:
            let number = Double(value)
            guard number.isFinite else {
                throw invalid("JSON has no such number.")
            }
            set(.number("\(number)"))
        default:
            try value.encode(to: SlotEncoder(slot: self, codingPath: codingPath))
            guard content != nil else {
                throw invalid("The value encodes nothing.")
            }
        }
    }
}

/// Puts one value into its slot, as a single value or as a list.
private struct SlotEncoder: Encoder, SingleValueEncodingContainer {
    let slot: Slot
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
        slot.beginMembers()
        return KeyedEncodingContainer(MemberEncoder(slot: slot, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        slot.beginItems()
        return ItemEncoder(slot: slot, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { slot.set(.null) }

    func encode(_ value: some Encodable) throws { try slot.encode(value, codingPath: codingPath) }
}

/// Puts items into a list.
private struct ItemEncoder: UnkeyedEncodingContainer {
    let slot: Slot
    let codingPath: [any CodingKey]
    var count: Int { slot.count }

    func encodeNil() { slot.appended().set(.null) }

    func encode(_ value: some Encodable) throws { try slot.appended().encode(value, codingPath: codingPath) }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        next.container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next.unkeyedContainer() }

    func superEncoder() -> any Encoder { next }

    private var next: SlotEncoder { SlotEncoder(slot: slot.appended(), codingPath: codingPath) }
}

/// Puts members into an object.
private struct MemberEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let slot: Slot
    let codingPath: [any CodingKey]

    func encodeNil(forKey key: Key) { slot.member(key.stringValue).set(.null) }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        try slot.member(key.stringValue).encode(value, codingPath: codingPath + [key])
    }

    func nestedContainer<Other: CodingKey>(keyedBy type: Other.Type, forKey key: Key) -> KeyedEncodingContainer<Other> {
        encoder(key.stringValue, key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder(key.stringValue, key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder("super", nil) }

    func superEncoder(forKey key: Key) -> any Encoder { encoder(key.stringValue, key) }

    private func encoder(_ name: String, _ key: Key?) -> SlotEncoder {
        SlotEncoder(slot: slot.member(name), codingPath: codingPath + (key.map { [$0] } ?? []))
    }
}
