internal import MeshCore

/// Elements and models.
extension CDBImport {
    mutating func elements(_ object: inout CDBObject, _ path: String) throws(StoreError) -> [Element] {
        let pointer = object.pointer(to: "elements")
        let items = try object.list("elements")
        let indexed: [(index: Int, element: Element)] = try objects(items, at: pointer) {
            reader,
            object throws(StoreError) in
            let index = try object.required("index", try object.integer("index", in: 0...255))
            object.path = "\(path)/elements/\(index)"
            let name = try object.text("name")
            var location = try object.hexadecimal16("location")
            if location == nil {
                reader.repair(object.pointer(to: "location"), "missing; taken as 0000")
                location = 0
            }
            let models = try reader.models(&object, "\(path)/elements/\(index)")
            return (index, Element(name: name, location: location ?? 0, models: models))
        }
        try refuseDuplicates(indexed.map(\.index), at: pointer, "index")
        let sorted = indexed.sorted { $0.index < $1.index }
        if let gap = sorted.indices.first(where: { sorted[$0].index != $0 }) {
            throw CDBObject.invalid(pointer, "there is an element \(sorted[gap].index) but no element \(gap)")
        }
        if sorted.map(\.index) != indexed.map(\.index) { repair(pointer, "not in the order of their indexes; sorted") }
        return sorted.map(\.element)
    }

    /// Models, each once: some exporters list a model twice, with its bindings spread over both.
    private mutating func models(_ object: inout CDBObject, _ path: String) throws(StoreError) -> [Model] {
        let pointer = object.pointer(to: "models")
        let items = try object.list("models")
        let all = try objects(items, at: pointer) { reader, object throws(StoreError) in
            try reader.model(&object, path)
        }
        var models: [Model] = []
        var positions: [ModelIdentifier: Int] = [:]
        for (index, model) in all.enumerated() {
            guard let position = positions[model.identifier] else {
                positions[model.identifier] = models.count
                models.append(model)
                continue
            }
            models[position].bindings = Set(models[position].bindings + model.bindings).sorted()
            models[position].subscriptions = Set(models[position].subscriptions + model.subscriptions).sorted()
            models[position].publication = models[position].publication ?? model.publication
            repair("\(pointer)/\(index)", "model \(CDBExport.text(model.identifier)) is there twice; merged")
        }
        return models
    }

    /// The path of extras of a model.
    static func path(of identifier: ModelIdentifier, in path: String) -> String {
        "\(path)/models/\(CDBExport.text(identifier))"
    }

    private mutating func model(_ object: inout CDBObject, _ path: String) throws(StoreError) -> Model {
        let text = try object.required("modelId", try object.text("modelId"))
        guard let bytes = Hexadecimal.decode(text), bytes.count == 2 || bytes.count == 4 else {
            throw object.invalid("modelId", "4 or 8 hexadecimal digits are expected, not \(CDBObject.shown(text))")
        }
        let last = UInt16(bytes[bytes.count - 2]) << 8 | UInt16(bytes[bytes.count - 1])
        let identifier: ModelIdentifier =
            bytes.count == 2 ? .sig(last) : .vendor(company: UInt16(bytes[0]) << 8 | UInt16(bytes[1]), model: last)
        object.path = CDBImport.path(of: identifier, in: path)
        return Model(
            identifier: identifier,
            bindings: try bindings(&object),
            subscriptions: try subscriptions(&object),
            publication: try publication(&object, object.path)
        )
    }

    private mutating func bindings(_ object: inout CDBObject) throws(StoreError) -> [AppKeyIndex] {
        let pointer = object.pointer(to: "bind")
        var bindings: [AppKeyIndex] = []
        for (index, value) in try object.list("bind").enumerated() {
            let number = try CDBObject.integer(value, in: 0...4095, at: "\(pointer)/\(index)")
            if let index = AppKeyIndex(rawValue: UInt16(truncatingIfNeeded: number)) { bindings.append(index) }
        }
        return unique(bindings, at: pointer)
    }

    private mutating func subscriptions(_ object: inout CDBObject) throws(StoreError) -> [SubscriptionAddress] {
        let pointer = object.pointer(to: "subscribe")
        var subscriptions: [SubscriptionAddress] = []
        for (index, value) in try object.list("subscribe").enumerated() {
            let address = try groupAddress(value, at: "\(pointer)/\(index)")
            if address == .group(.allNodes) {
                repair("\(pointer)/\(index)", "every element listens to FFFF without a subscription; left out")
            } else {
                subscriptions.append(address)
            }
        }
        return unique(subscriptions, at: pointer)
    }

    /// A sorted list without repetitions.
    private mutating func unique<Item: Hashable & Comparable>(_ items: [Item], at pointer: String) -> [Item] {
        let unique = Set(items).sorted()
        if unique.count != items.count { repair(pointer, "values are there twice; left out") }
        return unique
    }
}
