package import MeshCore

/// How far back the history goes.
enum HistoryLimits {
    /// How many entries are listed.
    static let entries: UInt64 = 1000
    /// For how many entries the state before is kept.
    static let undoable: UInt64 = 50
    /// How many octets all these states may take together. Those of the last entry may take more.
    static let undoOctets = 32 << 20
    /// How many definition texts are kept, and how many octets they may take together. The last two may take more.
    static let definitions = 20
    static let definitionOctets = 16 << 20
    /// A larger text is not kept, only its digest.
    static let definitionSize = 16 << 20
    /// The most rows of forgotten states that one commit removes.
    static let sweptRows: UInt32 = 64
    /// Rows of former states are filled up to this many octets.
    static let chunkOctets = 8_000
}

/// An entry as it is stored, version 1. Its serial afterwards is the next entry's serial before, so that commits need
/// not rewrite it.
struct EntryRecord: Hashable {
    var number: UInt64
    var serialBefore: UInt64
    var operation: String
    var user: String
    var host: String
    var began: Timestamp
    var definition: DefinitionDigest?
    var plans: [HistoryEntry.AppliedPlan] = []
    /// How many rows of former states it has, and how many octets these had when the last one was begun.
    var chunks: UInt32 = 0
    var undoOctets: UInt64 = 0
    var goal: ReturnGoal?
    var isGoalReached = false

    static let version: UInt8 = 1

    static func name(_ number: UInt64) -> RowName {
        var writer = ByteWriter(capacity: 8)
        writer.write(number)
        return RowName(.historyEntry, key: writer.bytes)
    }

    /// The name of the row with that part of its former states.
    func chunkName(_ ordinal: UInt32) -> RowName {
        var writer = ByteWriter(capacity: 12)
        writer.write(number)
        writer.write(ordinal)
        return RowName(.undo, key: writer.bytes)
    }

    func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: 160)
        writer.write(EntryRecord.version)
        writer.write(number)
        writer.write(serialBefore)
        for text in [operation, user, host] { writer.writeString(text) }
        writer.writeTime(began)
        writer.writeOctets(definition?.octets ?? [])
        writer.writeList(plans) { plan, writer in
            writer.write(plan.run.rawValue)
            writer.writeString(plan.digest ?? "")
        }
        writer.write(chunks)
        writer.write(undoOctets)
        writer.write(goal != nil)
        guard let goal else { return writer.bytes }
        writer.write(goal.encoded())
        writer.write(isGoalReached)
        return writer.bytes
    }
}

extension EntryRecord {
    init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes)
        try reader.expectVersion(EntryRecord.version)
        number = try reader.readUInt64()
        serialBefore = try reader.readUInt64()
        operation = try reader.readString()
        user = try reader.readString()
        host = try reader.readString()
        began = try reader.readTime()
        let digest = try reader.readOctets()
        definition = DefinitionDigest(digest)
        guard definition != nil || digest.isEmpty else { throw .length(digest.count) }
        plans = try reader.readList(size: 9) { (reader: inout ByteReader) throws(DecodeError) in
            let run = RunIdentifier(rawValue: try reader.readUInt64())
            let digest = try reader.readString()
            return HistoryEntry.AppliedPlan(run: run, digest: digest.isEmpty ? nil : digest)
        }
        chunks = try reader.readUInt32()
        undoOctets = try reader.readUInt64()
        if try reader.readFlag() {
            goal = try ReturnGoal(from: &reader)
            isGoalReached = try reader.readFlag()
        }
        try reader.expectEnd()
    }
}

extension ReturnGoal {
    /// Nine octets for the database and for saved plans.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: 9)
        let (kind, number): (UInt8, UInt64) =
            switch self {
            case .definition: (1, 0)
            case .state(let serial): (2, serial)
            case .unconfirmed(let first): (3, first)
            }
        writer.write(kind)
        writer.write(number)
        return writer.bytes
    }

    /// Decodes what ``encoded()`` returns.
    package init(from reader: inout ByteReader) throws(DecodeError) {
        let kind = try reader.readUInt8()
        let number = try reader.readUInt64()
        switch kind {
        case 1: self = .definition
        case 2: self = .state(number)
        case 3: self = .unconfirmed(since: number)
        default: throw .unknownType(UInt64(kind))
        }
    }
}

/// The contents of the history, so that nobody needs to read all rows to find them; version 1.
struct HistoryIndex: Hashable {
    /// A definition whose text is kept.
    struct KeptDefinition: Hashable {
        var digest: DefinitionDigest
        var size: UInt64
        /// The last entry that applied it.
        var entry: UInt64
    }

    var next: UInt64 = 1
    /// The first entry that is listed.
    var first: UInt64 = 1
    /// The first entry whose state before is known.
    var firstUndoable: UInt64 = 1
    /// The first entry that may still have rows of former states. Those before ``firstUndoable`` are being removed.
    var firstUnswept: UInt64 = 1
    /// The definitions; the one applied last is at the end.
    var definitions: [KeptDefinition] = []

    static let version: UInt8 = 1
    static let name = RowName(.historyIndex)

    func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: 64 + definitions.count * 49)
        writer.write(HistoryIndex.version)
        for number in [next, first, firstUndoable, firstUnswept] { writer.write(number) }
        writer.writeList(definitions) { definition, writer in
            writer.writeOctets(definition.digest.octets)
            writer.write(definition.size)
            writer.write(definition.entry)
        }
        return writer.bytes
    }

    init() {}

    init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes)
        try reader.expectVersion(HistoryIndex.version)
        next = try reader.readUInt64()
        first = try reader.readUInt64()
        firstUndoable = try reader.readUInt64()
        firstUnswept = try reader.readUInt64()
        definitions = try reader.readList(size: 49) { (reader: inout ByteReader) throws(DecodeError) in
            let octets = try reader.readOctets()
            guard let digest = DefinitionDigest(octets) else { throw .length(octets.count) }
            return KeptDefinition(digest: digest, size: try reader.readUInt64(), entry: try reader.readUInt64())
        }
        try reader.expectEnd()
        guard first <= next, firstUndoable <= next, firstUnswept <= firstUndoable, next > 0 else {
            throw .prohibited(field: "history", value: next)
        }
    }
}

/// Some rows as they were before an entry changed them, version 1. Nil stands for a row that did not exist.
struct UndoChunk: Hashable {
    var items: [(name: RowName, body: [UInt8]?)] = []
    private(set) var size = 2

    static let version: UInt8 = 1

    static func == (left: UndoChunk, right: UndoChunk) -> Bool { left.encoded() == right.encoded() }
    func hash(into hasher: inout Hasher) { hasher.combine(encoded()) }

    /// Whether one more row with that body would overfill it.
    func isFull(with body: [UInt8]?) -> Bool {
        !items.isEmpty && size + (body?.count ?? 0) + 32 > HistoryLimits.chunkOctets
    }

    mutating func append(_ name: RowName, _ body: [UInt8]?) {
        items.append((name, body))
        size += name.key.count + (body?.count ?? 0) + 8
    }

    func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: size)
        writer.write(UndoChunk.version)
        writer.writeList(items) { item, writer in
            writer.write(item.name.kind.rawValue)
            writer.writeOctets(item.name.key)
            writer.write(item.body != nil)
            if let body = item.body { writer.writeOctets(body) }
        }
        return writer.bytes
    }

    init() {}

    init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes)
        try reader.expectVersion(UndoChunk.version)
        let decoded = try reader.readList(size: 3) { (reader: inout ByteReader) throws(DecodeError) in
            let number = try reader.readUInt8()
            guard let kind = RowKind(rawValue: number), kind.isState else {
                throw .prohibited(field: "kind of row", value: UInt64(number))
            }
            let key = try reader.readOctets()
            let body = try reader.readFlag() ? try reader.readOctets() : nil
            return (name: RowName(kind, key: key), body: body)
        }
        try reader.expectEnd()
        for item in decoded { append(item.name, item.body) }
    }
}

extension RowKind {
    /// Whether rows of this kind belong to the states that the serial counts.
    var isState: Bool {
        switch self {
        case .network, .node, .extras, .pendingProvisioning, .retiredNode, .pendingReprovision, .drift, .capacities,
            .listSharings:
            true
        // Replay entries and sequence numbers never go back. The rest is no state of the network.
        default: false
        }
    }
}

extension DefinitionText {
    static let version: UInt8 = 1

    static func name(_ digest: DefinitionDigest) -> RowName { RowName(.definition, key: digest.octets) }

    /// The encoding of the files in the database and in saved plans.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: size)
        writer.write(DefinitionText.version)
        writer.writeList(files) { file, writer in
            writer.writeString(file.path)
            writer.writeOctets(file.bytes)
        }
        return writer.bytes
    }

    /// Decodes what ``encoded()`` returns.
    package init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes)
        try reader.expectVersion(DefinitionText.version)
        files = try reader.readList(size: 2) { (reader: inout ByteReader) throws(DecodeError) in
            File(path: try reader.readString(), bytes: try reader.readOctets())
        }
        try reader.expectEnd()
    }
}

extension PendingConfirmation {
    static let version: UInt8 = 1
    static let name = RowName(.confirmation)

    func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: 64)
        writer.write(PendingConfirmation.version)
        writer.write(deadline)
        writer.write(serial)
        writer.write(entry)
        writer.writeString(user)
        writer.writeString(host)
        writer.write(UInt32(bitPattern: process))
        writer.writeTime(began)
        writer.write(decision?.rawValue ?? 0)
        return writer.bytes
    }

    init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes)
        try reader.expectVersion(PendingConfirmation.version)
        deadline = try reader.readTimestamp()
        serial = try reader.readUInt64()
        entry = try reader.readUInt64()
        user = try reader.readString()
        host = try reader.readString()
        process = Int32(bitPattern: try reader.readUInt32())
        began = try reader.readTime()
        let number = try reader.readUInt8()
        decision = Decision(rawValue: number)
        guard decision != nil || number == 0 else { throw .prohibited(field: "decision", value: UInt64(number)) }
        try reader.expectEnd()
    }
}
