import MeshCore

extension FuzzTarget {
    /// Access messages; the opcode determines the contents of the rest.
    package static let accessMessage = FuzzTarget(
        "access-message",
        "messages of the foundation models",
        maximumSize: 384,
        seeds: messageTypes.map { $0.opcode.encoded + [UInt8](repeating: 0, count: 8) }
            + [
                octets("0000560400341200000000000000000000000000"), octets("8008ff"),
                octets("0200000c001a0001000800030000010501000000800100001003103f002a00"),
                octets("8003000123450"), octets("801b00010000c0000010"), octets("0300010000c023010005030a0010"),
            ],
        dictionary: messageTypes.map { $0.opcode.encoded },
        run: examineMessage
    )

    private static let messageTypes: [any AccessMessage.Type] =
        foundationMessageTypes + [
            HealthAttentionGet.self, HealthAttentionSet.self, HealthAttentionSetUnacknowledged.self,
            HealthAttentionStatus.self, RemoteProvisioningExtendedScanReport.self,
            RemoteProvisioningExtendedScanStart.self, RemoteProvisioningLinkClose.self, RemoteProvisioningLinkGet.self,
            RemoteProvisioningLinkOpen.self, RemoteProvisioningLinkReport.self, RemoteProvisioningLinkStatus.self,
            RemoteProvisioningPDUOutboundReport.self, RemoteProvisioningPDUReport.self,
            RemoteProvisioningPDUSend.self, RemoteProvisioningScanCapabilitiesGet.self,
            RemoteProvisioningScanCapabilitiesStatus.self, RemoteProvisioningScanGet.self,
            RemoteProvisioningScanReport.self, RemoteProvisioningScanStart.self, RemoteProvisioningScanStatus.self,
            RemoteProvisioningScanStop.self,
        ]

    private static let typesByOpcode = Dictionary(
        messageTypes.map { ($0.opcode, $0) },
        uniquingKeysWith: { first, _ in first }
    )

    private static func examineMessage(_ input: [UInt8], _ trace: inout FuzzTrace) throws(FuzzViolation) {
        var reader = ByteReader(input)
        do {
            let opcode = try Opcode(decoding: &reader)
            try demand(opcode.encoded == Array(input.prefix(opcode.size)), "an opcode changes when it is read")
            guard let type = typesByOpcode[opcode] else { return }
            try examine(type, reader.readRest(), &trace)
        } catch let violation as FuzzViolation {
            throw violation
        } catch {
            trace.note(kindOf: error)
        }
    }

    private static func examine<Message: AccessMessage>(
        _ type: Message.Type,
        _ parameters: ArraySlice<UInt8>,
        _ trace: inout FuzzTrace
    ) throws(FuzzViolation) {
        let message: Message
        do { message = try Message(parameters: parameters) } catch {
            trace.note("\(type.opcode)" + String(describing: error).filter { !$0.isNumber })
            return
        }
        trace.note("\(type.opcode) \(parameters.count / 16)")
        let again = message.parameters
        let read = try demandSuccess("\(type) that was read cannot be read again") {
            try Message(parameters: again[...])
        }
        try demand(read == message, "\(type) changes when it is written")
        // Lists of keys may have two octets for each index, and are written in a shorter form.
        let mayBecomeShorter =
            switch message {
            case is ConfigNetKeyList, is ConfigAppKeyList, is ConfigSIGModelAppList, is ConfigVendorModelAppList: true
            default: false
            }
        let isAsLong = again.count == parameters.count || mayBecomeShorter && again.count < parameters.count
        try demand(isAsLong, "\(type) has another length after being written")
    }

    /// Composition Data page 0.
    package static let composition = FuzzTarget(
        "composition",
        "Composition Data page 0",
        maximumSize: 512,
        seeds: [
            octets("0c001a0001000800030000010501000000800100001003103f002a00"),
            octets("0c001a00010008000300000102000000020000010000"), octets("ffff00000000000000000000"),
        ],
        run: { (input: [UInt8], trace: inout FuzzTrace) throws(FuzzViolation) in
            let composition: Composition
            do { composition = try Composition(page0: input) } catch {
                trace.note(kindOf: error)
                return
            }
            trace.note([composition.elements.count, composition.elements.reduce(0) { $0 + $1.models.count } / 4])
            try demand(composition.page0Bytes == input, "a composition changes when it is read")
        }
    )

    /// Provisioning PDUs.
    package static let provisioningPDU = FuzzTarget(
        "provisioning-pdu",
        "PDUs of the provisioning protocol",
        maximumSize: 128,
        seeds: [
            [0, 5], octets("010100010000000000000000"), octets("020000000000"),
            [3] + [UInt8](repeating: 7, count: 64), [4], [5] + [UInt8](repeating: 7, count: 16),
            [5] + [UInt8](repeating: 7, count: 32), [6] + [UInt8](repeating: 7, count: 16),
            [7] + [UInt8](repeating: 7, count: 33), [8], [9, 1],
        ],
        run: { (input: [UInt8], trace: inout FuzzTrace) throws(FuzzViolation) in
            let pdu: ProvisioningPDU
            do { pdu = try ProvisioningPDU(decoding: input) } catch {
                trace.note(kindOf: error)
                return
            }
            trace.note([Int(pdu.type.rawValue), input.count])
            try demand(pdu.encoded == input, "a PDU changes when it is read")
        }
    )
}
