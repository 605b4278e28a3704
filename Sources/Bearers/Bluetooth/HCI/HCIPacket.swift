package import MeshCore

/// What the kernel's raw HCI socket shows: events of the controller, and commands that others send to it (Core Vol 4
/// Part A 2 for the packet types).
package enum HCIPacket: Hashable, Sendable {
    /// Somebody else, often the kernel itself, sends a command.
    case command(HCICommand)
    /// The controller tells something.
    case event(HCIEvent)
    /// Data, or a type of packet that does not matter here.
    case other

    /// A command's packet type.
    static let commandType: UInt8 = 0x01
    /// An event's packet type.
    static let eventType: UInt8 = 0x04

    /// Reads a packet: type (1), then its content.
    ///
    /// - Throws: ``DecodeError`` for commands and events that break their form.
    package init(decoding bytes: ArraySlice<UInt8>) throws(DecodeError) {
        guard let type = bytes.first else { throw .length(0) }
        switch type {
        case HCIPacket.commandType: self = .command(try HCICommand(decoding: bytes.dropFirst()))
        case HCIPacket.eventType: self = .event(try HCIEvent(decoding: bytes.dropFirst()))
        default: self = .other
        }
    }
}
