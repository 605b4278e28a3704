import DefinitionModel
import MeshCore

/// A part of plan files and journals.
///
/// Integers are big-endian. A text is its length (4 octets) and UTF-8. A list is its count (4 octets) and its elements.
/// An optional is an octet 0 or 1 and the value. A choice is its number, then its values; numbers never change their
/// meaning.
protocol PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError)
    func write(to writer: inout PlanWriter)
}

/// Writes the parts of a plan file; ``PlanReader`` reads them.
struct PlanWriter {
    var bytes = ByteWriter()

    mutating func write<each Value: PlanCodable>(_ value: repeat each Value) {
        repeat (each value).write(to: &self)
    }

    /// Writes the number of a choice and its values.
    mutating func write<each Value: PlanCodable>(code: UInt8, _ value: repeat each Value) {
        bytes.write(code)
        repeat (each value).write(to: &self)
    }
}

/// Reads the parts of a plan file, and refuses what ``PlanWriter`` would not write.
struct PlanReader {
    var bytes: ByteReader

    init(_ bytes: [UInt8]) {
        self.bytes = ByteReader(bytes)
    }

    mutating func read<Value: PlanCodable>(_ type: Value.Type = Value.self) throws(DecodeError) -> Value {
        try Value(from: &self)
    }

    mutating func readAscending<Element: PlanCodable & Comparable>(
        _ field: String
    ) throws(DecodeError) -> [Element] {
        let list = try read([Element].self)
        try requireAscending(list, field)
        return list
    }

    func requireAscending<Element: Comparable>(_ list: [Element], _ field: String) throws(DecodeError) {
        for (index, pair) in zip(list, list.dropFirst()).enumerated() where pair.0 >= pair.1 {
            throw .prohibited(field: "order of \(field)", value: UInt64(index))
        }
    }
}

extension UInt8: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) { self = try reader.bytes.readUInt8() }
    func write(to writer: inout PlanWriter) { writer.bytes.write(self) }
}

extension UInt16: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) { self = try reader.bytes.readUInt16() }
    func write(to writer: inout PlanWriter) { writer.bytes.write(self) }
}

extension UInt64: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) { self = try reader.bytes.readUInt64() }
    func write(to writer: inout PlanWriter) { writer.bytes.write(self) }
}

extension Int64: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) { self.init(bitPattern: try reader.bytes.readUInt64()) }
    func write(to writer: inout PlanWriter) { writer.bytes.write(UInt64(bitPattern: self)) }
}

/// A count or index below 2^32.
extension Int: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) { self.init(try reader.bytes.readUInt32()) }
    func write(to writer: inout PlanWriter) { writer.bytes.write(UInt32(clamping: self)) }
}

extension Bool: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) { self = try reader.bytes.readFlag() }
    func write(to writer: inout PlanWriter) { writer.bytes.write(self) }
}

extension String: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        let count = try reader.read(Int.self)
        let offset = reader.bytes.offset
        guard let text = String(validating: try reader.bytes.read(count), as: UTF8.self) else {
            throw .prohibited(field: "text", value: UInt64(clamping: offset))
        }
        self = text
    }

    func write(to writer: inout PlanWriter) {
        writer.write(utf8.count)
        writer.bytes.write(utf8)
    }
}

extension Optional: PlanCodable where Wrapped: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        self = try reader.read() ? try reader.read(Wrapped.self) : nil
    }

    func write(to writer: inout PlanWriter) {
        writer.write(self != nil)
        if let self { writer.write(self) }
    }
}

extension Array: PlanCodable where Element: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        let count = try reader.read(Int.self)
        // Every element takes at least one octet, so a count cannot ask for more memory than the file's size.
        guard count <= reader.bytes.remaining else { throw .truncated(offset: reader.bytes.offset, needed: count) }
        self.init()
        for _ in 0..<count { append(try reader.read()) }
    }

    func write(to writer: inout PlanWriter) {
        writer.write(count)
        for element in self { element.write(to: &writer) }
    }
}

extension PlanCodable where Self: RawRepresentable, RawValue: PlanCodable {
    /// Reads the raw value; those that the type does not have are prohibited.
    init(from reader: inout PlanReader) throws(DecodeError) {
        let offset = reader.bytes.offset
        guard let value = Self(rawValue: try reader.read()) else {
            throw .prohibited(field: "\(Self.self)", value: UInt64(clamping: offset))
        }
        self = value
    }

    func write(to writer: inout PlanWriter) { rawValue.write(to: &writer) }
}

extension NetKeyIndex: PlanCodable {}
extension AppKeyIndex: PlanCodable {}
extension UnicastAddress: PlanCodable {}
extension GroupAddress: PlanCodable {}
extension VirtualAddress: PlanCodable {}
extension DeviceUUID: PlanCodable {}
extension LabelUUID: PlanCodable {}
extension Timestamp: PlanCodable {}
extension FeatureSet: PlanCodable {}
extension HeartbeatPublicationCountLog: PlanCodable {}
extension HeartbeatPeriodLog: PlanCodable {}
extension BridgingDirections: PlanCodable {}
extension KeyRefreshTransition: PlanCodable {}
extension KeyRefreshStage: PlanCodable {}
extension ProvisioningAlgorithm: PlanCodable {}
extension AuthenticationMethod.Kind: PlanCodable {}
extension Plan.Purpose: PlanCodable {}
extension NodeSummary.Action: PlanCodable {}
extension Change.Kind: PlanCodable {}
extension PlanDependency.Kind: PlanCodable {}
extension SubnetLosses: PlanCodable {}
extension PlanGuard: PlanCodable {}

/// A choice without values, with a number of its own.
protocol PlanCode: PlanCodable, CaseIterable {
    var code: UInt8 { get }
}

extension PlanCode {
    init(from reader: inout PlanReader) throws(DecodeError) {
        let code = try reader.bytes.readUInt8()
        guard let value = Self.allCases.first(where: { $0.code == code }) else {
            throw .prohibited(field: "\(Self.self)", value: UInt64(code))
        }
        self = value
    }

    func write(to writer: inout PlanWriter) { writer.bytes.write(code) }
}

extension ProvisioningAssurance: PlanCode {}

extension Change.Action: PlanCode {
    var code: UInt8 {
        switch self {
        case .create: 0
        case .update: 1
        case .delete: 2
        case .forget: 3
        case .replace: 4
        }
    }
}

extension RemovalPolicy: PlanCode {
    var code: UInt8 {
        switch self {
        case .forget: 0
        case .reset: 1
        }
    }
}

/// A value that is an octet in messages, too.
protocol PlanOctet: PlanCodable {
    init(octet: UInt8)
    var octet: UInt8 { get }
}

extension PlanOctet {
    init(from reader: inout PlanReader) throws(DecodeError) { self.init(octet: try reader.read()) }
    func write(to writer: inout PlanWriter) { writer.bytes.write(octet) }
}

extension TransmitParameters: PlanOctet {}
extension PublishPeriod: PlanOctet {}
extension PublishRetransmit: PlanOctet {}

extension Octets16: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        self.init(high: try reader.read(), low: try reader.read())
    }

    func write(to writer: inout PlanWriter) { writer.write(high, low) }
}

extension ModelIdentifier: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        let company = try reader.read(UInt16?.self)
        let model = try reader.read(UInt16.self)
        self = company.map { .vendor(company: $0, model: model) } ?? .sig(model)
    }

    func write(to writer: inout PlanWriter) { writer.write(company, model) }
}

extension ModelAddress: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        self.init(element: try reader.read(), model: try reader.read())
    }

    func write(to writer: inout PlanWriter) { writer.write(element, model) }
}

extension PublishAddress: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .unicast(try reader.read())
        case 1: self = .group(try reader.read())
        case 2: self = .virtual(try reader.read())
        case 3: self = .unknownLabel(try reader.read())
        case let other: throw .prohibited(field: "kind of address", value: UInt64(other))
        }
    }

    func write(to writer: inout PlanWriter) {
        switch self {
        case .unicast(let unicast): writer.write(code: 0, unicast)
        case .group(let group): writer.write(code: 1, group)
        case .virtual(let label): writer.write(code: 2, label)
        case .unknownLabel(let virtual): writer.write(code: 3, virtual)
        }
    }
}

extension SubscriptionAddress: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        switch try reader.read(PublishAddress.self) {
        case .group(let group): self = .group(group)
        case .virtual(let label): self = .virtual(label)
        case .unknownLabel(let virtual): self = .unknownLabel(virtual)
        case .unicast(let unicast): throw .prohibited(field: "group address", value: UInt64(unicast.rawValue))
        }
    }

    func write(to writer: inout PlanWriter) {
        switch self {
        case .group(let group): writer.write(code: 1, group)
        case .virtual(let label): writer.write(code: 2, label)
        case .unknownLabel(let virtual): writer.write(code: 3, virtual)
        }
    }
}

extension FoundationState.Kind: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) { self = try Self(reading: &reader.bytes) }
    func write(to writer: inout PlanWriter) { write(to: &writer.bytes) }
}

/// A state that can be set, in the format of messages.
extension FoundationState: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        let state = try FoundationState(reading: &reader.bytes)
        guard state.set != nil else { throw .prohibited(field: "value of \(state.kind.word)", value: 0) }
        self = state
    }

    func write(to writer: inout PlanWriter) { write(to: &writer.bytes) }
}

/// In the format of messages.
extension BridgingTableEntry: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) { self = try Self(reading: &reader.bytes) }
    func write(to writer: inout PlanWriter) { write(to: &writer.bytes) }
}

/// Two indexes of two octets each, unlike in messages.
extension NetKeyIndexPair: PlanCodable {
    init(from reader: inout PlanReader) throws(DecodeError) {
        self.init(first: try reader.read(), second: try reader.read())
    }

    func write(to writer: inout PlanWriter) { writer.write(first, second) }
}
