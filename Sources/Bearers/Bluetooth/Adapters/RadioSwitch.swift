#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A radio switch for Bluetooth, as `/sys/class/rfkill` shows it.
struct RadioSwitch: Hashable, Sendable {
    /// The adapter's name if the switch belongs to one, otherwise a driver's name such as `tpacpi_bluetooth_sw`.
    var name: String
    /// Whether a program has switched the radio off.
    var isSoftBlocked: Bool
    /// Whether the machine's hardware switch is off.
    var isHardBlocked: Bool

    /// All Bluetooth switches in a folder that looks like `/sys/class/rfkill`.
    static func all(in folder: String) -> [RadioSwitch] {
        names(in: folder).sorted().compactMap { entry in
            let path = "\(folder)/\(entry)"
            guard text(of: "\(path)/type") == "bluetooth\n" else { return nil }
            return RadioSwitch(
                name: String(text(of: "\(path)/name").prefix { $0 != "\n" }),
                isSoftBlocked: text(of: "\(path)/soft").first == "1",
                isHardBlocked: text(of: "\(path)/hard").first == "1"
            )
        }
    }

    /// Whether an adapter is blocked by its own switch or by one that belongs to no adapter.
    ///
    /// - Parameter adapter: nil for only the switches that belong to no adapter.
    static func block(of adapter: String?, among switches: [RadioSwitch]) -> BluetoothAdapter.Block {
        let own = switches.filter { $0.name == adapter || !$0.name.hasPrefix("hci") }
        if own.contains(where: \.isHardBlocked) { return .hard }
        return own.contains(where: \.isSoftBlocked) ? .soft : .none
    }
}

/// The entries of a folder, without those that begin with a dot; empty if the folder cannot be read.
func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)) {
                String(cString: $0)
            }
        }
        if !name.hasPrefix(".") { names.append(name) }
    }
    return names
}

/// The first 16 KiB of a file as text; empty if the file cannot be read.
func text(of path: String) -> String {
    let number = open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { return "" }
    defer { close(number) }
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    let count = read(number, &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
}
