package import MeshCore

/// The tables of keys with which Wireshark decrypts captures of a network. They hold secrets.
///
/// Each is the text of a file in a profile's folder: rows of values in quotes, numbers with `0x` and with all digits.
package struct WiresharkKeys {
    /// A file of the profile.
    package struct Table {
        /// The name of the file, which Wireshark prescribes.
        package var name: String
        package var text: String
    }

    /// The tables: keys of the network, device keys, labels.
    package let tables: [Table]

    /// The keys of a network.
    ///
    /// During a key refresh old and new keys are in it, and two IV indexes: nodes may still send under the one before
    /// (Mesh Protocol 3.11.5). A device key stands in two rows, since Wireshark looks for it by the sender: the node,
    /// and whoever configures it.
    package init(_ network: MeshNetwork) {
        let value = network.ivIndex.value
        let indexes = value > 0 ? [value - 1, value] : [value]
        var keys: [String] = []
        for netKey in network.netKeys {
            let bound = network.appKeys.filter { $0.boundNetKey == netKey.index }.flatMap { [$0.key, $0.oldKey] }
            // A row needs an application key. Without one, network and control PDUs are still decrypted.
            let appKeys = bound.isEmpty ? [KeyMaterial(Octets16(high: 0, low: 0))] : bound.compactMap { $0 }
            for net in [netKey.key, netKey.oldKey].compactMap({ $0 }) {
                for app in appKeys {
                    for index in indexes { keys.append(Self.row(Self.text(net), Self.text(app), index.digits)) }
                }
            }
        }
        let own = network.nodes.filter { node in network.provisioners.contains { $0.uuid == node.uuid } }
            .map(\.unicastAddress)
        var devices: [String] = []
        for node in network.nodes {
            guard let key = node.deviceKey else { continue }
            let address = node.unicastAddress
            // Provisioners do not configure each other.
            for sender in [address] + (own.contains(address) ? [] : own) {
                devices.append(Self.row(Self.text(key), sender.rawValue.digits))
            }
        }
        var labels: [String] = []
        for group in network.groups {
            if case .virtual(let label) = group.address { labels.append(Self.row("0x" + label.rawValue.hexadecimal)) }
        }
        tables = [
            Table(name: "btmesh_nw_keys", text: keys.joined()), Table(name: "btmesh_dev_keys", text: devices.joined()),
            Table(name: "btmesh_label_uuids", text: labels.joined()),
        ]
    }

    private static func text(_ key: KeyMaterial) -> String { "0x" + key.octets.hexadecimal }

    private static func row(_ values: String...) -> String {
        values.map { "\"\($0)\"" }.joined(separator: ",") + "\n"
    }
}

extension WiresharkKeys: CustomStringConvertible {
    /// Hides the keys.
    package var description: String { "(secret)" }
}

extension FixedWidthInteger {
    /// `0x` and all hexadecimal digits.
    fileprivate var digits: String {
        let digits = String(self, radix: 16)
        return "0x" + String(repeating: "0", count: Self.bitWidth / 4 - digits.count) + digits
    }
}
