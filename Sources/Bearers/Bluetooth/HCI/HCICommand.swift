package import MeshCore

/// A command to the controller (Core Vol 4 Part E 5.4.1): opcode (2, little-endian), length (1), parameters, all
/// integers least significant octet first.
package enum HCICommand: Hashable, Sendable {
    case readLocalSupportedCommands
    case readLocalSupportedFeatures
    /// Sets how to scan, for controllers with legacy advertising only; not allowed while scanning.
    case leSetScanParameters(LEScanParameters)
    /// Switches legacy scanning on or off.
    case leSetScanEnable(Bool, filtersDuplicates: Bool)
    /// Sets how to scan on the LE 1M PHY; not allowed while scanning.
    case leSetExtendedScanParameters(LEScanParameters)
    /// Switches extended scanning on, without a time limit, or off.
    case leSetExtendedScanEnable(Bool, filtersDuplicates: Bool)
    case leConnectionUpdate(handle: UInt16, LEConnectionParameters)
    /// Ends a connection with the reason "remote user terminated" (0x13).
    case disconnect(handle: UInt16)
    /// A command of somebody else that does not matter here.
    case other(HCIOpcode)

    package var opcode: HCIOpcode {
        switch self {
        case .readLocalSupportedCommands: .readLocalSupportedCommands
        case .readLocalSupportedFeatures: .readLocalSupportedFeatures
        case .leSetScanParameters: .leSetScanParameters
        case .leSetScanEnable: .leSetScanEnable
        case .leSetExtendedScanParameters: .leSetExtendedScanParameters
        case .leSetExtendedScanEnable: .leSetExtendedScanEnable
        case .leConnectionUpdate: .leConnectionUpdate
        case .disconnect: .disconnect
        case .other(let opcode): opcode
        }
    }

    private var parameters: [UInt8] {
        var writer = ByteWriter(capacity: 16)
        switch self {
        case .readLocalSupportedCommands, .readLocalSupportedFeatures, .other: break
        case .leSetScanParameters(let scan):
            writer.write(UInt8(scan.isActive ? 1 : 0))
            writer.writeLittleEndian(scan.interval)
            writer.writeLittleEndian(scan.window)
            writer.write(scan.ownAddress.rawValue)
            // Filter policy 0: reports every advertiser.
            writer.write(UInt8(0))
        case .leSetScanEnable(let isOn, let filtersDuplicates):
            writer.write([isOn ? 1 : 0, filtersDuplicates ? 1 : 0])
        case .leSetExtendedScanParameters(let scan):
            writer.write(scan.ownAddress.rawValue)
            writer.write(UInt8(0))
            // Scanning PHYs: LE 1M only, on which mesh services advertise.
            writer.write(UInt8(1))
            writer.write(UInt8(scan.isActive ? 1 : 0))
            writer.writeLittleEndian(scan.interval)
            writer.writeLittleEndian(scan.window)
        case .leSetExtendedScanEnable(let isOn, let filtersDuplicates):
            // Duration and period 0: no time limit.
            writer.write([isOn ? 1 : 0, filtersDuplicates ? 1 : 0, 0, 0, 0, 0])
        case .leConnectionUpdate(let handle, let connection):
            writer.writeLittleEndian(handle)
            writer.writeLittleEndian(connection.minimumInterval)
            writer.writeLittleEndian(connection.maximumInterval)
            writer.writeLittleEndian(connection.latency)
            writer.writeLittleEndian(connection.supervisionTimeout)
            // No expected length of a connection event.
            writer.write([0, 0, 0, 0])
        case .disconnect(let handle):
            writer.writeLittleEndian(handle)
            writer.write(HCIErrorCode.remoteUserTerminated.rawValue)
        }
        return writer.bytes
    }

    /// The octets for the kernel's raw HCI socket: packet type 0x01, then the command.
    package var encoded: [UInt8] {
        let parameters = parameters
        var writer = ByteWriter(capacity: 4 + parameters.count)
        writer.write(HCIPacket.commandType)
        writer.writeLittleEndian(opcode.rawValue)
        writer.write(UInt8(parameters.count))
        writer.write(parameters)
        return writer.bytes
    }

    /// Reads a command without its packet type; the kernel shows commands of others in this form. Of the parameters,
    /// only whether scanning is switched on is kept.
    init(decoding bytes: ArraySlice<UInt8>) throws(DecodeError) {
        var reader = ByteReader(bytes)
        let opcode = HCIOpcode(rawValue: try reader.readUInt16LittleEndian())
        let length = try reader.readUInt8()
        guard reader.remaining == Int(length) else { throw .length(reader.remaining) }
        switch opcode {
        case .leSetScanEnable:
            self = .leSetScanEnable(
                try reader.readUInt8() != 0,
                filtersDuplicates: try reader.readUInt8() != 0
            )
        case .leSetExtendedScanEnable:
            self = .leSetExtendedScanEnable(
                try reader.readUInt8() != 0,
                filtersDuplicates: try reader.readUInt8() != 0
            )
        default: self = .other(opcode)
        }
    }
}

/// How to scan (Core Vol 4 Part E 7.8.10).
package struct LEScanParameters: Hashable, Sendable {
    /// Whether to ask for scan responses.
    package var isActive: Bool
    /// The time from the start of one window to the start of the next, in units of 0.625 ms.
    package var interval: UInt16
    /// How long to listen in each interval, in units of 0.625 ms.
    package var window: UInt16
    /// The kind of address that scan requests come from.
    package var ownAddress: BluetoothAddress.Kind
}

/// The parameters of a connection (Core Vol 4 Part E 7.8.18).
package struct LEConnectionParameters: Hashable, Sendable {
    /// The shortest time between connection events, in units of 1.25 ms.
    package var minimumInterval: UInt16
    /// The longest time between connection events, in units of 1.25 ms.
    package var maximumInterval: UInt16
    /// How many connection events the device may skip.
    package var latency: UInt16
    /// After how long a silence the connection counts as lost, in units of 10 ms.
    package var supervisionTimeout: UInt16

    /// An interval of 15 to 30 ms, and lost after 4 s. With the kernel's own 30 to 50 ms one packet waits for the next.
    /// The kernel gives up after 420 ms, and a door that closes can cause such a silence.
    package static let mesh = LEConnectionParameters(
        minimumInterval: 12,
        maximumInterval: 24,
        latency: 0,
        supervisionTimeout: 400
    )
}
