package import MeshCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The Bluetooth hardware and kernel support of this machine, and what this process may do with it.
package struct BluetoothSurvey: Hashable, Sendable {
    /// Whether the kernel supports Bluetooth.
    package enum Kernel: Hashable, Sendable {
        case available
        /// The kernel has no Bluetooth, or offers none to a process in this container (EAFNOSUPPORT).
        case unsupported
        /// The kernel refuses to answer; the text is the system's reason.
        case refused(String)
        /// The system is not Linux.
        case otherSystem
    }

    package var kernel: Kernel
    /// The adapters, in order of their numbers.
    package var adapters: [BluetoothAdapter]
    /// Whether this process may use raw HCI sockets (CAP_NET_RAW). Without them it hears nothing.
    package var canScan: Bool
    package var isDaemonRunning: Bool
    /// Whether a switch that belongs to no adapter is off. Such a switch can make adapters vanish.
    package var block: BluetoothAdapter.Block
    /// The path of this program, which hints name when the program needs privileges.
    package var program: String

    package init(
        kernel: Kernel,
        adapters: [BluetoothAdapter] = [],
        canScan: Bool = false,
        isDaemonRunning: Bool = false,
        block: BluetoothAdapter.Block = .none,
        program: String = "meshplan"
    ) {
        self.kernel = kernel
        self.adapters = adapters
        self.canScan = canScan
        self.isDaemonRunning = isDaemonRunning
        self.block = block
        self.program = program
    }

    /// The adapter with that name or address, or the first one that is ready if no name is given.
    ///
    /// - Throws: ``BearerError`` that says what is missing and how to mend it.
    package func adapter(_ name: String?) throws(BearerError) -> BluetoothAdapter {
        if let problem = kernelProblem { throw problem }
        guard !adapters.isEmpty else { throw noAdapter }
        let candidates: [BluetoothAdapter]
        if let name {
            let address = BluetoothAddress(name)
            candidates = adapters.filter { $0.name == name || address != nil && $0.address.octets == address?.octets }
            guard !candidates.isEmpty else { throw unknown(name) }
        } else {
            candidates = adapters
        }
        let ready = candidates.first { problem(of: $0) == nil }
        if ready == nil, let problem = candidates.first.flatMap({ problem(of: $0) }) { throw problem }
        if !canScan { throw BluetoothSurvey.missingRights(program) }
        guard let ready else { throw noAdapter }
        // If an adapter has no public address, the kernel takes the first adapter that is on.
        if ready.address.isZero, let other = adapters.first(where: { $0.isUp && $0.number != ready.number }) {
            throw BearerError(
                "the Bluetooth adapter \(ready.name) has no public address, so connections would use \(other.name)",
                hint: "switch the other one off: sudo btmgmt --index \(other.number) power off"
            )
        }
        return ready
    }

    /// Why the kernel cannot be used; nil if it can.
    package var kernelProblem: BearerError? {
        switch kernel {
        case .available: nil
        case .unsupported:
            BearerError(
                "this system's kernel has no Bluetooth",
                hint: "load it with sudo modprobe bluetooth; a container must share the host's network, as --network "
                    + "host makes it"
            )
        case .refused(let reason):
            BearerError(
                "the system does not let this process use Bluetooth: \(reason)",
                hint: "run it outside of its container or sandbox"
            )
        case .otherSystem:
            BearerError(
                "meshplan uses Bluetooth adapters directly on Linux only",
                hint: "run \(command: .runGateway) on a Linux machine near the mesh"
            )
        }
    }

    private var noAdapter: BearerError {
        switch block {
        case .none:
            BearerError(
                "this machine has no Bluetooth adapter",
                hint: "plug one in; if there is one, dmesg shows whether its firmware is missing"
            )
        case .soft:
            BearerError(
                "Bluetooth is switched off, so there is no adapter",
                hint: "switch it on with rfkill unblock bluetooth"
            )
        case .hard:
            BearerError(
                "Bluetooth is switched off by a switch or key of this machine, so there is no adapter",
                hint: "switch it on there"
            )
        }
    }

    private func unknown(_ name: String) -> BearerError {
        let there = adapters.map { $0.address.isZero ? $0.name : "\($0.name) (\($0.address))" }
        return BearerError(
            "there is no Bluetooth adapter \(name)",
            hint: "there \(there.count == 1 ? "is" : "are") \(there.joined(separator: ", "))"
        )
    }

    /// Why an adapter cannot be used; nil if it is ready.
    package func problem(of adapter: BluetoothAdapter) -> BearerError? {
        if adapter.isUp {
            guard !adapter.hasLowEnergy else { return nil }
            return BearerError(
                "the Bluetooth adapter \(adapter.name) does not support Low Energy",
                hint: "use one with Bluetooth 4.0 or later"
            )
        }
        switch adapter.block {
        case .hard:
            return BearerError(
                "the Bluetooth adapter \(adapter.name) is switched off by a switch or key of this machine",
                hint: "switch it on there"
            )
        case .soft:
            return BearerError(
                "the Bluetooth adapter \(adapter.name) is blocked (rfkill)",
                hint: "unblock it with rfkill unblock bluetooth"
            )
        case .none:
            let index = "sudo btmgmt --index \(adapter.number)"
            return BearerError(
                "the Bluetooth adapter \(adapter.name) is switched off",
                hint: isDaemonRunning
                    ? "switch it on with bluetoothctl power on"
                    : "switch it on with \(index) le on && \(index) power on"
            )
        }
    }

    /// The error when the process may not use raw HCI sockets.
    package static func missingRights(_ program: String) -> BearerError {
        BearerError(
            "this process may not use the Bluetooth adapter: it lacks the capability CAP_NET_RAW",
            hint: "give it to the program with sudo setcap cap_net_raw+ep \(program), or run it with sudo"
        )
    }

    /// The error that a failed system call on an adapter's HCI socket means.
    static func error(_ error: SystemError, of adapter: String) -> BearerError {
        switch error.number {
        case EPERM, EACCES: missingRights(programPath)
        case EAFNOSUPPORT, EPROTONOSUPPORT:
            BluetoothSurvey(kernel: .unsupported).kernelProblem ?? BearerError("this system's kernel has no Bluetooth")
        case ENETDOWN:
            BearerError(
                "the Bluetooth adapter \(adapter) was switched off",
                hint: "switch it on again with bluetoothctl power on, or sudo btmgmt power on"
            )
        case ENODEV, EPIPE, ENXIO, EBADFD, 0:
            BearerError("the Bluetooth adapter \(adapter) is gone", hint: "plug it in again")
        case EBUSY, EUSERS:
            BearerError(
                "another program uses the Bluetooth adapter \(adapter) exclusively",
                hint: "stop it; bluetooth-meshd is such a program"
            )
        default: BearerError("the Bluetooth adapter \(adapter) cannot be used: \(error.text)")
        }
    }
}

var programPath: String {
    var buffer = [CChar](repeating: 0, count: 4096)
    #if canImport(Darwin)
    return CommandLine.arguments.first ?? "meshplan"
    #else
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0 else { return CommandLine.arguments.first ?? "meshplan" }
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    #endif
}
