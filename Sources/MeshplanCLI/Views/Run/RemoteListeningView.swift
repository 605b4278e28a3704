import Execution
import MeshCore

/// Shows which nodes listened for devices, and which did not.
struct RemoteListeningView {
    var names: ScanNames
    var style: Style

    /// A table of the nodes that listened, then those that did not, and those whose list was too short.
    func render(_ listenings: [RemoteListening], _ list: ScanList) -> String {
        let good = listenings.filter { $0.outcome == .listened || $0.outcome == .notStopped }
        var text = "\n" + style(.bold, "Nodes that listened") + " (\(good.count))\n"
        if !good.isEmpty {
            var table = Table(["NAME", "ADDRESS", "DEVICES", "AT MOST IN A SCAN", "ACTIVE SCAN"])
            table.rows = good.map { listening in
                [
                    name(of: listening), names.address(of: listening.node)?.description ?? "-",
                    "\(list.count(heardBy: listening.node))", listening.maximumScannedItems.map { "\($0)" } ?? "-",
                    listening.isActiveScanSupported.map { $0 ? "yes" : "no" } ?? "-",
                ]
            }
            text += table.render(style, indent: "  ")
        }
        return text + remarks(listenings)
    }

    /// The nodes that did not listen, and those whose list was too short.
    func remarks(_ listenings: [RemoteListening]) -> String {
        let full = listenings.filter(\.isListFull).map(name)
        var lines: [String] = []
        if !full.isEmpty {
            let verb = full.count == 1 ? "tells" : "tell"
            lines.append(
                "\(full.joined(separator: ", ")) \(verb) of no more devices in a scan, and there may be others; provision "
                    + "these, then scan again."
            )
        }
        let silent = listenings.filter { $0.outcome == .silent }.map(name)
        if !silent.isEmpty {
            lines.append("\(silent.count == 1 ? "Does" : "Do") not answer: \(silent.joined(separator: ", ")).")
        }
        for listening in listenings {
            switch listening.outcome {
            case .refused(let status):
                lines.append("\(name(of: listening)) does not listen: \(status.meaning) (\(status)).")
            case .notStopped:
                lines.append("\(name(of: listening)) did not confirm that it stopped; it stops by itself within 20 s.")
            case .listened, .notAsked, .silent: break
            }
        }
        return lines.isEmpty ? "" : "\n" + lines.map { $0 + "\n" }.joined()
    }

    private func name(of listening: RemoteListening) -> String {
        names.name(of: listening.node)?.printable ?? listening.node.description
    }
}

extension ScanList {
    func count(heardBy node: DeviceUUID) -> Int { devices.count { $0.nodes[node] != nil } }
}

extension RemoteListening.Outcome {
    /// The outcome, for machines.
    var identifier: String {
        switch self {
        case .notAsked: "not_asked"
        case .listened: "listened"
        case .notStopped: "not_stopped"
        case .silent: "silent"
        case .refused: "refused"
        }
    }

    /// The status with which the node refused; nil if it did not.
    var refusal: RemoteProvisioningStatusCode? {
        if case .refused(let status) = self { status } else { nil }
    }
}
