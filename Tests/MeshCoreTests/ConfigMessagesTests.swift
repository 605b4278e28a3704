import MeshCore
import TestSupport
import Testing

@Suite("Configuration messages")
struct ConfigMessagesTests {
    @Test("every message of the table has a type with its name and opcode, and no other type exists")
    func coversTable() {
        let table = ConfigMessageTable.shared.rows
        #expect(table.count == 127)
        let messages = Self.messages.map { "\($0.title) \($0.type.opcode.rawValue)" }
        #expect(Set(messages) == Set(table.map { "\($0.name) \($0.opcode)" }))
        #expect(messages.count == table.count)
    }

    @Test("every request names the answer of the table, and nothing else is a request")
    func answers() throws {
        for row in ConfigMessageTable.shared.rows {
            let message = try #require(Self.messages.first { $0.title == row.name })
            let answer = message.answer.flatMap { opcode in Self.messages.first { $0.type.opcode == opcode }?.title }
            #expect(answer == row.response, "\(row.name)")
            #expect((message.type is any ConfigurationRequest.Type) == (row.response != nil), "\(row.name)")
        }
    }

    @Test(
        "every example decodes to the values of the table and encodes to the same octets",
        arguments: ConfigMessageTable.shared.rows
    )
    func examples(row: ConfigMessageTable.Row) throws {
        #expect(!row.examples.isEmpty)
        for example in row.examples {
            let message = try decodeFoundationMessage(example.payload)
            #expect(type(of: message) == foundationType(of: row))
            #expect(message.encoded == example.payload)
            let values = fieldValues(of: message)
            for (name, expected) in example.values {
                #expect(values[name] == expected, "\(row.name): \(name)")
            }
        }
    }

    @Test(
        "parameters cut short or with octets added are refused at every length that the table does not allow",
        arguments: ConfigMessageTable.shared.rows
    )
    func lengths(row: ConfigMessageTable.Row) throws {
        for example in row.examples {
            let opcode = try #require(Opcode(rawValue: row.opcode))
            let parameters = example.payload.dropFirst(opcode.size)
            #expect(row.allowsLength(parameters.count))
            for length in 0...parameters.count + 1 where !row.allowsLength(length) {
                let changed = opcode.encoded + (parameters + [0x01]).prefix(length)
                #expect(throws: DecodeError.self, "\(length) octets") { try decodeFoundationMessage(changed) }
            }
        }
    }

    @Test("whatever decodes encodes to the same octets", arguments: ConfigMessageTable.shared.rows)
    func decodedIsCanonical(row: ConfigMessageTable.Row) throws {
        var generator = SplitMix64(seed: UInt64(row.opcode))
        let messageType = try #require(foundationType(of: row))
        let reserved = Self.reservedBits[row.typeName]
        var decoded = 0
        for _ in 0..<400 {
            var parameters = try mutatedExample(of: row, using: &generator)
            if let reserved, reserved.position < parameters.count { parameters[reserved.position] &= reserved.used }
            guard let message = try? messageType.init(parameters: parameters[...]) else { continue }
            decoded += 1
            let isCanonical = row.allowsLength(parameters.count) && message.parameters == parameters
            guard isCanonical || isLenient(message, of: row) else {
                Issue.record("\(Hexadecimal.encode(parameters)) became \(message)")
                return
            }
        }
        #expect(decoded > 20)
    }

    @Test(
        "prohibited values are refused",
        arguments: [
            "800a02", "800b02", "801302", "801403", "801002", "801103", "80270242", "80280342",  // switches
            "800d01", "800d80", "800dff", "800e01",  // default TTL
            "80400010 63964771734fbd76e3b40519d1d94a48", "80410010", "8001ff1f", "804300f0",  // key indexes
            "803d0000 2301 0010", "803d0080 2301 0010", "803d00c0 2301 0010", "803d0112 2310 0010",  // elements
            "801b0080 01c0 0010", "801d00c0 0010", "80290000 0010", "804d0080 3f002a00",
            "802a00 0112 0010 0100", "802a00 0112 0010 0000",  // unicast and unassigned in a list
            "03 0112 01c0 2301 80 44 0a 0010", "801900 0112 01c0 2301 fe 44 0a 0010",  // publish TTL
            "8016 2301 01", "8016 2301 04", "801700 2301 03", "8047 2301 02", "804800 2301 03",
            "8039 01c0 12 04 05 0700 2301", "8039 01c0 ff 12 05 0700 2301", "8039 01c0 ff 04 80 0700 2301",
            "8039 01c0 ff 04 05 0700 2311", "803b 0080 01c0 05", "803b 01c0 01c0 05", "803b 0100 01c0 12",
            "803c00 0100 01c0 05 12 01 03", "803c00 0100 01c0 05 03 80 03", "803c00 0100 01c0 05 03 01 80",
            "8061 02", "8062 02 3c", "8064 02", "8065 03", "806600f0", "8067 2301 02", "806800 2301 03", "80b2 02",
            "80b3 02",
            "80b4 00 236145 aa0a bb0b", "80b4 03 236145 aa0a bb0b", "80b6 00 03 236145 aa0a bb0b", "8072 0080 00",
            "8072 0112 00", "8073 06 0112", "8078 0000", "8078 0324 01", "8078 ffff ff",
            "8075 00 0300 0500 0c001a", "80ba 00 236145 0000 00c0 bb0b 01", "80ba 00 236145 0000 aa0a bb0b 00",
            "8050 0301", "8050 0402", "8052 0000", "8054 0003000a", "805903", "805b0005", "805a01", "805a03",
            "8059 70cf7c9732a345b691494810d2e9cbf4 00", "8059 70cf7c9732a345b691494810d2e9cbf4 3d",
            "8056 00", "8056 11 0102030405060708090a0b0c0d0e0f1011", "8056 01 08", "8056 02 0909",
            "8056 01 09 70cf7c9732a345b691494810d2e9cbf4 00", "8056 01 09 70cf7c9732a345b691494810d2e9cbf4 16",
            "8057 00 70cf7c9732a345b691494810d2e9cbf4 2000 00",
            "802d 0080", "802e 0112 010000", "802e 0112 090000", "802e 0112 00bc34",
        ]
    )
    func prohibited(payload: String) throws {
        let error = try #require(throws: DecodeError.self) { try decodeFoundationMessage(hex(payload)) }
        guard case .prohibited = error else {
            Issue.record("\(error)")
            return
        }
    }

    @Test("reserved bits beside the AppKey index of a publication are ignored and sent as zero")
    func reservedPublicationBits() throws {
        let message = try decodeFoundationMessage(hex("03 0112 01c0 23e1 05 44 0a 0010"))
        #expect(message.encoded == hex("03 0112 01c0 2301 05 44 0a 0010"))
    }

    @Test(
        "addresses that a node answers with Invalid Address reach it",
        arguments: [
            "801b 0112 0100 0010", "801b 0112 ffff 0010", "801e 0112 0080 0010", "03 0112 0080 2301 05 44 0a 0010",
        ]
    )
    func answeredAddresses(payload: String) throws {
        #expect(try decodeFoundationMessage(hex(payload)).encoded == hex(payload))
    }

    @Test("what is no foundation message is refused by its opcode")
    func unknownOpcodes() {
        #expect(throws: DecodeError.unknownType(0x8201)) { try decodeFoundationMessage(hex("8201")) }
        #expect(throws: DecodeError.unknownType(0xC05900)) { try decodeFoundationMessage(hex("c0590001")) }
        #expect(throws: DecodeError.prohibited(field: "opcode", value: 0x7F)) {
            try decodeFoundationMessage(hex("7f"))
        }
        #expect(throws: DecodeError.truncated(offset: 0, needed: 1)) { try decodeFoundationMessage([]) }
        #expect(throws: DecodeError.self) { try decodeFoundationMessage([0x80]) }
    }

    @Test("keys do not show in descriptions, interpolations and dumps", arguments: ["8040", "8045", "00", "01"])
    func keysAreHidden(opcode: String) throws {
        let indexes = opcode.count == 4 ? "2301" : "563412"
        let message = try decodeFoundationMessage(hex(opcode + indexes + "63964771734fbd76e3b40519d1d94a48"))
        var dumped = ""
        dump(message, to: &dumped)
        for text in [dumped, "\(message)", String(describing: message), String(reflecting: message)] {
            #expect(text.contains("(secret)"))
            let lowered = text.lowercased()
            for part in ["63964771", "99, 150, 71", String(0x6396_4771_734f_bd76 as UInt64)] {
                #expect(!lowered.contains(part))
            }
        }
    }

    private static let messages = foundationMessages.flatMap(\.messages)

    /// The octet of the parameters that has reserved bits, which are ignored, and its other bits.
    private static let reservedBits: [String: (position: Int, used: UInt8)] = [
        "ConfigModelPublicationSet": (5, 0x1F), "ConfigModelPublicationVirtualAddressSet": (19, 0x1F),
        "ConfigModelPublicationStatus": (6, 0x1F), "SARTransmitterSet": (3, 0x0F), "SARTransmitterStatus": (3, 0x0F),
        "SARReceiverSet": (2, 0x03), "SARReceiverStatus": (2, 0x03), "BridgedSubnetsGet": (0, 0xF3),
        "BridgedSubnetsList": (0, 0xF3),
    ]

    /// Whether a message is what a node may say in other octets than ours: they are read again as the same.
    private func isLenient(_ message: some AccessMessage, of row: ConfigMessageTable.Row) -> Bool {
        Self.lenientTypes.contains(row.typeName)
            && (try? type(of: message).init(parameters: message.parameters[...])) == message
    }

    /// Lists of keys, which BTstack sends with two octets for each index, and states in which fields may mean nothing.
    private static let lenientTypes: Set<String> = [
        "ConfigNetKeyList", "ConfigAppKeyList", "ConfigSIGModelAppList", "ConfigVendorModelAppList",
        "ConfigHeartbeatPublicationStatus", "ConfigHeartbeatSubscriptionStatus",
    ]

    private func foundationType(of row: ConfigMessageTable.Row) -> (any AccessMessage.Type)? {
        foundationMessageTypes.first { $0.opcode.rawValue == row.opcode }
    }

    /// The parameters of an example with up to three octets changed, and often cut or lengthened.
    private func mutatedExample(
        of row: ConfigMessageTable.Row,
        using generator: inout SplitMix64
    ) throws -> [UInt8] {
        let example = try #require(row.examples.randomElement(using: &generator))
        var parameters = Array(example.payload.dropFirst(row.opcode > 0xFF ? 2 : 1))
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            guard let position = parameters.indices.randomElement(using: &generator) else { break }
            parameters[position] = .random(in: 0...255, using: &generator)
        }
        switch Int.random(in: 0...3, using: &generator) {
        case 0: parameters.removeLast(.random(in: 0...parameters.count, using: &generator))
        case 1: parameters += (0..<Int.random(in: 1...4, using: &generator)).map { UInt8($0) }
        default: break
        }
        return parameters
    }
}
