import MeshCore
import SystemLayer

/// Reads configuration databases in JSON (Mesh Configuration Database Profile 1.0 and 1.0.1). It accepts the deviations
/// of older programs and reports each of them. What it cannot understand it refuses, by name and place.
package struct CDBImport {
    /// What was collected so far.
    var extras = CDBExtras()
    var repairs: [CDBDocument.Repair] = []
    var refusals: [CDBRefusal] = []
    private var furtherRepairs = 0
    private var furtherRefusals = 0
    private static let mostRepairs = 10_000
    private static let mostRefusals = 1_000
    /// Remarks on single objects. Those on the whole network follow at the end.
    var remarks: [CDBDocument.Remark] = []
    /// What the whole document tells about its writer.
    let survey: CDBSurvey
    /// Whether the document says that it is a part of a network. Such a part may lack device keys.
    var isPartial = false
    /// Where the first node with each UUID stands, to recognise nodes that repeat a UUID.
    var nodePointers: [DeviceUUID: String] = [:]
    /// The keys of the network, for nodes that do not list theirs.
    var netKeys: [NetKeyIndex] = []
    var appKeys: [AppKeyIndex: NetKeyIndex] = [:]

    /// Whether short intervals of network transmissions are steps, as the owner of the document says; nil if nobody
    /// says so.
    let intervalsAreSteps: Bool?

    private init(_ survey: CDBSurvey, intervalsAreSteps: Bool?) {
        self.survey = survey
        self.intervalsAreSteps = intervalsAreSteps
    }

    /// Reads a document.
    ///
    /// - Throws: ``StoreError/Code/invalidDocument``: with line and column if it is not JSON, with a JSON pointer if a
    ///   value has the wrong type or range, contradicts another, or can be read in two ways.
    package static func read(_ bytes: [UInt8]) throws(StoreError) -> CDBDocument {
        try inspect(bytes).accepted()
    }

    /// Reads a document and reports everything that departs from the format or cannot be understood.
    ///
    /// - Parameter intervalsAreSteps: what intervals of network transmissions are that could be steps of 10 ms as well
    ///   as milliseconds; nil to conclude it from the document, which refuses those that it leaves open.
    /// - Throws: ``StoreError/Code/invalidDocument`` with line and column if it is not JSON.
    package static func inspect(
        _ bytes: [UInt8],
        intervalsAreSteps: Bool? = nil
    ) throws(StoreError) -> CDBInspection {
        let value: JSONValue
        do throws(JSONError) { value = try JSONParser.parse(bytes) } catch { throw StoreError(error) }
        var object: CDBObject
        do {
            object = try CDBObject(value, at: "")
            if let file = try BlueZFile(value) { return inspect(file) }
        } catch {
            return CDBInspection(dialect: .version100, marks: [], repairs: [], refusals: [error])
        }
        let wrapper = wrapper(of: object)
        let inner = wrapper.flatMap { object.take($0) }
        let root = wrapper.map { "/\($0)" } ?? ""
        var reader = CDBImport(
            CDBSurvey(inner ?? value, at: root, isWrapped: inner != nil),
            intervalsAreSteps: intervalsAreSteps
        )
        if let inner {
            reader.repair(root, "the whole database is wrapped in an object; taken out of it")
            reader.extras.keep(object.rest, at: "wrapper")
            object = reader.attempt(or: object) { _ throws(CDBRefusal) in try CDBObject(inner, at: root) }
        }
        return reader.inspection(of: &object, at: root)
    }

    /// Reads what a program of BlueZ keeps for itself.
    private static func inspect(_ file: BlueZFile) -> CDBInspection {
        var reader = CDBImport(CDBSurvey(of: file), intervalsAreSteps: nil)
        reader.repairs = file.repairs
        let read = reader.attempt(or: nil) { _ throws(CDBRefusal) in try CDBObject(file.document, at: "") }
        guard var object = read else {
            return CDBInspection(dialect: file.dialect, marks: [], repairs: [], refusals: reader.refusals)
        }
        var inspection = reader.inspection(of: &object, at: "")
        inspection.document?.network.ivIndex = file.ivIndex
        inspection.relocate(file.pointer)
        return inspection
    }

    private mutating func inspection(of object: inout CDBObject, at root: String) -> CDBInspection {
        let network = attempt(or: nil) { reader throws(CDBRefusal) in try reader.network(&object) }
        let document = network.map {
            CDBDocument(
                network: $0,
                dialect: survey.dialect,
                extras: extras,
                repairs: repairs,
                furtherRepairs: furtherRepairs,
                remarks: refusals.isEmpty ? remarks(on: $0, at: root) : [],
                isPartial: isPartial,
                root: root
            )
        }
        return CDBInspection(
            dialect: survey.dialect,
            marks: survey.marks,
            repairs: repairs,
            furtherRepairs: furtherRepairs,
            refusals: refusals,
            furtherRefusals: furtherRefusals,
            document: refusals.isEmpty ? document : nil
        )
    }

    /// The name of the member that holds the whole database; nil if the document itself is the database.
    private static func wrapper(of object: CDBObject) -> String? {
        if object.has("meshUUID") { return nil }
        if object.has("meshNetwork") { return "meshNetwork" }
        let names = object.rest.filter { member in
            guard case .object(let inner) = member.value else { return false }
            return inner.contains { $0.name == "meshUUID" }
        }
        return names.count == 1 ? names.first?.name : nil
    }

    /// Notes a departure from the format that was understood.
    mutating func repair(_ pointer: String, _ reason: String, isImportant: Bool = false) {
        // Of the important ones there is one for a node at most.
        guard isImportant || repairs.count < Self.mostRepairs else {
            furtherRepairs += 1
            return
        }
        repairs.append(CDBDocument.Repair(pointer: pointer, reason: reason, isImportant: isImportant))
    }

    /// Notes that a member is missing and what is assumed instead.
    mutating func missing(_ name: String, in object: inout CDBObject, _ taken: String) {
        object.forgetNull(name)
        repair(object.pointer(to: name), "missing; \(taken)")
    }

    /// Keeps the members of an object that nothing has taken.
    mutating func keep(_ object: CDBObject, at path: String) {
        for name in object.nulls { repair(object.pointer(to: name), "null; taken as missing") }
        extras.keep(object.rest, at: path)
    }

    /// The value that `read` returns. If it refuses, the substitute, so that the rest of the document is still read.
    mutating func attempt<Value>(
        or substitute: Value,
        _ read: (inout CDBImport) throws(CDBRefusal) -> Value
    ) -> Value {
        do {
            return try read(&self)
        } catch {
            if refusals.count < Self.mostRefusals { refusals.append(error) } else { furtherRefusals += 1 }
            return substitute
        }
    }

    /// Reads every item of a list as an object. The members that `read` does not take are kept under the path that it
    /// sets. A refused object is left out.
    mutating func objects<Item>(
        _ items: [JSONValue],
        at pointer: String,
        _ read: (inout CDBImport, inout CDBObject) throws(CDBRefusal) -> Item
    ) -> [Item] {
        var result: [Item] = []
        result.reserveCapacity(items.count)
        for (index, item) in items.enumerated() {
            let value: Item? = attempt(or: nil) { reader throws(CDBRefusal) in
                var object = try CDBObject(item, at: "\(pointer)/\(index)")
                let value = try read(&reader, &object)
                reader.keep(object, at: object.path)
                return value
            }
            if let value { result.append(value) }
        }
        return result
    }

    /// A list that the format requires; empty if it is missing.
    mutating func list(_ name: String, in object: inout CDBObject) throws(CDBRefusal) -> [JSONValue] {
        let isMissing = !object.has(name)
        let items = try object.list(name)
        if isMissing { missing(name, in: &object, "taken as empty") }
        return items
    }

    private mutating func network(_ object: inout CDBObject) throws(CDBRefusal) -> MeshNetwork? {
        // Peek, do not take: what the network does not model goes out again as it came.
        var peeked = object
        isPartial = attempt(or: false) { _ throws(CDBRefusal) in try peeked.bool("partial") ?? false }
        let uuid = attempt(or: nil) { reader throws(CDBRefusal) in try reader.uuid("meshUUID", in: &object) }
        if !object.has("partial") { missing("partial", in: &object, "taken as false") }
        let name = attempt(or: "") { _ throws(CDBRefusal) in
            try object.required("meshName", try object.text("meshName"))
        }
        date("timestamp", in: &object)
        let netKeys = attempt(or: []) { reader throws(CDBRefusal) in try reader.netKeys(&object) }
        self.netKeys = netKeys.map(\.index)
        let appKeys = attempt(or: []) { reader throws(CDBRefusal) in try reader.appKeys(&object, netKeys: netKeys) }
        self.appKeys = Dictionary(appKeys.map { ($0.index, $0.boundNetKey) }, uniquingKeysWith: { first, _ in first })
        let provisioners = attempt(or: []) { reader throws(CDBRefusal) in try reader.provisioners(&object) }
        let groups = attempt(or: []) { reader throws(CDBRefusal) in try reader.groups(&object) }
        let scenes = attempt(or: []) { reader throws(CDBRefusal) in try reader.scenes(&object) }
        let exclusions = attempt(or: []) { reader throws(CDBRefusal) in try reader.exclusions(&object) }
        let nodes = attempt(or: []) { reader throws(CDBRefusal) in try reader.nodes(&object) }
        let names = CDBNames(takingFrom: &object)
        keep(object, at: "")
        guard let uuid else { return nil }
        var network = MeshNetwork(
            uuid: uuid.rawValue,
            name: name,
            ivIndex: IVIndex(value: 0),
            netKeys: netKeys,
            appKeys: appKeys,
            groups: groups,
            provisioners: provisioners,
            // No provisioner has the UUID of the network, and nobody acts as this one until another one joins.
            ownProvisioner: provisioners.first?.uuid ?? uuid,
            scenes: scenes,
            exclusions: exclusions,
            nodes: nodes
        )
        names.apply(to: &network)
        return network
    }

    /// A UUID with hyphens, or without, which older programs write.
    mutating func uuid(_ name: String, in object: inout CDBObject) throws(CDBRefusal) -> DeviceUUID {
        let text = try object.required(name, try object.text(name))
        guard let uuid = DeviceUUID(text) else {
            throw object.invalid(name, "a UUID is expected, not \(CDBObject.shown(text))")
        }
        if !text.contains("-") { repair(object.pointer(to: name), "a UUID without hyphens") }
        return uuid
    }

    /// `secure` or `insecure`; older programs write `high` or `low`.
    mutating func isSecure(_ name: String, in object: inout CDBObject) throws(CDBRefusal) -> Bool {
        switch try object.text(name) {
        case "secure": return true
        case "insecure": return false
        case "high":
            repair(object.pointer(to: name), "\"high\" taken as \"secure\"")
            return true
        case "low":
            repair(object.pointer(to: name), "\"low\" taken as \"insecure\"")
            return false
        case nil:
            missing(name, in: &object, "taken as \"insecure\"")
            return false
        case let other?:
            throw object.invalid(name, "\"secure\" or \"insecure\" is expected, not \(CDBObject.shown(other))")
        }
    }
}

/// Times. They are kept for other programs only, in a form that these can read.
extension CDBImport {
    /// Brings a time that stays with the object into the form of RFC 3339, or removes it if it says nothing.
    mutating func date(_ name: String, in object: inout CDBObject) {
        guard let value = object.peek(name) else { return }
        let pointer = object.pointer(to: name)
        guard case .string(let text) = value else {
            object.replace(name, with: nil)
            repair(pointer, "\(value.kind) where a time is expected; left out")
            return
        }
        guard let mended = CDBImport.mended(text) else {
            object.replace(name, with: nil)
            repair(pointer, "no time of RFC 3339; left out")
            return
        }
        if mended.hasPrefix("0001-") {
            object.replace(name, with: nil)
            repair(pointer, "the year 1 stands for a time that was not understood; left out")
        } else if mended != text {
            object.replace(name, with: .string(mended))
            repair(pointer, "\(CDBObject.shown(text)) taken as \(mended)")
        }
    }

    /// The time with a T in its middle and a colon in its offset. Nil if the text is no time, or has no offset.
    private static func mended(_ text: String) -> String? {
        // A time with nanoseconds and an offset has 35 characters.
        guard text.utf8.count <= 40 else { return nil }
        if Timestamp.isRFC3339(text) { return text }
        var text = text
        if let match = text.firstMatch(of: #/^\d{4}-\d\d-\d\d /#) {
            text.replaceSubrange(match.range, with: match.output.dropLast() + "T")
        }
        if let match = text.firstMatch(of: #/[+-]\d{4}$/#), text.contains("T") {
            text.insert(":", at: text.index(match.range.upperBound, offsetBy: -2))
        }
        return Timestamp.isRFC3339(text) ? text : nil
    }
}

/// Heartbeat publication and subscription. The format has no count for the publication and no period for the
/// subscription.
extension CDBImport {
    mutating func heartbeatPublication(
        _ object: inout CDBObject,
        _ path: String,
        _ netKeys: [NodeKey<NetKeyIndex>]
    ) throws(CDBRefusal) -> HeartbeatPublication? {
        guard let value = object.take("heartbeatPub") else { return nil }
        var inner = try CDBObject(value, at: object.pointer(to: "heartbeatPub"))
        let address = Address(rawValue: try inner.required("address", try hexadecimal16("address", in: &inner)))
        guard address.kind != .virtual else { throw inner.invalid("address", "a virtual address is not possible here") }
        let period = try inner.integer("period", in: 0...65_536) ?? 0
        guard let periodLog = HeartbeatPeriodLog(seconds: UInt32(min(period, 65_535))) else {
            throw inner.invalid("period", "a power of two or 65535 is expected, not \(period)")
        }
        if period == 65_536 { repair(inner.pointer(to: "period"), "65536 taken as 65535, the longest there is") }
        let index: NetKeyIndex = try keyIndex("index", in: &inner)
        guard address == .unassigned || !refusals.isEmpty || netKeys.contains(where: { $0.index == index }) else {
            throw inner.invalid("index", "the node does not have network key \(index)")
        }
        let publication = HeartbeatPublication(
            destination: address,
            countLog: nil,
            periodLog: periodLog,
            ttl: UInt8(truncatingIfNeeded: try inner.integer("ttl", in: 0...127) ?? 0),
            features: try featureSet("features", in: &inner),
            netKeyIndex: index
        )
        keep(inner, at: "\(path)/heartbeatPub")
        return publication
    }

    private func featureSet(_ name: String, in object: inout CDBObject) throws(CDBRefusal) -> FeatureSet {
        var features: FeatureSet = []
        for (index, value) in try object.list(name).enumerated() {
            guard case .string(let text) = value, let feature = CDBExport.features.first(where: { $0.0 == text }) else {
                throw CDBObject.invalid(
                    "\(object.pointer(to: name))/\(index)",
                    "\"relay\", \"proxy\", \"friend\" or \"lowPower\" is expected"
                )
            }
            features.insert(feature.1)
        }
        return features
    }

    mutating func heartbeatSubscription(
        _ object: inout CDBObject,
        _ path: String
    ) throws(CDBRefusal) -> HeartbeatSubscription? {
        guard var value = object.take("heartbeatSub") else { return nil }
        let pointer = object.pointer(to: "heartbeatSub")
        if case .array(let items) = value {
            guard items.count <= 1 else {
                throw CDBObject.invalid(pointer, "\(items.count) subscriptions, of which a node can have one")
            }
            repair(pointer, items.isEmpty ? "an empty list; taken as none" : "a list; taken as what is in it")
            guard let first = items.first else { return nil }
            value = first
        }
        var inner = try CDBObject(value, at: pointer)
        let source = Address(rawValue: try inner.required("source", try hexadecimal16("source", in: &inner)))
        let destination = Address(
            rawValue: try inner.required("destination", try hexadecimal16("destination", in: &inner))
        )
        guard source.kind == .unicast || source == .unassigned else {
            throw inner.invalid("source", "a unicast address is expected, not \(source.rawValue.hexadecimal)")
        }
        guard destination.kind != .virtual else {
            throw inner.invalid("destination", "a virtual address is not possible here")
        }
        keep(inner, at: "\(path)/heartbeatSub")
        return HeartbeatSubscription(
            source: UnicastAddress(rawValue: source.rawValue),
            destination: destination,
            periodLog: nil
        )
    }
}

/// The keys of nodes. Some exporters leave them out.
extension CDBImport {
    /// Reads the keys of a node after its elements; keys that the document leaves out are concluded from what the node
    /// uses.
    mutating func readKeys(of node: inout Node, _ object: inout CDBObject, _ path: String) throws(CDBRefusal) {
        let bound = Set(node.elements.flatMap(\.models).flatMap(\.bindings)).filter { appKeys[$0] != nil }.sorted()
        if object.has("appKeys") {
            node.appKeys = try nodeKeys("appKeys", &object, path)
        } else {
            node.appKeys = bound.map { NodeKey(index: $0, isUpdated: false) }
            _ = object.take("appKeys")
            missing("appKeys", in: &object, bound.isEmpty ? "taken as empty" : "taken as those its models are bound to")
        }
        guard !object.has("netKeys") else {
            node.netKeys = try nodeKeys("netKeys", &object, path)
            return
        }
        _ = object.take("netKeys")
        let needed = Set(node.appKeys.compactMap { appKeys[$0.index] }).sorted()
        if !needed.isEmpty {
            node.netKeys = needed.map { NodeKey(index: $0, isUpdated: false) }
            missing("netKeys", in: &object, "taken as those of its application keys")
        } else if let only = netKeys.first, netKeys.count == 1 {
            node.netKeys = [NodeKey(index: only, isUpdated: false)]
            missing("netKeys", in: &object, "taken as the only one there is")
        } else if refusals.isEmpty {
            let choice = netKeys.prefix(4).map(\.description).joined(separator: ", ")
            throw object.invalid("netKeys", "missing, and it may be any of \(choice)\(netKeys.count > 4 ? ", …" : "")")
        }
    }

    private mutating func nodeKeys<Index: KeyIndex>(
        _ name: String,
        _ object: inout CDBObject,
        _ path: String
    ) throws(CDBRefusal) -> [NodeKey<Index>] {
        let pointer = object.pointer(to: name)
        let items = try object.list(name)
        if case .number? = items.first {
            // PyACI lists the indexes alone.
            repair(pointer, "numbers; taken as indexes of keys")
            var indexes: [Index] = []
            for (position, item) in items.enumerated() {
                let number = try CDBObject.integer(item, in: 0...4095, at: "\(pointer)/\(position)")
                if let index = Index(rawValue: UInt16(truncatingIfNeeded: number)) { indexes.append(index) }
            }
            return Set(indexes).sorted().map { NodeKey(index: $0, isUpdated: false) }
        }
        let keys: [NodeKey<Index>] = objects(items, at: pointer) { reader, object throws(CDBRefusal) in
            let index: Index = try reader.keyIndex("index", in: &object)
            object.path = "\(path)/\(name)/\(index)"
            return NodeKey(index: index, isUpdated: try object.bool("updated") ?? false)
        }
        try refuseDuplicates(keys.map(\.index), at: pointer, "index")
        return keys.sorted { $0.index < $1.index }
    }
}

/// Values of publications that some exporters write in their own ways.
extension CDBImport {
    /// The unit of a publish period. Older exports from Android multiply it by the steps. BlueZ writes 10000 for one
    /// second and 10 for ten.
    mutating func resolution(
        _ number: Int,
        steps: Int,
        _ object: CDBObject
    ) throws(CDBRefusal) -> PublishPeriod.Resolution {
        let pointer = object.pointer(to: "resolution")
        let plain = PublishPeriod.Resolution.allCases.first { $0.milliseconds == number }
        if steps == 0 {
            if plain == nil { repair(pointer, "\(number) means nothing without steps; taken as 100") }
            return plain ?? .hundredMilliseconds
        }
        let product = PublishPeriod.Resolution.allCases.first { $0.milliseconds * steps == number && steps > 1 }
        let swapped: PublishPeriod.Resolution? = [10_000: .seconds, 10: .tenSeconds][number]
        var readings: [PublishPeriod.Resolution] = []
        switch survey.isWritten(by: [.bluez]) {
        case true?: readings = [swapped ?? plain].compactMap { $0 }
        case nil: readings = [plain, swapped].compactMap { $0 }
        case false?: readings = [plain].compactMap { $0 }
        }
        let isMultiplied = survey.hasMultipliedResolutions && !survey.hasPlainResolutions
        let isPlain = survey.hasPlainResolutions && !survey.hasMultipliedResolutions
        switch survey.isWritten(by: [.olderAndroid]) {
        case true? where isMultiplied && product != nil: readings = [product].compactMap { $0 }
        case true? where isPlain: break
        case false? where !readings.isEmpty: break
        default: readings += [product].compactMap { $0 }
        }
        guard let first = readings.first else {
            throw CDBObject.invalid(pointer, "100, 1000, 10000 or 600000 is expected, not \(number)")
        }
        if let other = readings.first(where: { $0 != first }) {
            throw CDBObject.invalid(
                pointer,
                "\(number) means either \(first.milliseconds) or \(other.milliseconds) ms; nothing else in the file decides it"
            )
        }
        if first != plain { repair(pointer, "\(number) taken as \(first.milliseconds)") }
        return first
    }

    /// The key that a model publishes with. BlueZ writes only the lower 10 of its 12 bits; the model's bindings tell
    /// the rest.
    mutating func publishKey(_ object: inout CDBObject, _ bindings: [AppKeyIndex]) throws(CDBRefusal) -> AppKeyIndex {
        let index: AppKeyIndex = try keyIndex("index", in: &object)
        let isMasked = survey.isWritten(by: [.bluez])
        guard isMasked != false, index.rawValue <= 0x3FF else { return index }
        let bound = bindings.filter { $0.rawValue & 0x3FF == index.rawValue }
        let known = appKeys.keys.filter { $0.rawValue & 0x3FF == index.rawValue }.sorted()
        let candidates = bound.isEmpty ? known : bound
        guard let first = candidates.first, candidates != [index] else { return index }
        guard isMasked == true, candidates.count == 1 else {
            let other = candidates.first { $0 != index } ?? first
            let one = candidates.count == 1 ? index : candidates.first { $0 != other } ?? index
            throw object.invalid("index", "\(index) is either application key \(one) or, cut off, \(other)")
        }
        repair(
            object.pointer(to: "index"),
            "\(index) taken as application key \(first), of which it is the lower 10 bits"
        )
        return first
    }
}

/// What the owner of a document should know although the document keeps to the format.
extension CDBImport {
    /// All remarks, once the whole network was read.
    ///
    /// - Parameter root: the JSON pointer of the object that holds the network.
    func remarks(on network: MeshNetwork, at root: String) -> [CDBDocument.Remark] {
        let nodes = Set(network.nodes.map(\.uuid))
        let absent = network.provisioners.enumerated().filter { !nodes.contains($0.element.uuid) }
        let provisioners = absent.map { index, provisioner in
            CDBDocument.Remark(
                pointer: "\(root)/provisioners/\(index)",
                text:
                    "no node has the UUID of \(provisioner.name), so nobody knows which address that program sends from; "
                    + "meshplan's provisioner avoids its ranges and 0001, which such programs often use"
            )
        }
        return provisioners + remarks + doubtfulKeys(in: network, at: root)
            + (isPartial ? [] : network.nodes.flatMap(missingKeys))
    }

    /// Keys that cannot be right: faulty programs write zeros or ones where they do not have a key, and no two nodes
    /// have the same device key.
    private func doubtfulKeys(in network: MeshNetwork, at root: String) -> [CDBDocument.Remark] {
        var found: [CDBDocument.Remark] = []
        let shared =
            network.netKeys.map { ($0.key, "network key \($0.index)", "netKeys") }
            + network.appKeys.map { ($0.key, "application key \($0.index)", "appKeys") }
        for (key, name, list) in shared where key.isFiller {
            found.append(
                .init(
                    pointer: "\(root)/\(list)",
                    text: "\(name) is all zeros or all ones, as faulty programs write for a key that they do not have"
                )
            )
        }
        var holders: [KeyMaterial: String] = [:]
        for node in network.nodes {
            guard let key = node.deviceKey, let pointer = nodePointers[node.uuid] else { continue }
            let first = holders.updateValue(pointer, forKey: key)
            let reason: String
            if key.isFiller {
                reason =
                    "all zeros or all ones, as faulty programs write for a key that they do not have; "
                    + "the node will not answer"
            } else if let first {
                reason =
                    "the same as that of \(first), but no two nodes share one; at least one of them will not answer"
            } else {
                continue
            }
            found.append(.init(pointer: "\(pointer)/deviceKey", text: reason))
        }
        return found
    }

    /// The keys that a node has or uses but that the document lacks.
    private func missingKeys(of node: Node) -> [CDBDocument.Remark] {
        let pointer = nodePointers[node.uuid] ?? ""
        let known = Set(netKeys)
        var found: [CDBDocument.Remark] = []
        for key in node.netKeys where !known.contains(key.index) {
            found.append(.init(pointer: "\(pointer)/netKeys", text: "there is no network key \(key.index) in the file"))
        }
        for key in node.appKeys where appKeys[key.index] == nil {
            found.append(
                .init(pointer: "\(pointer)/appKeys", text: "there is no application key \(key.index) in the file")
            )
        }
        for (index, element) in node.elements.enumerated() {
            for model in element.models {
                let name = "model \(CDBExport.text(model.identifier)) of element \(index)"
                for key in model.bindings where appKeys[key] == nil {
                    found.append(
                        .init(
                            pointer: pointer,
                            text: "\(name) is bound to application key \(key), which is not in the file"
                        )
                    )
                }
                guard let key = model.publication?.appKeyIndex, appKeys[key] == nil else { continue }
                found.append(
                    .init(
                        pointer: pointer,
                        text: "\(name) publishes with application key \(key), which is not in the file"
                    )
                )
            }
        }
        return found
    }
}

/// Repetitions of network messages. The format has 1 to 8 transmissions and milliseconds. Some programs count from 0,
/// write steps instead of milliseconds, or write 0 for unknown.
extension CDBImport {
    mutating func transmit(
        _ name: String,
        _ object: inout CDBObject,
        _ path: String
    ) throws(CDBRefusal) -> TransmitParameters? {
        guard let value = object.take(name) else { return nil }
        var inner = try CDBObject(value, at: object.pointer(to: name))
        let count = try inner.required("count", try inner.integer("count", in: 0...8))
        let interval = try inner.required("interval", try inner.integer("interval", in: 0...320))
        let countsFromZero = survey.isWritten(by: CDBDialect.countingFromZero)
        guard interval > 0, count > 0 || countsFromZero != false else {
            repair(inner.pointer, "count \(count), interval \(interval); taken as unknown")
            return nil
        }
        let steps = try transmitSteps(interval, inner)
        let retransmissions = try retransmissions(count, countsFromZero, inner)
        keep(inner, at: "\(path)/\(name)")
        return TransmitParameters(
            count: UInt8(truncatingIfNeeded: retransmissions),
            steps: UInt8(truncatingIfNeeded: steps)
        )
    }

    /// The field of the message: one less than the transmissions.
    private mutating func retransmissions(
        _ count: Int,
        _ countsFromZero: Bool?,
        _ object: CDBObject
    ) throws(CDBRefusal) -> Int {
        switch countsFromZero {
        case false?: return count - 1
        case true?:
            guard count <= 7 else {
                throw object.invalid("count", "\(survey.dialect.title) counts from 0 to 7, so \(count) means nothing")
            }
            let transmissions = CDBImport.counted(count + 1)
            repair(object.pointer(to: "count"), "\(survey.dialect.title) counts from 0; taken as \(transmissions)")
            return count
        case nil:
            guard count > 0 else { return 0 }
            throw object.invalid("count", "\(count) is either \(CDBImport.counted(count)) or one more")
        }
    }

    private static func counted(_ count: Int) -> String { "\(count) transmission\(count == 1 ? "" : "s")" }

    /// Steps of 10 ms, less one. A number that is no multiple of 10 means steps. A multiple of 10 may mean steps, too,
    /// if others in the document do.
    private mutating func transmitSteps(_ interval: Int, _ object: CDBObject) throws(CDBRefusal) -> Int {
        let pointer = object.pointer(to: "interval")
        let reading = "\(interval) taken as steps, that is \((interval + 1) * 10) ms"
        guard interval % 10 == 0 else {
            guard interval < 32 else {
                throw CDBObject.invalid(pointer, "a multiple of 10 from 10 to 320 is expected, not \(interval)")
            }
            repair(pointer, reading)
            return interval
        }
        if let intervalsAreSteps {
            guard interval < 32, intervalsAreSteps else { return interval / 10 - 1 }
            repair(pointer, reading)
            return interval
        }
        let isOlderAndroid = survey.isWritten(by: [.olderAndroid])
        guard interval < 32, survey.hasStepIntervals || isOlderAndroid != false && !survey.hasMillisecondIntervals
        else {
            return interval / 10 - 1
        }
        guard isOlderAndroid == true, survey.hasStepIntervals, !survey.hasMillisecondIntervals else {
            throw CDBRefusal(
                pointer: pointer,
                reason: "\(interval) is either \(interval) ms or, in steps, \((interval + 1) * 10) ms",
                question: .intervalUnit
            )
        }
        repair(pointer, reading)
        return interval
    }
}
