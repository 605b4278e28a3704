package import MeshCore

/// An entry of `nodes` for a device that was found without a network. The user completes it.
package struct UnprovisionedStub: Hashable, Sendable {
    package var name: String
    package var uuid: DeviceUUID
    /// Where its out-of-band data can be found, according to its advertisement.
    package var outOfBandInformation: OutOfBandInformation
    /// Whether only nodes hear it, so that it must be provisioned through one (`via: remote`).
    package var isRemote = false
    /// The names of the nodes that hear it, the strongest first.
    package var hearers: [String] = []

    /// Stubs for devices, in their order, each device once.
    ///
    /// - Parameters:
    ///   - devices: their UUIDs, and where their out-of-band data can be found according to their advertisements.
    ///   - prefix: the start of the names: `light` gives `light-1`, `light-2` and so on. A character that a name cannot
    ///     have becomes a hyphen, and names are in lower case.
    ///   - taken: the names of other nodes and groups, in any case.
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
    ///   - network: the network that it belongs to. Nil leaves that to the other documents of the definition; without
    ///     such documents this one is not complete.
    package static func document(_ stubs: [UnprovisionedStub], network: String?) -> String {
        guard !stubs.isEmpty else { return "" }
        let head = network.map { "version: 1\nnetwork: \($0)\n" } ?? ""
        return head + "nodes:\n" + stubs.map(\.line).joined()
    }

    /// The entry, indented, with a comment about out-of-band data.
    private var line: String {
        var remarks: [String] = []
        if !hearers.isEmpty { remarks.append("heard by \(hearers.prefix(4).joined(separator: ", "))") }
        let names = outOfBandInformation.names
        if !names.isEmpty { remarks.append("OOB information: \(names.joined(separator: ", "))") }
        let comment = remarks.isEmpty ? "" : "  # " + remarks.joined(separator: "; ")
        let way = isRemote ? ", provisioning: { via: remote }" : ""
        return "  \(name): { uuid: \(uuid.description.lowercased())\(way) }\(comment)\n"
    }

    /// The text as a valid start of a name.
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
