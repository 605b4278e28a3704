package import MeshCore

/// The states that models hold.
package enum StateCatalogue {
    /// Every state of the Bluetooth SIG's models, in the order of the table, then the Light LC properties.
    package static let states: [StateDescription] = {
        var states: [StateDescription] = []
        for line in TableLines(StateTable.text) {
            states.append(TableLines.value(line) { () throws(NotationError) in try state(line) })
        }
        guard let property = states.last else { return states }
        for identifier in StateTable.lightControlProperties {
            guard let name = DeviceProperty.property(identifier)?.name else { continue }
            states.append(property.fixed(name: name, ["property": .integer(Int64(identifier))]))
        }
        return states
    }()

    private static let byName = Dictionary(uniqueKeysWithValues: states.map { ($0.name, $0) })
    private static let byModel: [ModelIdentifier: [StateDescription]] = {
        var byModel: [ModelIdentifier: [StateDescription]] = [:]
        for state in states {
            for model in Set([state.server, state.setServer].compactMap { $0 }) {
                byModel[model, default: []].append(state)
            }
        }
        return byModel
    }()
    private static let byStatus = Dictionary(grouping: states, by: \.statusMessage.opcode)

    package static func state(named name: String) -> StateDescription? { byName[name] }

    /// The states that a model holds: of a server those that it reads, of a setup server those that it sets.
    package static func states(of model: ModelIdentifier) -> [StateDescription] {
        byModel[model] ?? []
    }

    package static func states(reportedBy status: Opcode) -> [StateDescription] { byStatus[status] ?? [] }

    private static func state(_ line: Substring) throws(NotationError) -> StateDescription {
        let words = line.pieces(between: " ")
        guard words.count >= 3 else { throw NotationError("a state has a name and two opcodes") }
        var defaults = FieldValues()
        var removal = FieldValues()
        for word in words.dropFirst(3) where word != "lasting" && word != "scene" {
            let halves = word.drop { $0 == "-" }.split(separator: "=")
            guard halves.count == 2, let raw = Int64(halves[1]) else { throw NotationError("\(word) is no default") }
            if word.hasPrefix("-") {
                removal[String(halves[0])] = .integer(raw)
            } else {
                defaults[String(halves[0])] = .integer(raw)
            }
        }
        let get = try message(words[1])
        guard let answer = get.answer, let status = MessageCatalogue.sig.message(answer) else {
            throw NotationError("\(get.title) has no answer")
        }
        let set = words[2] == "-" ? nil : try message(words[2])
        return StateDescription(
            name: String(words[0]),
            get: get,
            set: set,
            status: status,
            isLasting: words.dropFirst(3).contains("lasting"),
            isInScenes: words.dropFirst(3).contains("scene"),
            removal: removal,
            defaults: defaults
        )
    }

    private static func message(_ text: Substring) throws(NotationError) -> MessageDescription {
        guard let opcode = UInt32(text, radix: 16).flatMap(Opcode.init(rawValue:)),
            let message = MessageCatalogue.sig.message(opcode)
        else { throw NotationError("no message \(text)") }
        return message
    }
}

extension StateDescription {
    /// A state; what the messages say of it is read from them.
    ///
    /// - Parameters:
    ///   - name: The name in commands and files.
    ///   - get: The message that reads it.
    ///   - set: The message that sets it; nil if there is none.
    ///   - setUnacknowledged: The unacknowledged set; nil for the SIG's message of that name, if there is one.
    ///   - status: The message that reports it.
    ///   - isLasting: Whether a node keeps it.
    ///   - isInScenes: Whether a scene holds it.
    ///   - removal: The fields of a set that removes the entry.
    ///   - defaults: What stands for fields that people leave out.
    package init(
        name: String,
        get: MessageDescription,
        set: MessageDescription?,
        setUnacknowledged: MessageDescription? = nil,
        status: MessageDescription,
        isLasting: Bool,
        isInScenes: Bool = false,
        removal: FieldValues = FieldValues(),
        defaults: FieldValues = FieldValues()
    ) {
        self.name = name
        getMessage = get
        setMessage = set
        unacknowledgedSetMessage =
            setUnacknowledged ?? set.flatMap { MessageCatalogue.sig.message(named: "\($0.name)-unacknowledged") }
        statusMessage = status
        self.isLasting = isLasting
        self.isInScenes = isInScenes
        self.removal = removal
        self.defaults = defaults
        keys = get.fields.filter { !get.marksItself($0) }
        fixedKeys = [:]
        // What surrounds the value: keys, the transaction, and of a status how its request went.
        var seen = Set(get.fields.map(\.name) + ["tid", "remaining"] + (set == nil ? ["status"] : []))
        if set?.field(named: "tid") != nil { seen.formUnion(["transition", "delay"]) }
        let source = set ?? status
        fields = source.fields.filter { field in
            let isTarget = set == nil && field.name.hasPrefix("target_") && status.field(named: field.base) != nil
            return !isTarget && !source.marksItself(field) && seen.insert(field.name).inserted
        }
    }

    /// The state of one instance under a name of its own.
    func fixed(name: String, _ keys: FieldValues) -> StateDescription {
        StateDescription(
            name: name,
            getMessage: getMessage,
            setMessage: setMessage,
            unacknowledgedSetMessage: unacknowledgedSetMessage,
            statusMessage: statusMessage,
            isLasting: isLasting,
            isInScenes: isInScenes,
            removal: removal,
            keys: self.keys.filter { keys[$0.name] == nil },
            fixedKeys: keys,
            fields: fields,
            defaults: defaults
        )
    }
}

extension MessageDescription {
    /// Whether a field has one fixed value in every form, as that by which a vendor's messages with one opcode differ.
    fileprivate func marksItself(_ field: Field) -> Bool {
        field.fixed != nil && fields.allSatisfy { $0.name != field.name || $0.fixed == field.fixed }
    }
}

extension MessageDescription.Field {
    /// The name without `target_`.
    fileprivate var base: String { String(name.dropFirst("target_".count)) }
}
