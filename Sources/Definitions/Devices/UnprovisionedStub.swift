package import MeshCore

/// An entry of `nodes` for a device that was found without a network, to be completed by hand.
package struct UnprovisionedStub: Hashable, Sendable {
    /// The name of the node.
    package var name: String
    /// The device.
    package var uuid: DeviceUUID
    /// Where its out-of-band data is to be found, as it advertises.
    package var outOfBandInformation: OutOfBandInformation
    /// Whether it is to be reached through a node, since only nodes hear it.
    package var isRemote = false
    /// The names of the nodes that hear it, the strongest first.
    package var hearers: [String] = []

    /// Stubs for devices, in their order, each device once.
    ///
    /// - Parameters:
    ///   - devices: what they advertise.
    ///   - prefix: what names start with; `light` gives `light-1`, `light-2` and so on. What cannot stand in a name
    ///     becomes a hyphen, and names are in lower case.
    ///   - taken: names that other nodes and groups have, in any case.
    package static func stubs(
        for devices: [(uuid: DeviceUUID, outOfBandInformation: OutOfBandInformation)],
        prefix: String,
        avoiding taken: Set<String>
    ) -> [UnprovisionedStub] {
        let prefix = namePrefix(prefix)
        let taken = Set(taken.map { $0.lowercased() })
        var seen: Set<DeviceUUID> = []
        var number = 0
        return devices.compactMap { device in
            guard seen.insert(device.uuid).inserted else { return nil }
            repeat { number += 1 } while taken.contains("\(prefix)-\(number)")
            return UnprovisionedStub(
                name: "\(prefix)-\(number)",
                uuid: device.uuid,
                outOfBandInformation: device.outOfBandInformation
            )
        }
    }

    /// A document of a definition with those nodes; empty if there are none.
    ///
    /// - Parameters:
    ///   - stubs: the nodes.
    ///   - network: the network it is about; nil leaves that to the other documents of the definition, and if there are
    ///     none, the document is not complete.
    package static func document(_ stubs: [UnprovisionedStub], network: String?) -> String {
        guard !stubs.isEmpty else { return "" }
        let head = network.map { "version: 1\nnetwork: \($0)\n" } ?? ""
        return head + "nodes:\n" + stubs.map(\.line).joined()
    }

    /// The entry, indented, with what is known of out-of-band data as a comment.
    private var line: String {
        var remarks: [String] = []
        if !hearers.isEmpty { remarks.append("heard by \(hearers.prefix(4).joined(separator: ", "))") }
        let names = outOfBandInformation.names
        if !names.isEmpty { remarks.append("OOB information: \(names.joined(separator: ", "))") }
        let comment = remarks.isEmpty ? "" : "  # " + remarks.joined(separator: "; ")
        let way = isRemote ? ", provisioning: { via: remote }" : ""
        return "  \(name): { uuid: \(uuid.description.lowercased())\(way) }\(comment)\n"
    }

    /// The text as the start of a name.
    private static func namePrefix(_ text: String) -> String {
        var prefix = ""
        for scalar in text.lowercased().unicodeScalars {
            if ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar) {
                prefix.unicodeScalars.append(scalar)
            } else if !prefix.isEmpty, !prefix.hasSuffix("-") {
                prefix += "-"
            }
        }
        while prefix.hasSuffix("-") { prefix.removeLast() }
        return prefix.isEmpty ? "device" : String(prefix.prefix(48))
    }
}
