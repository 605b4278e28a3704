import MeshCore

/// The messages of the Bluetooth SIG, read once from the tables.
enum MessageTable {
    static let messages: [MessageDescription] = {
        var reader = MessageTableReader()
        let tables = [
            FoundationMessageTable.configuration, ModelMessageTable.health, FoundationMessageTable.foundation,
            FoundationMessageTable.directedForwarding, ModelMessageTable.generic,
            ModelMessageTable.sensorTimeAndScene, ModelMessageTable.lighting, FoundationMessageTable.firmware,
        ]
        for line in TableLines(tables.joined(separator: "\n")) {
            TableLines.value(line) { () throws(NotationError) in try reader.read(line) }
        }
        return TableLines.value("") { () throws(NotationError) in try reader.messages() }
    }()
}

/// Reads the lines of a table of messages.
private struct MessageTableReader {
    private struct Row {
        let opcode: Opcode
        let direction: MessageDescription.Direction
        let title: String
        let fields: Substring
        var servers: [ModelIdentifier]
        let clients: [ModelIdentifier]
    }

    private var rows: [Row] = []
    private var servers: [ModelIdentifier] = []
    private var clients: [ModelIdentifier] = []

    mutating func read(_ line: Substring) throws(NotationError) {
        if line.hasPrefix("models ") {
            let halves = line.dropFirst(7).pieces(between: "/")
            servers = try models(halves[0])
            clients = halves.count == 2 ? try models(halves[1]) : []
            return
        }
        let columns = line.columns
        guard columns.count == 3 else { throw NotationError("a message has three columns") }
        let words = columns[0].pieces(between: " ")
        guard let opcode = Self.opcode(words[0]), (2...3).contains(words.count) else {
            throw NotationError("no opcode with its direction")
        }
        let answer = words.count == 3 ? Self.opcode(words[2]) : nil
        rows.append(
            Row(
                opcode: opcode,
                direction: words[1] == "<" ? .status : .request(answer: answer),
                title: String(columns[1]).trimmed,
                fields: columns[2],
                servers: servers,
                clients: clients
            )
        )
    }

    /// The messages in the order of the table.
    func messages() throws(NotationError) -> [MessageDescription] {
        // Of servers that answer with one message, that of its section stands first.
        var answerers: [Opcode: [ModelIdentifier]] = [:]
        for row in rows {
            guard case .request(let answer?) = row.direction else { continue }
            answerers[answer, default: []] += row.servers
        }
        let fieldsOf = Dictionary(uniqueKeysWithValues: rows.map { ($0.opcode, $0.fields) })
        var messages: [MessageDescription] = []
        for row in rows {
            var servers = row.servers
            if row.direction == .status {
                for server in answerers[row.opcode] ?? [] where !servers.contains(server) { servers.append(server) }
            }
            messages.append(
                MessageDescription(
                    opcode: row.opcode,
                    title: row.title,
                    direction: row.direction,
                    servers: servers,
                    clients: row.clients,
                    forms: try Self.forms(row.fields, fieldsOf)
                )
            )
        }
        return messages
    }

    /// The forms of a message. `=8202` stands for the fields of another message, alone or as one of the forms.
    private static func forms(
        _ text: Substring,
        _ fieldsOf: [Opcode: Substring]
    ) throws(NotationError) -> [[MessageDescription.Part]]? {
        var tokens: [Substring] = []
        for token in text.pieces(between: " ") {
            guard token.hasPrefix("=") else {
                tokens.append(token)
                continue
            }
            guard let opcode = opcode(token.dropFirst()), let other = fieldsOf[opcode] else {
                throw NotationError("no message \(token.dropFirst())")
            }
            tokens += other.pieces(between: " ")
        }
        return tokens == ["?"] ? nil : try PartNotation.forms(tokens.joined(separator: " "))
    }

    private static func opcode(_ text: Substring) -> Opcode? {
        UInt32(text, radix: 16).flatMap(Opcode.init(rawValue:))
    }

    private func models(_ text: Substring) throws(NotationError) -> [ModelIdentifier] {
        var models: [ModelIdentifier] = []
        for word in text.pieces(between: " ") {
            guard let number = UInt16(word, radix: 16) else { throw NotationError("\(word) is no model") }
            models.append(.sig(number))
        }
        return models
    }
}
