internal import MeshCore
internal import Store

/// What a scan has heard as lines of JSON.
struct ScanJSON {
    /// Where the lines go.
    var lines: JSONLines
    /// Who is who.
    var names: ScanNames

    /// The whole list, then the summary.
    func write(_ list: ScanList) {
        for device in list.devices { write(.device(device), event: nil) }
        for proxy in list.proxies { write(.proxy(proxy), event: nil) }
        finish(list)
    }

    /// One change while it is watched.
    func write(_ change: ScanList.Change) {
        switch change {
        case .appeared(let entry): write(entry, event: "appeared")
        case .identified(let proxy): write(.proxy(proxy), event: "identified")
        case .left(let entry): write(entry, event: "left")
        }
    }

    /// The summary.
    func finish(_ list: ScanList) {
        lines.write([
            "type": "summary", "devices": .integer(list.devices.count), "proxies": .integer(list.proxies.count),
            "proxies_of_other_networks": .integer(list.strangerCount),
        ])
    }

    private func write(_ entry: ScanList.Entry, event: JSONValue?) {
        let best = entry.signal.best.map { JSONValue.integer(Int($0)) }
        let last = entry.signal.last.map { JSONValue.integer(Int($0)) }
        switch entry {
        case .device(let device):
            lines.write([
                "type": "unprovisioned_device", "event": event, "uuid": device.uuid.description.json,
                "name": names.name(of: device.uuid)?.json, "state": state(of: device.uuid),
                "oob": .array(device.information.names.map(\.json)),
                "oob_information": .integer(Int(device.information.rawValue)),
                "uri_hash": device.uriHash.map { ("0x" + $0.hexadecimal).json }, "signal_dbm": best,
                "last_signal_dbm": last,
            ])
        case .proxy(let proxy):
            let node = proxy.node.flatMap { names.node(at: $0) }
            let networkID: JSONValue? =
                if case .networkID(let identifier) = proxy.advertisement { identifier.hexadecimal.json } else { nil }
            lines.write([
                "type": "proxy", "event": event, "advertises": proxy.advertisement.kind.json,
                "network_id": networkID, "node": proxy.node.flatMap { names.name(at: $0) }?.json,
                "node_uuid": node?.uuid.description.json, "address": proxy.node?.description.json,
                "subnets": .array(proxy.subnets.map { names.name(of: $0).json }), "signal_dbm": best,
                "last_signal_dbm": last,
            ])
        }
    }

    private func state(of uuid: DeviceUUID) -> JSONValue? {
        switch names.standing(of: uuid) {
        case .unasked: nil
        case .new: "new"
        case .defined: "defined"
        case .pending: "pending"
        case .node: "node_reset"
        }
    }
}
