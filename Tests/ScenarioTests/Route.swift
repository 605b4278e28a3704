import Foundation
import Testing

/// A way from a command to the simulated nodes of a test.
enum Route: String, CustomTestStringConvertible, Sendable {
    /// The nodes are inside the command itself, in virtual time.
    case simulator
    /// The nodes are a process, over its socket.
    case socket
    /// A gateway stands between the command and that process.
    case gateway
    /// The nodes are that process, each a GATT server beside an adapter of the kernel; `Tests/KernelBluetooth` makes those.
    case kernel

    /// A gateway stands between the command and the kernel's Bluetooth: the machine with the radio, and the one without.
    case kernelGateway

    var testDescription: String { rawValue }

    /// The ways that this machine has: in the guest those over the kernel's Bluetooth alone, for the others are tested
    /// outside; beside bluetoothd, which a gateway is as indifferent to, the direct one.
    static let here: [Route] =
        switch (KernelRadio.isHere, KernelRadio.isBesideDaemon) {
        case (false, _): [.simulator, .socket, .gateway]
        case (true, false): [.kernel, .kernelGateway]
        case (true, true): [.kernel]
        }
    /// Those without anybody between the command and the nodes, where time in the guest is short.
    static let direct = here.filter { $0 != .kernelGateway }

    /// Those of them whose nodes live on beside the command.
    static let toProcesses = direct.filter { $0 != .simulator }
}
