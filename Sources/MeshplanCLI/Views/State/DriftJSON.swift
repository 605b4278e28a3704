import MeshCore
import Planning
import Store
import SystemLayer

/// Drift as lines of JSON: one for each value, and the summary last.
struct DriftJSON {
    var report: DriftReport
    /// The network, which knows what could not be read.
    var network: MeshNetwork
    /// The ages of the observations behind the report.
    var observed: ObservationAges

    func write(to lines: JSONLines, network name: String) {
        for node in report.nodes {
            for entry in node.entries {
                let isManaged = entry.declared != .unmanaged
                var declared: String?
                if case .value(let value) = entry.declared { declared = value }
                lines.write([
                    "type": "drift", "node": node.name.json, "node_uuid": node.uuid.description.json,
                    "address": "node.\(node.name).\(entry.path)".json, "managed": .bool(isManaged),
                    "declared": declared?.json, "recorded": entry.recorded?.json, "observed": entry.observed?.json,
                    "since": entry.since.text.json, "read_back_at": node.readBackAt?.text.json,
                ])
            }
        }
        for node in network.nodes where !node.unread.isEmpty {
            lines.write([
                "type": "drift_unread", "node": node.name.json, "node_uuid": node.uuid.description.json,
                "values": .array(node.unread.map(UnreadText.json)), "read_back_at": node.readBackAt?.text.json,
            ])
        }
        for note in report.notes { lines.write(["type": "drift_note", "message": note.json]) }
        lines.write(summary: [
            "type": "drift_summary", "network": name.json, "values": .integer(report.count),
            "nodes": .integer(report.nodes.count { !$0.entries.isEmpty }), "readable_nodes": .integer(observed.nodes),
            "never_read_back": .integer(observed.never), "oldest_read_back": observed.oldest?.text.json,
        ])
    }
}
