import MeshCore

@testable import Bearers

/// A controller that scans and refuses as the specification has it, and what the kernel shows of it.
struct ScriptedController {
    /// Whether it has extended scanning, and only that.
    var isExtended = false
    /// Whether it scans.
    var isScanning = false
    /// Commands that it does not answer.
    var silent: Set<HCIOpcode> = []
    /// Statuses that it answers with instead of doing anything.
    var refusals: [HCIOpcode: HCIErrorCode] = [:]
    /// All commands so far.
    private(set) var commands: [HCICommand] = []

    /// Does what a command says, and shows what it answers.
    mutating func receive(_ command: HCICommand) -> [HCIPacket] {
        commands.append(command)
        let opcode = command.opcode
        if silent.contains(opcode) { return [] }
        if let refusal = refusals[opcode] { return [Self.complete(opcode, refusal)] }
        switch command {
        case .readLocalSupportedCommands:
            var octets = [UInt8](repeating: 0, count: 65)
            if isExtended { octets[38] = 0x60 }
            return [.event(.commandComplete(opcode, octets))]
        case .leSetScanParameters, .leSetExtendedScanParameters:
            guard opcode == (isExtended ? .leSetExtendedScanParameters : .leSetScanParameters), !isScanning else {
                return [Self.complete(opcode, .commandDisallowed)]
            }
        case .leSetScanEnable(let isOn, _), .leSetExtendedScanEnable(let isOn, _):
            guard opcode == (isExtended ? .leSetExtendedScanEnable : .leSetScanEnable) else {
                return [Self.complete(opcode, .commandDisallowed)]
            }
            isScanning = isOn
        default: break
        }
        return [Self.complete(opcode, .success)]
    }

    /// Somebody else switches scanning on or off.
    mutating func foreignScan(_ isOn: Bool) -> [HCIPacket] {
        isScanning = isOn
        let command: HCICommand =
            isExtended
            ? .leSetExtendedScanEnable(isOn, filtersDuplicates: true)
            : .leSetScanEnable(isOn, filtersDuplicates: true)
        return [.command(command), Self.complete(command.opcode, .success)]
    }

    static func complete(_ opcode: HCIOpcode, _ status: HCIErrorCode) -> HCIPacket {
        .event(.commandComplete(opcode, [status.rawValue]))
    }

    /// A report of a proxy of some network.
    static func proxy(_ address: BluetoothAddress, signal: Int8? = -50) -> HCIPacket {
        let service = ProxyAdvertisement.networkID(0x3ECA_FF67_2F67_3370).encoded
        let data = [0x02, 0x01, 0x06, UInt8(3 + service.count), 0x16, 0x28, 0x18] + service
        return .event(
            .advertisingReports([AdvertisingReport(type: 0, address: address, data: data, signal: signal)])
        )
    }
}
