package import MeshCore

/// A command to the controller (Core Vol 4 Part E 5.4.1): opcode (2, little-endian), length (1), parameters, all
/// integers least significant octet first.
package enum HCICommand: Hashable, Sendable {
    /// Which commands the controller knows.
    case readLocalSupportedCommands
    /// What the controller can do.
    case readLocalSupportedFeatures
    /// How to scan, for controllers with legacy advertising only; not while scanning.
    case leSetScanParameters(LEScanParameters)
    /// Scan, or cease to.
    case leSetScanEnable(Bool, filtersDuplicates: Bool)
    /// How to scan on the LE 1M PHY; not while scanning.
    case leSetExtendedScanParameters(LEScanParameters)
    /// Scan for as long as nobody ends it, or cease to.
    case leSetExtendedScanEnable(Bool, filtersDuplicates: Bool)
    /// Change the rhythm of a connection.
    case leConnectionUpdate(handle: UInt16, LEConnectionParameters)
    /// End a connection, as a user does who has had enough (0x13).
    case disconnect(handle: UInt16)
    /// A command that somebody else has sent and that does not matter here.
    case other(HCIOpcode)

    /// The command's number.
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
            // Whoever advertises is reported.
            writer.write(UInt8(0))
        case .leSetScanEnable(let isOn, let filtersDuplicates):
            writer.write([isOn ? 1 : 0, filtersDuplicates ? 1 : 0])
        case .leSetExtendedScanParameters(let scan):
            writer.write(scan.ownAddress.rawValue)
            writer.write(UInt8(0))
            // Scanning PHYs: LE 1M alone, which mesh services advertise on.
            writer.write(UInt8(1))
            writer.write(UInt8(scan.isActive ? 1 : 0))
            writer.writeLittleEndian(scan.interval)
            writer.writeLittleEndian(scan.window)
        case .leSetExtendedScanEnable(let isOn, let filtersDuplicates):
            // Duration and period 0: until it is switched off.
            writer.write([isOn ? 1 : 0, filtersDuplicates ? 1 : 0, 0, 0, 0, 0])
        case .leConnectionUpdate(let handle, let connection):
            writer.writeLittleEndian(handle)
            writer.writeLittleEndian(connection.minimumInterval)
            writer.writeLittleEndian(connection.maximumInterval)
            writer.writeLittleEndian(connection.latency)
            writer.writeLittleEndian(connection.supervisionTimeout)
            // No expectation of how long a connection event is.
            writer.write([0, 0, 0, 0])
        case .disconnect(let handle):
            writer.writeLittleEndian(handle)
            writer.write(HCIErrorCode.remoteUserTerminated.rawValue)
        }
        return writer.bytes
    }

    /// The command as it is written to the kernel's raw HCI socket: packet type 0x01, then the command.
    package var encoded: [UInt8] {
        let parameters = parameters
        var writer = ByteWriter(capacity: 4 + parameters.count)
        writer.write(HCIPacket.commandType)
        writer.writeLittleEndian(opcode.rawValue)
        writer.write(UInt8(parameters.count))
        writer.write(parameters)
        return writer.bytes
    }

    /// Reads a command without its packet type, as the kernel shows those of others; of the parameters only whether
    /// scanning is switched on.
    ///
    /// - Throws: ``DecodeError`` for a command that breaks its form.
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
    /// Whether scan responses are asked for.
    package var isActive: Bool
    /// From the start of one window to that of the next, in units of 0.625 ms.
    package var interval: UInt16
    /// How long is listened in each interval, in units of 0.625 ms.
    package var window: UInt16
    /// What kind of address scan requests come from.
    package var ownAddress: BluetoothAddress.Kind

    /// Those values.
    package init(isActive: Bool, interval: UInt16, window: UInt16, ownAddress: BluetoothAddress.Kind) {
        self.isActive = isActive
        self.interval = interval
        self.window = window
        self.ownAddress = ownAddress
    }
}

/// The rhythm of a connection (Core Vol 4 Part E 7.8.18).
package struct LEConnectionParameters: Hashable, Sendable {
    /// The least time between connection events, in units of 1.25 ms.
    package var minimumInterval: UInt16
    /// The most time between connection events, in units of 1.25 ms.
    package var maximumInterval: UInt16
    /// How many connection events the device may sleep through.
    package var latency: UInt16
    /// After how long a silence the link counts as lost, in units of 10 ms.
    package var supervisionTimeout: UInt16

    /// Every 15 to 30 ms, for the kernel's own 30 to 50 ms let one packet wait for the next, and lost after 4 s: the
    /// kernel gives up after 420 ms, which a door that is closed is enough for.
    package static let mesh = LEConnectionParameters(
        minimumInterval: 12,
        maximumInterval: 24,
        latency: 0,
        supervisionTimeout: 400
    )
}
