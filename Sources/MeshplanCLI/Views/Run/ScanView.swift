import MeshCore

/// Shows the results of a scan: as tables, or a line for each change.
struct ScanView {
    var names: ScanNames
    var style: Style
    /// Whether nodes listened, too, so that the text says who hears a device.
    var tellsWhoHears = false

    /// The most hearers of a device to name.
    private static let hearerLimit = 4

    /// The tables of the whole list.
    func render(_ list: ScanList) -> String {
        let devices = list.devices
        var text = style(.bold, "Unprovisioned devices") + " (\(devices.count))\n"
        if !devices.isEmpty {
            var table = Table([
                "UUID", "NAME", "STATE", "OUT OF BAND", "URI HASH", tellsWhoHears ? "HEARD BY" : "SIGNAL",
            ])
            table.rows = devices.map { device in
                [
                    device.uuid.description, name(of: device), state(of: device), information(of: device),
                    device.uriHash.map { "0x" + $0.hexadecimal } ?? "-", heard(device),
                ]
            }
            text += table.render(style, indent: "  ")
        }
        let proxies = list.proxies
        text += "\n" + style(.bold, "Proxies") + " (\(proxies.count))\n"
        if !proxies.isEmpty {
            var table = Table(["NAME", "ADDRESS", "ADVERTISES", "SUBNETS", "SIGNAL"])
            table.rows = proxies.map { proxy in
                [
                    name(of: proxy), proxy.node?.description ?? "-", proxy.advertisement.title, subnets(of: proxy),
                    signal(proxy.signal),
                ]
            }
            text += table.render(style, indent: "  ")
        }
        if list.strangerCount > 0 {
            text += "\n\(count(list.strangerCount, "proxy", plural: "proxies")) of other networks\n"
        }
        return text
    }

    /// The line for one change: `+` for newcomers, `~` for proxies that turn out to be a certain node, `-` for
    /// departures.
    func line(_ change: ScanList.Change) -> String {
        switch change {
        case .appeared(let entry): style(.create, "+") + " " + text(entry)
        case .reached(let device, let node):
            style(.update, "~")
                + " device \(device.uuid)\(suffix(of: device)): heard by \(hearer(node, device.nodes[node]))"
        case .identified(let proxy): style(.update, "~") + " " + text(.proxy(proxy))
        case .left(let entry): style(.delete, "-") + " " + text(entry)
        }
    }

    private func text(_ entry: ScanList.Entry) -> String {
        switch entry {
        case .device(let device):
            var parts = [state(of: device), information(of: device)].filter { $0 != "-" }
            if let hash = device.uriHash { parts.append("URI hash 0x" + hash.hexadecimal) }
            parts.append(heard(device))
            return "device \(device.uuid)\(suffix(of: device)): "
                + parts.filter { $0 != "-" }.joined(separator: ", ")
        case .proxy(let proxy):
            let name = proxy.node.map { "\(self.name(of: proxy)) (\($0))" } ?? proxy.advertisement.title
            let parts = [subnets(of: proxy), signal(proxy.signal)].filter { $0 != "-" }
            return "proxy \(name)" + (parts.isEmpty ? "" : ": " + parts.joined(separator: ", "))
        }
    }

    private func name(of device: ScanList.Device) -> String { names.name(of: device.uuid)?.printable ?? "-" }

    private func name(of proxy: ScanList.Proxy) -> String {
        proxy.node.flatMap { names.name(at: $0) }?.printable ?? "-"
    }

    private func subnets(of proxy: ScanList.Proxy) -> String {
        proxy.subnets.isEmpty ? "-" : proxy.subnets.map { names.name(of: $0) }.joined(separator: ", ")
    }

    private func state(of device: ScanList.Device) -> String {
        switch names.standing(of: device.uuid) {
        case .unasked: "-"
        case .new: "new"
        case .defined: "in the definition"
        case .pending: "provisioning was begun"
        case .node(let address): "was node \(address), is reset"
        }
    }

    private func information(of device: ScanList.Device) -> String {
        device.information.names.isEmpty ? "-" : device.information.names.joined(separator: ", ")
    }

    /// The name to add after a UUID.
    private func suffix(of device: ScanList.Device) -> String {
        let name = name(of: device)
        return name == "-" ? "" : " " + name
    }

    /// How well a device is heard, and by whom if nodes listened: first ourselves, then the strongest.
    private func heard(_ device: ScanList.Device) -> String {
        guard tellsWhoHears else { return signal(device.signal) }
        var hearers = device.direct.map { ["directly " + strength($0)] } ?? []
        hearers += device.nodesByStrength.map { hearer($0.node, $0.signal) }
        guard hearers.count > Self.hearerLimit else { return hearers.joined(separator: ", ") }
        let rest = hearers.count - Self.hearerLimit
        return hearers.prefix(Self.hearerLimit).joined(separator: ", ") + " and \(rest) more"
    }

    private func hearer(_ node: DeviceUUID, _ heard: ScanList.Signal?) -> String {
        (names.name(of: node)?.printable ?? node.description) + " " + (heard.map(strength) ?? "-")
    }

    /// The strongest signal so far.
    private func strength(_ signal: ScanList.Signal) -> String { signal.best.map { "\($0) dBm" } ?? "-" }

    private func signal(_ signal: ScanList.Signal) -> String {
        guard let best = signal.best else { return "-" }
        guard let last = signal.last, last != best else { return "\(best) dBm" }
        return "\(best) dBm, last \(last)"
    }
}

extension ScanList.Device {
    /// The nodes that hear the device, the strongest first.
    var nodesByStrength: [(node: DeviceUUID, signal: ScanList.Signal)] {
        nodes.map { (node: $0.key, signal: $0.value) }.sorted {
            ($1.signal.best ?? .min, $0.node) < ($0.signal.best ?? .min, $1.node)
        }
    }
}

extension ProxyAdvertisement {
    /// The kind of advertisement, for people.
    var title: String {
        switch self {
        case .networkID(let identifier): "Network ID \(identifier.hexadecimal)"
        case .nodeIdentity: "Node Identity"
        case .privateNetworkIdentity: "Private Network Identity"
        case .privateNodeIdentity: "Private Node Identity"
        }
    }

    /// The kind of advertisement, for machines.
    var kind: String {
        switch self {
        case .networkID: "network_id"
        case .nodeIdentity: "node_identity"
        case .privateNetworkIdentity: "private_network_identity"
        case .privateNodeIdentity: "private_node_identity"
        }
    }
}
