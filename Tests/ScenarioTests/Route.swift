import Foundation
import Testing

/// A way from a command to the simulated nodes of a test.
enum Route: String, CustomTestStringConvertible, Sendable {
    /// The nodes are inside the command itself, in virtual time.
    case simulator
    /// The nodes are a process, over its socket.
    case socket
    /// The nodes are that process, each a GATT server beside an adapter of the kernel; `Tests/KernelBluetooth` makes those.
    case kernel

    var testDescription: String { rawValue }

    /// The ways that this machine has: in the guest with the kernel's Bluetooth that one alone, for all else is tested outside.
    static let here: [Route] = KernelRadio.isHere ? [.kernel] : [.simulator, .socket]

    /// Those whose nodes live on beside the command.
    static let toProcesses = here.filter { $0 != .simulator }
}
