/// The capabilities of a device: the parameters of the Capabilities PDU, 11 octets (Mesh Protocol 5.4.1.2): elements
/// (1), algorithms (2), public key type (1), OOB type (1), output size (1), output actions (2), input size (1), input
/// actions (2), big-endian.
///
/// Reserved bits are kept, because they enter the confirmation, but otherwise ignored.
package struct ProvisioningCapabilities: Hashable, Sendable {
    /// The number of octets of the parameters.
    static let size = 11

    /// The number of elements, 1...255, and of addresses that the device needs.
    package var elementCount: UInt8
    /// Bit n stands for the algorithm with the number n.
    package var algorithmBits: UInt16
    /// Bit 0: the public key is available out of band.
    package var publicKeyBits: UInt8
    /// Bit 0: the device has a static value. Bit 1 (1.1): it refuses provisioning without authentication.
    package var typeBits: UInt8
    /// The most digits or characters that the device outputs, 0...8; 0 for no output.
    package var outputSize: UInt8
    /// Bit n stands for the output action with the number n.
    package var outputBits: UInt16
    /// The most digits or characters that the device accepts as input, 0...8; 0 for no input.
    package var inputSize: UInt8
    /// Bit n stands for the input action with the number n.
    package var inputBits: UInt16

    /// The capabilities of a device with that many elements.
    ///
    /// - Parameters:
    ///   - outputSize: at most 8; without actions or size the device has no output.
    ///   - inputSize: at most 8; without actions or size the device has no input.
    package init(
        elementCount: UInt8,
        algorithms: [ProvisioningAlgorithm] = ProvisioningAlgorithm.allCases,
        isPublicKeyAvailable: Bool = false,
        isStaticValueAvailable: Bool = false,
        requiresAuthentication: Bool = false,
        outputSize: UInt8 = 0,
        outputActions: [OutputAction] = [],
        inputSize: UInt8 = 0,
        inputActions: [InputAction] = []
    ) {
        self.elementCount = max(1, elementCount)
        algorithmBits = algorithms.reduce(0) { $0 | 1 << UInt16($1.rawValue) }
        publicKeyBits = isPublicKeyAvailable ? 1 : 0
        typeBits = (isStaticValueAvailable ? 1 : 0) | (requiresAuthentication ? 2 : 0)
        self.outputSize = min(outputSize, AuthenticationMethod.sizes.upperBound)
        outputBits = outputActions.reduce(0) { $0 | 1 << UInt16($1.rawValue) }
        self.inputSize = min(inputSize, AuthenticationMethod.sizes.upperBound)
        inputBits = inputActions.reduce(0) { $0 | 1 << UInt16($1.rawValue) }
    }

    init(decoding reader: inout ByteReader) throws(DecodeError) {
        elementCount = try reader.readUInt8()
        guard elementCount > 0 else { throw .prohibited(field: "NumberOfElements", value: 0) }
        algorithmBits = try reader.readUInt16()
        publicKeyBits = try reader.readUInt8()
        typeBits = try reader.readUInt8()
        outputSize = try reader.readUInt8()
        guard outputSize <= 8 else { throw .prohibited(field: "OutputOOBSize", value: UInt64(outputSize)) }
        outputBits = try reader.readUInt16()
        inputSize = try reader.readUInt8()
        guard inputSize <= 8 else { throw .prohibited(field: "InputOOBSize", value: UInt64(inputSize)) }
        inputBits = try reader.readUInt16()
    }

    /// The 11 octets.
    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: ProvisioningCapabilities.size)
        writer.write(elementCount)
        writer.write(algorithmBits)
        writer.write([publicKeyBits, typeBits, outputSize])
        writer.write(outputBits)
        writer.write(inputSize)
        writer.write(inputBits)
        return writer.bytes
    }

    /// The known algorithms, in the order of their numbers.
    package var algorithms: [ProvisioningAlgorithm] {
        ProvisioningAlgorithm.allCases.filter { algorithmBits & 1 << UInt16($0.rawValue) != 0 }
    }

    package var isPublicKeyAvailable: Bool { publicKeyBits & 1 != 0 }

    package var isStaticValueAvailable: Bool { typeBits & 1 != 0 }

    /// Whether the device refuses provisioning without authentication (1.1).
    package var requiresAuthentication: Bool { typeBits & 2 != 0 }

    /// The known output actions, in the order of their numbers; empty if the size is 0.
    package var outputActions: [OutputAction] {
        outputSize == 0 ? [] : OutputAction.allCases.filter { outputBits & 1 << UInt16($0.rawValue) != 0 }
    }

    /// The known input actions, in the order of their numbers; empty if the size is 0.
    package var inputActions: [InputAction] {
        inputSize == 0 ? [] : InputAction.allCases.filter { inputBits & 1 << UInt16($0.rawValue) != 0 }
    }

    /// Whether the device offers everything that a Start PDU asks for.
    package func offer(_ start: ProvisioningStart) -> Bool {
        guard algorithms.contains(start.algorithm), isPublicKeyAvailable || !start.isPublicKeyOutOfBand else {
            return false
        }
        switch start.method {
        case .noOOB: return !requiresAuthentication
        case .staticOOB: return isStaticValueAvailable
        case .outputOOB(let action, let size):
            return outputActions.contains(action) && (1...outputSize).contains(size)
        case .inputOOB(let action, let size):
            return inputActions.contains(action) && (1...inputSize).contains(size)
        }
    }
}
