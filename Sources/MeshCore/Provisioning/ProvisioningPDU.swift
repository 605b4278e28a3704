/// A message of the provisioning protocol (Mesh Protocol 5.4.1): type (1, the upper two bits zero), then parameters.
package enum ProvisioningPDU: Hashable, Sendable {
    /// Asks a device for its capabilities, and to draw attention for that many seconds (1); 0 for not at all.
    case invite(attentionDuration: UInt8)
    /// The capabilities of the device (11).
    case capabilities(ProvisioningCapabilities)
    /// The choice of the provisioner (5).
    case start(ProvisioningStart)
    /// X and Y (64), big-endian. They may not be a point of the curve.
    case publicKey([UInt8])
    case inputComplete
    /// A commitment to a random number and the authentication value (16 or 32, depending on the algorithm).
    case confirmation([UInt8])
    /// The random number (16 or 32, depending on the algorithm).
    case random([UInt8])
    /// The encrypted provisioning data (25) and their MIC (8).
    case data([UInt8])
    /// The device is now a node.
    case complete
    /// The device gave up (1).
    case failed(ProvisioningErrorCode)

    /// The types: the first octet.
    package enum MessageType: UInt8, CaseIterable, Sendable {
        case invite = 0x00
        case capabilities = 0x01
        case start = 0x02
        case publicKey = 0x03
        case inputComplete = 0x04
        case confirmation = 0x05
        case random = 0x06
        case data = 0x07
        case complete = 0x08
        case failed = 0x09
    }

    /// The number of octets of the parameters of the Data PDU.
    static let dataSize = ProvisioningData.size + 8

    package var type: MessageType {
        switch self {
        case .invite: .invite
        case .capabilities: .capabilities
        case .start: .start
        case .publicKey: .publicKey
        case .inputComplete: .inputComplete
        case .confirmation: .confirmation
        case .random: .random
        case .data: .data
        case .complete: .complete
        case .failed: .failed
        }
    }

    /// Reads a PDU.
    ///
    /// - Throws: ``DecodeError/unknownType(_:)`` for unknown types and set padding bits, other ``DecodeError``s for
    ///   wrong lengths and prohibited values.
    package init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes)
        let octet = try reader.readUInt8()
        guard let type = MessageType(rawValue: octet) else { throw .unknownType(UInt64(octet)) }
        switch type {
        case .invite: self = .invite(attentionDuration: try reader.readUInt8())
        case .capabilities: self = .capabilities(try ProvisioningCapabilities(decoding: &reader))
        case .start: self = .start(try ProvisioningStart(decoding: &reader))
        case .publicKey: self = .publicKey(Array(try reader.read(P256PublicKey.size)))
        case .inputComplete: self = .inputComplete
        case .confirmation: self = .confirmation(try ProvisioningPDU.readConfirmation(&reader))
        case .random: self = .random(try ProvisioningPDU.readConfirmation(&reader))
        case .data: self = .data(Array(try reader.read(ProvisioningPDU.dataSize)))
        case .complete: self = .complete
        case .failed:
            let code = try reader.readUInt8()
            guard let known = ProvisioningErrorCode(rawValue: code) else {
                throw .prohibited(field: "ErrorCode", value: UInt64(code))
            }
            self = .failed(known)
        }
        try reader.expectEnd()
    }

    /// The octets, type first.
    package var encoded: [UInt8] { [type.rawValue] + parameters }

    /// The octets after the type, as they enter the confirmation.
    var parameters: [UInt8] {
        switch self {
        case .invite(let duration): [duration]
        case .capabilities(let capabilities): capabilities.encoded
        case .start(let start): start.encoded
        case .publicKey(let octets), .confirmation(let octets), .random(let octets), .data(let octets): octets
        case .inputComplete, .complete: []
        case .failed(let code): [code.rawValue]
        }
    }

    private static func readConfirmation(_ reader: inout ByteReader) throws(DecodeError) -> [UInt8] {
        let sizes = ProvisioningAlgorithm.allCases.map(\.confirmationSize)
        guard sizes.contains(reader.remaining) else { throw .length(1 + reader.remaining) }
        return Array(reader.readRest())
    }
}
