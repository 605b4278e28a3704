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
    /// The nodes are that process. Each is a GATT server in range of an adapter of the kernel, which
    /// `Tests/KernelBluetooth` provides.
    case kernel

    /// A gateway stands between the command and the kernel's Bluetooth, as between a machine without a radio and one
    /// with it.
    case kernelGateway

    var testDescription: String { rawValue }

    /// The ways to test on this machine. In the guest, these are only the ways over the kernel's Bluetooth, because the
    /// others are tested outside. With bluetoothd, it is only the direct way, because bluetoothd makes no difference to
    /// a gateway.
    static let here: [Route] =
        switch (KernelRadio.isHere, KernelRadio.isBesideDaemon) {
        case (false, _): [.simulator, .socket, .gateway]
        case (true, false): [.kernel, .kernelGateway]
        case (true, true): [.kernel]
        }
    /// The ways without a gateway in the guest, where time is short.
    static let direct = here.filter { $0 != .kernelGateway }

    /// The direct ways to nodes that outlive the command.
    static let toProcesses = direct.filter { $0 != .simulator }
}
