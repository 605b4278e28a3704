import TestSupport
import Testing

@testable import MeshCore

@Suite("Provisioning vectors")
struct ProvisioningVectorTests {
    static let sessions = Vector.list("provisioning", "sessions")

    static func keyPair(_ vector: Vector, _ name: String) throws -> P256KeyPair {
        try #require(P256KeyPair(privateKey: vector.octets(name)))
    }

    /// The pair of machines with the randomness of a vector.
    static func pair(_ vector: Vector) throws -> ProvisioningPair {
        let invite = try ProvisioningPDU(decoding: [0] + vector.octets("invite"))
        guard case .invite(let attention) = invite,
            case .capabilities(let capabilities) = try ProvisioningPDU(decoding: [1] + vector.octets("capabilities")),
            case .start(let start) = try ProvisioningPDU(decoding: [2] + vector.octets("start"))
        else { throw DecodeError.length(0) }
        let authValue = vector.octets("authValue")
        // The values of the vectors are numbers: a seed below the number of values is the value itself.
        let seed = authValue.suffix(4).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let staticValue = start.method == .staticOOB ? try StaticOutOfBandValue(authValue) : nil
        let deviceKey = try keyPair(vector, "devicePrivateKey")
        let authentication: ProvisioningChoice.Authentication =
            switch start.method {
            case .noOOB: .noOOB
            case .staticOOB: .staticOOB(try #require(staticValue))
            case .outputOOB(let action, let size): .outputOOB(action, size: size)
            case .inputOOB(let action, let size): .inputOOB(action, size: size)
            }
        let provisionerSecrets = ProvisioningSecrets(
            keyPair: try keyPair(vector, "provisionerPrivateKey"),
            random: vector.octets("randomProvisioner"),
            valueSeed: seed
        )
        return ProvisioningPair(
            provisioner: ProvisionerSession(attentionDuration: attention, secrets: provisionerSecrets),
            device: ProvisioningDevice(
                capabilities: capabilities,
                staticValue: staticValue,
                secrets: ProvisioningSecrets(
                    keyPair: deviceKey,
                    random: vector.octets("randomDevice"),
                    valueSeed: seed
                ),
                at: .zero
            ),
            choice: ProvisioningChoice(
                algorithm: start.algorithm,
                publicKey: start.isPublicKeyOutOfBand ? deviceKey.publicKey : nil,
                authentication: authentication
            ),
            data: try ProvisioningData(decoding: vector.octets("provisioningData"))
        )
    }

    @Test("the two machines replay every session octet for octet", arguments: sessions)
    func replay(vector: Vector) throws {
        var pair = try Self.pair(vector)
        pair.run()
        let provisionerKey = vector.octets("provisionerPublicKeyX") + vector.octets("provisionerPublicKeyY")
        let deviceKey = vector.octets("devicePublicKeyX") + vector.octets("devicePublicKeyY")
        let isOutOfBand = vector.octets("start")[1] == 1
        let isInput = vector.octets("start")[2] == 3
        typealias Message = ProvisioningPair.Message
        var expected = [
            Message(isFromProvisioner: true, pdu: [0] + vector.octets("invite")),
            Message(isFromProvisioner: false, pdu: [1] + vector.octets("capabilities")),
            Message(isFromProvisioner: true, pdu: [2] + vector.octets("start")),
            Message(isFromProvisioner: true, pdu: [3] + provisionerKey),
        ]
        if !isOutOfBand { expected.append(Message(isFromProvisioner: false, pdu: [3] + deviceKey)) }
        if isInput { expected.append(Message(isFromProvisioner: false, pdu: [4])) }
        expected += [
            Message(isFromProvisioner: true, pdu: [5] + vector.octets("confirmationProvisioner")),
            Message(isFromProvisioner: false, pdu: [5] + vector.octets("confirmationDevice")),
            Message(isFromProvisioner: true, pdu: [6] + vector.octets("randomProvisioner")),
            Message(isFromProvisioner: false, pdu: [6] + vector.octets("randomDevice")),
            Message(isFromProvisioner: true, pdu: [7] + vector.octets("encryptedData") + vector.octets("dataMic")),
            Message(isFromProvisioner: false, pdu: [8]),
        ]
        #expect(pair.transcript == expected)
        #expect(pair.node?.deviceKey == vector.key("deviceKey"))
        #expect(pair.node?.address == vector.unicast("unicastAddress"))
        #expect(pair.node?.elementCount == vector.octets("capabilities")[0])
        #expect(pair.provisioned?.key == vector.key("deviceKey"))
        #expect(pair.provisioned?.data.encoded == vector.octets("provisioningData"))
        #expect(pair.stored?.key == vector.key("deviceKey"))
        #expect(pair.inputErrors.isEmpty)
    }

    @Test("every value on the way is that of the sample", arguments: sessions)
    func steps(vector: Vector) throws {
        let algorithm = try #require(ProvisioningAlgorithm(rawValue: UInt8(vector.number("algorithmValue"))))
        #expect(algorithm.name == vector.text("algorithm"))
        let provisioner = try Self.keyPair(vector, "provisionerPrivateKey")
        let device = try Self.keyPair(vector, "devicePrivateKey")
        let secret = vector.octets("ecdhSecret")
        #expect(provisioner.sharedSecret(with: device.publicKey) == secret)
        #expect(device.sharedSecret(with: provisioner.publicKey) == secret)
        let inputs =
            vector.octets("invite") + vector.octets("capabilities") + vector.octets("start")
            + provisioner.publicKey.coordinates + device.publicKey.coordinates
        #expect(inputs.count == 145)
        let confirmations = ProvisioningConfirmations(algorithm: algorithm, secret: secret, inputs: inputs)
        let value = AuthenticationValue(try StaticOutOfBandValue(vector.octets("authValue")), algorithm)
        #expect(value.octets == vector.octets("authValue"))
        #expect(
            confirmations.confirmation(of: vector.octets("randomProvisioner"), value)
                == vector.octets("confirmationProvisioner")
        )
        #expect(
            confirmations.confirmation(of: vector.octets("randomDevice"), value) == vector.octets("confirmationDevice")
        )
        let keys = confirmations.keys(
            provisionerRandom: vector.octets("randomProvisioner"),
            deviceRandom: vector.octets("randomDevice")
        )
        #expect(keys.deviceKey == vector.key("deviceKey"))
        let sealed = vector.octets("encryptedData") + vector.octets("dataMic")
        #expect(keys.open(sealed) == vector.octets("provisioningData"))
        let data = try ProvisioningData(decoding: vector.octets("provisioningData"))
        #expect(data.netKey == vector.key("netKey"))
        #expect(UInt64(data.netKeyIndex.rawValue) == vector.number("netKeyIndex"))
        #expect(UInt64(data.ivIndex.value) == vector.number("ivIndex"))
        #expect(keys.seal(data) == sealed)
    }

    @Test("the PDUs of the sample's transactions are read and written again")
    func transactions() throws {
        let transactions = Vector.object("provisioning", "pbAdv").objects("transactions")
        #expect(transactions.count == 11)
        for (number, transaction) in transactions.enumerated() {
            let pdu = try ProvisioningPDU(decoding: transaction.octets("pdu"))
            #expect(pdu.encoded == transaction.octets("pdu"), "\(number)")
        }
    }

    @Test("a public key is cut into the packets of the sample and put together again")
    func segmentation() throws {
        let vector = Vector.object("provisioning", "pbGattSar")
        let pdu = ProxyPDU(type: .provisioning, payload: vector.octets("pdu"))
        #expect(UInt64(pdu.type.rawValue) == vector.number("proxyPduType"))
        let packets = ProxySegmenter.packets(of: pdu, maximumSize: Int(vector.number("attMtu")) - 3)
        #expect(packets == vector.list("attValues"))
        var reassembler = ProxyReassembler()
        var received: ProxyPDU?
        for packet in packets { received = try reassembler.receive(packet, at: .zero) }
        #expect(received == pdu)
    }

    @Test("PDUs of provisioning records are of no known type")
    func records() {
        let transactions = Vector.object("provisioning", "provisioningRecords").objects("transactions")
        #expect(transactions.count == 4)
        for transaction in transactions {
            let bytes = transaction.octets("pdu")
            #expect(throws: DecodeError.unknownType(UInt64(bytes[0]))) { try ProvisioningPDU(decoding: bytes) }
        }
    }

    @Test("error codes and PDU types have the numbers of the list of facts")
    func names() {
        let facts = Vector.object("provisioning", "pduFacts")
        let codes = facts.object("errorCodes")
        for code in ProvisioningErrorCode.allCases {
            let name = codes.text("0\(code.rawValue)")
            #expect(name == code.name || name == "\(code.name) (1.1)")
            #expect(!code.meaning.isEmpty && !code.advice.isEmpty)
        }
        let types = facts.object("types")
        for type in ProvisioningPDU.MessageType.allCases {
            let name = types.text("0\(type.rawValue)").filter { $0 != " " }
            #expect(name.lowercased() == "\(type)".lowercased())
        }
    }
}
