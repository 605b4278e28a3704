import DefinitionModel

/// A kind of scalar: what it is, what its text may look like, and how it is read and written.
struct ScalarType<Value>: Sendable {
    /// What a text must be, for messages: "a TTL".
    let expected: String
    /// What its text may look like.
    let schema: Schema
    let parse: @Sendable (String) throws(ScalarProblem) -> Value
    /// The text of a value; nil for a value that this kind of scalar does not express.
    let spell: @Sendable (Value) -> DefinitionValue?

    init(
        _ expected: String,
        _ schema: Schema,
        parse: @escaping @Sendable (String) throws(ScalarProblem) -> Value,
        spell: @escaping @Sendable (Value) -> DefinitionValue?
    ) {
        self.expected = expected
        self.schema = schema
        self.parse = parse
        self.spell = spell
    }
}

/// One key of a mapping that becomes an `Owner`: what it is called, what it means, what it takes, and how its value
/// gets into the owner and out of it.
struct Field<Owner>: Sendable {
    let property: Property
    /// Whether the owner is worth nothing if the value cannot be read. A value that must be there always is such a one.
    let isVital: Bool
    /// Reads the value into the owner. What is wrong is reported.
    ///
    /// - Returns: whether the value could be read.
    let decode: @Sendable (inout DocumentDecoder, MappingEntry, inout Owner) -> Bool
    /// The value as text of a definition; nil if the owner says nothing.
    let written: @Sendable (Owner) -> DefinitionValue?

    private init(
        _ property: Property,
        isVital: Bool = false,
        decode: @escaping @Sendable (inout DocumentDecoder, MappingEntry, inout Owner) -> Bool,
        written: @escaping @Sendable (Owner) -> DefinitionValue?
    ) {
        self.property = property
        self.isVital = isVital || property.isRequired
        self.decode = decode
        self.written = written
    }

    /// The same key of a mapping that becomes something in which the owner is a part.
    func lifted<Whole>(_ path: any WritableKeyPath<Whole, Owner> & Sendable) -> Field<Whole> {
        let (decode, written) = (decode, written)
        return Field<Whole>(property, isVital: isVital) { decoder, entry, whole in
            decode(&decoder, entry, &whole[keyPath: path])
        } written: { whole in
            written(whole[keyPath: path])
        }
    }
}

extension Field {
    /// The same key, which is written only of owners that fulfil a condition.
    func written(where condition: @escaping @Sendable (Owner) -> Bool) -> Field {
        let written = written
        return Field(property, isVital: isVital, decode: decode) { condition($0) ? written($0) : nil }
    }
}

// MARK: - Scalars

extension Field {
    static func scalar<Value>(
        _ keyword: Keyword,
        _ path: any WritableKeyPath<Owner, Located<Value>?> & Sendable,
        _ type: ScalarType<Value>,
        _ documentation: String? = nil,
        isVital: Bool = false
    ) -> Field {
        Field(Property(keyword, type.schema, documentation), isVital: isVital) { decoder, entry, owner in
            guard let value = decoder.scalar(entry.value, type) else { return false }
            owner[keyPath: path] = value
            return true
        } written: { owner in
            owner[keyPath: path].flatMap { type.spell($0.value) }
        }
    }

    static func required<Value>(
        _ keyword: Keyword,
        _ path: any WritableKeyPath<Owner, Located<Value>> & Sendable,
        _ type: ScalarType<Value>,
        _ documentation: String? = nil
    ) -> Field {
        Field(Property(keyword, type.schema, documentation, isRequired: true)) { decoder, entry, owner in
            guard let value = decoder.scalar(entry.value, type) else { return false }
            owner[keyPath: path] = value
            return true
        } written: { owner in
            type.spell(owner[keyPath: path].value)
        }
    }

    /// A scalar whose location does not matter. One that may be left out has a value of its own.
    static func plain<Value>(
        _ keyword: Keyword,
        _ path: any WritableKeyPath<Owner, Value> & Sendable,
        _ type: ScalarType<Value>,
        _ documentation: String? = nil,
        isRequired: Bool = false
    ) -> Field {
        Field(Property(keyword, type.schema, documentation, isRequired: isRequired)) { decoder, entry, owner in
            guard let value = decoder.scalar(entry.value, type) else { return false }
            owner[keyPath: path] = value.value
            return true
        } written: { owner in
            type.spell(owner[keyPath: path])
        }
    }

    /// A scalar that may be left out, and whose location does not matter.
    static func optional<Value>(
        _ keyword: Keyword,
        _ path: any WritableKeyPath<Owner, Value?> & Sendable,
        _ type: ScalarType<Value>,
        _ documentation: String? = nil
    ) -> Field {
        Field(Property(keyword, type.schema, documentation)) { decoder, entry, owner in
            guard let value = decoder.scalar(entry.value, type) else { return false }
            owner[keyPath: path] = value.value
            return true
        } written: { owner in
            owner[keyPath: path].flatMap { type.spell($0) }
        }
    }

    /// One scalar, or a list of them.
    static func several<Value>(
        _ keyword: Keyword,
        _ path: any WritableKeyPath<Owner, [Located<Value>]> & Sendable,
        _ type: ScalarType<Value>,
        _ documentation: String? = nil
    ) -> Field {
        let schema = Schema.anyOf([type.schema, .list(of: type.schema, atLeast: 1)])
        return Field(Property(keyword, schema, documentation)) { decoder, entry, owner in
            owner[keyPath: path] = decoder.oneOrSeveral(entry.value).compactMap { decoder.scalar($0, type) }
            return true
        } written: { owner in
            DefinitionValue.oneOrSeveral(owner[keyPath: path].compactMap { type.spell($0.value) })
        }
    }
}

// MARK: - Everything else

extension Field {
    /// A list of names, each once. `isOfKeys` if they are names of keys, of which there cannot be more than indexes.
    static func names(
        _ keyword: Keyword,
        _ path: any WritableKeyPath<Owner, Located<[Located<String>]>?> & Sendable,
        _ expected: String,
        _ documentation: String,
        ofKeys isOfKeys: Bool = true
    ) -> Field {
        Field(
            Property(keyword, .list(of: .ref("name_reference"), unique: true), documentation)
        ) { decoder, entry, owner in
            let names = isOfKeys ? decoder.keyNames(entry.value, expected) : decoder.names(entry.value, expected)
            owner[keyPath: path] = names
            return names != nil
        } written: { owner in
            owner[keyPath: path].map { .texts($0.value.map(\.value)) }
        }
    }

    /// A mapping whose values belong to the owner itself.
    static func part(_ keyword: Keyword, _ type: MappingType<Owner>, _ documentation: String? = nil) -> Field {
        Field(Property(keyword, .ref(type.record.title), documentation)) { decoder, entry, owner in
            decoder.decode(entry.value, type, blamed: entry.key, into: &owner)
        } written: { owner in
            let fields = type.written(owner)
            return fields.isEmpty ? nil : .fields(fields)
        }
    }

    /// A value that is read and written in its own way.
    static func custom(
        _ keyword: Keyword,
        _ schema: Schema,
        _ documentation: String? = nil,
        decode: @escaping @Sendable (inout DocumentDecoder, MappingEntry, inout Owner) -> Void,
        written: @escaping @Sendable (Owner) -> DefinitionValue?
    ) -> Field {
        Field(Property(keyword, schema, documentation)) { decoder, entry, owner in
            decode(&decoder, entry, &owner)
            return true
        } written: { owner in
            written(owner)
        }
    }

    /// A value that is read and written in its own way, and without which the owner is worth nothing.
    static func vital(
        _ keyword: Keyword,
        _ schema: Schema,
        _ documentation: String? = nil,
        isRequired: Bool = false,
        decode: @escaping @Sendable (inout DocumentDecoder, MappingEntry, inout Owner) -> Bool,
        written: @escaping @Sendable (Owner) -> DefinitionValue?
    ) -> Field {
        Field(
            Property(keyword, schema, documentation, isRequired: isRequired),
            isVital: true,
            decode: decode,
            written: written
        )
    }
}

// MARK: - Mappings

/// A kind of mapping that becomes an `Owner`: its keys in the order in which they are written.
struct MappingType<Owner>: Sendable {
    /// What the schema and the messages say of it.
    let record: Record
    let fields: [Field<Owner>]
    /// Whether the owner is worth nothing if any value cannot be read.
    let isStrict: Bool
    /// The number of each field from 1, by the symbol of its key; 0 for the keys that it does not have.
    private let numbers: [UInt8]

    init(
        _ title: String,
        as noun: String,
        _ documentation: String,
        isOptional: Bool = false,
        isStrict: Bool = false,
        where conditions: Schema = [:],
        _ fields: [Field<Owner>]...
    ) {
        self.fields = fields.flatMap(\.self)
        self.isStrict = isStrict
        record = Record(
            title,
            as: noun,
            documentation,
            isOptional: isOptional,
            where: conditions,
            self.fields.map(\.property)
        )
        var numbers = [UInt8](repeating: 0, count: Keyword.all.count)
        for (index, field) in self.fields.enumerated() {
            numbers[Int(field.property.keyword.symbol)] = UInt8(index + 1)
        }
        self.numbers = numbers
    }

    /// The field of a key of the mapping.
    fileprivate func field(_ symbol: UInt32) -> Int? {
        guard symbol < numbers.count, numbers[Int(symbol)] > 0 else { return nil }
        return Int(numbers[Int(symbol)]) - 1
    }

    /// What is said of the owner, in the order of the keys.
    func written(_ owner: Owner) -> [DefinitionValue.Field] {
        fields.compactMap { field in
            field.written(owner).map { DefinitionValue.Field(field.property.keyword.rawValue, $0) }
        }
    }
}

extension DocumentDecoder {
    /// The value of a scalar. A text that does not parse is reported.
    mutating func scalar<Value>(_ node: Int, _ type: ScalarType<Value>) -> Located<Value>? {
        scalar(node, type.expected, type.parse)
    }

    /// The entries of a mapping of that kind. Unknown and missing keys are reported, missing ones at `blamed`.
    mutating func fields(_ node: Int, _ record: Record, blamed: Int) -> MappingEntries? {
        fields(node, record, record.noun, blamed: blamed)
    }

    /// Reads a mapping into its owner. What is wrong is reported, missing keys at `blamed`.
    ///
    /// - Parameter expected: what it is, for messages; nil for the usual word.
    /// - Returns: whether the owner is worth something: it is a mapping that has all that it needs.
    mutating func decode<Owner>(
        _ node: Int,
        _ type: MappingType<Owner>,
        as expected: String? = nil,
        blamed: Int,
        into owner: inout Owner
    ) -> Bool {
        guard let entries = fields(node, type.record, expected ?? type.record.noun, blamed: blamed) else {
            return false
        }
        return decode(entries, type, into: &owner)
    }

    /// Reads the entries of a mapping into its owner.
    ///
    /// - Returns: whether the owner is worth something: all that it needs is there and could be read.
    mutating func decode<Owner>(
        _ entries: MappingEntries,
        _ type: MappingType<Owner>,
        into owner: inout Owner
    ) -> Bool {
        var isWhole = type.record.needed.isSubset(of: entries.keywords)
        for entry in entries {
            guard let index = type.field(entry.symbol) else { continue }
            let isRead = type.fields[index].decode(&self, entry, &owner)
            if !isRead, type.isStrict || type.fields[index].isVital { isWhole = false }
        }
        return isWhole
    }
}
