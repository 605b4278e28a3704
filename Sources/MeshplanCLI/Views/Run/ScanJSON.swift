import Execution
import MeshCore
import Store
import SystemLayer

/// The results of a scan as lines of JSON.
struct ScanJSON {
    var lines: JSONLines
    var names: ScanNames
    /// Whether nodes listened, too, so that the lines say who hears a device.
    var tellsWhoHears = false

    /// Writes the whole list, then the summary.
    ///
    /// - Parameter listenings: the results of the nodes that should listen.
    func write(_ list: ScanList, _ listenings: [RemoteListening] = []) {
        for device in list.devices { write(.device(device), event: nil) }
        for proxy in list.proxies { write(.proxy(proxy), event: nil) }
        finish(list, listenings)
    }

    /// Writes one change while watching.
    func write(_ change: ScanList.Change) {
        switch change {
        case .appeared(let entry): write(entry, event: "appeared")
        case .reached(let device, _): write(.device(device), event: "reached")
        case .identified(let proxy): write(.proxy(proxy), event: "identified")
        case .left(let entry): write(entry, event: "left")
        }
    }

    /// Writes the results of the nodes that should listen, and the summary.
    func finish(_ list: ScanList, _ listenings: [RemoteListening] = []) {
        for listening in listenings {
            lines.event([
                "type": "remote_provisioning_server", "node": names.name(of: listening.node)?.json,
                "node_uuid": listening.node.description.json, "outcome": listening.outcome.identifier.json,
                "refused_with": listening.outcome.refusal?.description.json,
                "devices": .integer(list.count(heardBy: listening.node)),
                "maximum_items": listening.maximumScannedItems.map { .integer(Int($0)) },
                "active_scan": listening.isActiveScanSupported.map { .bool($0) },
                "list_full": .bool(listening.isListFull),
            ])
        }
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
            lines.event([
                "type": "unprovisioned_device", "event": event, "uuid": device.uuid.description.json,
                "name": names.name(of: device.uuid)?.json, "state": state(of: device.uuid),
                "oob": .array(device.information.names.map(\.json)),
                "oob_information": .integer(Int(device.information.rawValue)),
                "uri_hash": device.uriHash.map { ("0x" + $0.hexadecimal).json }, "signal_dbm": best,
                "last_signal_dbm": last, "direct": tellsWhoHears ? .bool(device.direct != nil) : nil,
                "heard_by": tellsWhoHears ? .array(device.nodesByStrength.map(hearer)) : nil,
            ])
        case .proxy(let proxy):
            let node = proxy.node.flatMap { names.node(at: $0) }
            let networkID: JSONValue? =
                if case .networkID(let identifier) = proxy.advertisement { identifier.hexadecimal.json } else { nil }
            lines.event([
                "type": "proxy", "event": event, "advertises": proxy.advertisement.kind.json,
                "network_id": networkID, "node": proxy.node.flatMap { names.name(at: $0) }?.json,
                "node_uuid": node?.uuid.description.json, "address": proxy.node?.description.json,
                "subnets": .array(proxy.subnets.map { names.name(of: $0).json }), "signal_dbm": best,
                "last_signal_dbm": last,
            ])
        }
    }

    private func hearer(_ node: DeviceUUID, _ signal: ScanList.Signal) -> JSONValue {
        .object([
            "node": names.name(of: node)?.json, "node_uuid": node.description.json,
            "signal_dbm": signal.best.map { .integer(Int($0)) },
            "last_signal_dbm": signal.last.map { .integer(Int($0)) },
        ])
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
