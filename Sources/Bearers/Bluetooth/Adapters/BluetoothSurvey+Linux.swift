#if canImport(CBluetooth)
import CBluetooth
import Glibc
import MeshCore

extension BluetoothSurvey {
    /// Surveys this machine. It changes nothing and needs no privileges.
    package static func now() -> BluetoothSurvey {
        var survey = BluetoothSurvey(
            kernel: .available,
            canScan: hasCapability(in: text(of: "/proc/self/status")),
            isDaemonRunning: isRunning("bluetoothd"),
            program: programPath
        )
        let control = meshplan_hci_control()
        guard control >= 0 else {
            let error = SystemError.last
            survey.kernel =
                [EAFNOSUPPORT, EPROTONOSUPPORT, ENOENT].contains(error.number) ? .unsupported : .refused(error.text)
            return survey
        }
        let socket = Descriptor(adopting: control)
        let switches = RadioSwitch.all(in: "/sys/class/rfkill")
        var numbers = [UInt16](repeating: 0, count: Int(HCI_MAX_DEV))
        let count = meshplan_hci_adapters(socket.number, &numbers, Int32(numbers.count))
        for number in numbers.prefix(max(Int(count), 0)).sorted() {
            var info = hci_dev_info()
            guard meshplan_hci_info(socket.number, number, &info) >= 0 else { continue }
            let octets = withUnsafeBytes(of: &info.bdaddr) { Array($0) }
            guard let address = try? BluetoothAddress(.public, littleEndian: octets) else { continue }
            let name = "hci\(number)"
            survey.adapters.append(
                BluetoothAdapter(
                    number: number,
                    name: name,
                    address: address,
                    bus: BluetoothAdapter.bus(info.type & 0x0F),
                    isUp: meshplan_hci_is_up(&info) == 1,
                    hasLowEnergy: BluetoothAdapter.hasLowEnergy(
                        features: withUnsafeBytes(of: &info.features) { Array($0) }
                    ),
                    block: RadioSwitch.block(of: name, among: switches)
                )
            )
        }
        survey.block = RadioSwitch.block(of: nil, among: switches)
        return survey
    }

    private static func isRunning(_ name: String) -> Bool {
        names(in: "/proc").contains { $0.allSatisfy(\.isNumber) && text(of: "/proc/\($0)/comm") == "\(name)\n" }
    }
}
#else
extension BluetoothSurvey {
    package static func now() -> BluetoothSurvey {
        BluetoothSurvey(kernel: .otherSystem)
    }
}
#endif

extension BluetoothSurvey {
    /// Whether a process has CAP_NET_RAW: bit 13 of the effective capabilities in `/proc/PID/status`.
    static func hasCapability(in status: String) -> Bool {
        for line in status.split(separator: "\n") where line.hasPrefix("CapEff:") {
            let digits = line.dropFirst(7).drop { $0 == " " || $0 == "\t" }
            return (UInt64(digits, radix: 16) ?? 0) >> 13 & 1 == 1
        }
        return false
    }
}
