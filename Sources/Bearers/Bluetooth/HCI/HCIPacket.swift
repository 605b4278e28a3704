package import MeshCore

/// A packet that the kernel's raw HCI socket shows: an event of the controller, or a command that somebody else sends
/// to it (packet types: Core Vol 4 Part A 2).
package enum HCIPacket: Hashable, Sendable {
    /// A command of somebody else, often of the kernel itself.
    case command(HCICommand)
    case event(HCIEvent)
    /// Data, or a packet type that does not matter here.
    case other

    static let commandType: UInt8 = 0x01
    static let eventType: UInt8 = 0x04

    /// Reads a packet: type (1), then its content.
    package init(decoding bytes: ArraySlice<UInt8>) throws(DecodeError) {
        guard let type = bytes.first else { throw .length(0) }
        switch type {
        case HCIPacket.commandType: self = .command(try HCICommand(decoding: bytes.dropFirst()))
        case HCIPacket.eventType: self = .event(try HCIEvent(decoding: bytes.dropFirst()))
        default: self = .other
        }
    }
}
