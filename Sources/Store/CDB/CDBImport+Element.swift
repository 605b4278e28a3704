import MeshCore
import SystemLayer

/// Elements and models.
extension CDBImport {
    mutating func elements(
        _ object: inout CDBObject,
        _ path: String,
        of node: UnicastAddress
    ) throws(CDBRefusal) -> [Element] {
        let pointer = object.pointer(to: "elements")
        let items = try list("elements", in: &object)
        let indexed: [(index: Int, element: Element)] = objects(items, at: pointer) {
            reader,
            object throws(CDBRefusal) in
            let index = try object.required("index", try object.integer("index", in: 0...255))
            object.path = "\(path)/elements/\(index)"
            let name = try object.text("name")
            let location = try reader.location(&object, at: Int(node.rawValue) + index)
            let models = try reader.models(&object, "\(path)/elements/\(index)")
            return (index, Element(name: name, location: location, models: models))
        }
        try refuseDuplicates(indexed.map(\.index), at: pointer, "index")
        guard refusals.isEmpty else { return indexed.map(\.element) }
        let sorted = indexed.sorted { $0.index < $1.index }
        if let gap = sorted.indices.first(where: { sorted[$0].index != $0 }) {
            throw CDBObject.invalid(pointer, "there is an element \(sorted[gap].index) but no element \(gap)")
        }
        if sorted.map(\.index) != indexed.map(\.index) { repair(pointer, "not in the order of their indexes; sorted") }
        return sorted.map(\.element)
    }

    /// Models, each once. Some exporters list a model twice, with its bindings spread over both entries.
    private mutating func models(_ object: inout CDBObject, _ path: String) throws(CDBRefusal) -> [Model] {
        let pointer = object.pointer(to: "models")
        let items = try list("models", in: &object)
        let all = objects(items, at: pointer) { reader, object throws(CDBRefusal) in
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
            if refusals.isEmpty {
                repair("\(pointer)/\(index)", "model \(CDBExport.text(model.identifier)) is there twice; merged")
            }
        }
        return models
    }

    /// The extras path of a model.
    static func path(of identifier: ModelIdentifier, in path: String) -> String {
        "\(path)/models/\(CDBExport.text(identifier))"
    }

    /// The location of an element. One exporter writes the element's address there.
    private mutating func location(_ object: inout CDBObject, at address: Int) throws(CDBRefusal) -> UInt16 {
        guard let location = try hexadecimal16("location", in: &object) else {
            missing("location", in: &object, "taken as 0000")
            return 0
        }
        guard location > 0, Int(location) == address else { return location }
        switch survey.isWritten(by: [.siliconLabs]) {
        case false?: return location
        case true?:
            repair(object.pointer(to: "location"), "the address of the element; taken as 0000")
            return 0
        case nil:
            throw object.invalid("location", "\(location.hexadecimal) is either a place or the element's address")
        }
    }

    private mutating func model(_ object: inout CDBObject, _ path: String) throws(CDBRefusal) -> Model {
        let identifier = try modelIdentifier(&object)
        object.path = CDBImport.path(of: identifier, in: path)
        let bindings = try self.bindings(&object)
        return Model(
            identifier: identifier,
            bindings: bindings,
            subscriptions: try subscriptions(&object),
            publication: try publication(&object, object.path, bindings)
        )
    }

    private mutating func modelIdentifier(_ object: inout CDBObject) throws(CDBRefusal) -> ModelIdentifier {
        if case .number? = object.peek("modelId"), let number = try hexadecimal16("modelId", in: &object) {
            return .sig(number)
        }
        let text = try object.required("modelId", try object.text("modelId"))
        guard let bytes = Hexadecimal.decode(text), bytes.count == 2 || bytes.count == 4 else {
            throw object.invalid("modelId", "4 or 8 hexadecimal digits are expected, not \(CDBObject.shown(text))")
        }
        let last = UInt16(bytes[bytes.count - 2]) << 8 | UInt16(bytes[bytes.count - 1])
        guard bytes.count == 4 else { return .sig(last) }
        let first = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
        let isSwapped = survey.isWritten(by: [.siliconLabs])
        guard isSwapped != false, first != last else { return .vendor(company: first, model: last) }
        // One exporter writes the company last. The companies of the nodes tell which half it is.
        switch (survey.companies.contains(first), survey.companies.contains(last)) {
        case (true, false): return .vendor(company: first, model: last)
        case (false, true):
            repair(
                object.pointer(to: "modelId"),
                "the company stands last; taken as \(last.hexadecimal + first.hexadecimal)"
            )
            return .vendor(company: last, model: first)
        default:
            throw object.invalid(
                "modelId",
                "\(CDBObject.shown(text)) is either model \(last.hexadecimal) of company \(first.hexadecimal) or model "
                    + "\(first.hexadecimal) of company \(last.hexadecimal)"
            )
        }
    }

    private mutating func bindings(_ object: inout CDBObject) throws(CDBRefusal) -> [AppKeyIndex] {
        let pointer = object.pointer(to: "bind")
        var bindings: [AppKeyIndex] = []
        for (index, value) in try list("bind", in: &object).enumerated() {
            let number = try CDBObject.integer(value, in: 0...4095, at: "\(pointer)/\(index)")
            if let index = AppKeyIndex(rawValue: UInt16(truncatingIfNeeded: number)) { bindings.append(index) }
        }
        return unique(bindings, at: pointer)
    }

    private mutating func subscriptions(_ object: inout CDBObject) throws(CDBRefusal) -> [SubscriptionAddress] {
        let pointer = object.pointer(to: "subscribe")
        var subscriptions: [SubscriptionAddress] = []
        for (index, value) in try list("subscribe", in: &object).enumerated() {
            let address = try groupAddress(value, at: "\(pointer)/\(index)")
            if address == .group(.allNodes) {
                repair("\(pointer)/\(index)", "every element receives FFFF without a subscription; left out")
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
