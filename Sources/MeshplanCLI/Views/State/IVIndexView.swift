import MeshCore
import Store
import SystemLayer

/// Shows the IV index and the sequence numbers of our own address.
struct IVIndexView {
    /// The network as the database knows it.
    var network: MeshNetwork
    var name: String
    var health: SequenceHealth

    func render(style: Style) -> String {
        var text = style(.bold, "Network \(name.printable)") + "  IV index \(network.ivIndex.text)\n"
        if let since = network.ivIndexChangedAt {
            let isRecovered = network.ivIndexRecoveredAt == since
            text += "  since \(since.text)\(isRecovered ? ", by recovery" : "")\n"
        }
        if let stated = network.ivIndexStatedAt { text += "  as stated by a person at \(stated.text)\n" }
        if let recovered = network.ivIndexRecoveredAt, recovered != network.ivIndexChangedAt {
            text += "  last recovered \(recovered.text)\n"
        }
        if network.ivIndex.isUpdateInProgress {
            text += "  Messages are sent under \(network.ivIndex.transmitValue) until the update ends.\n"
        }
        let share = "\(health.used) of \(SequenceHealth.capacity) sequence numbers are used or reserved"
        text += "  \(health.source): \(share), \(health.left) left"
        text += (health.timeLeft.map { " (about \($0) at the usual rate)" } ?? "") + "\n"
        for finding in health.findings {
            let (message, hint) = finding.text(health)
            text += "\n\(style(.warning, finding.isGrave ? "Error:" : "Note:")) \(message).\n  \(hint)\n"
        }
        return text
    }

    func write(to lines: JSONLines) {
        lines.write([
            "type": "iv_index", "network": name.json, "iv_index": .integer(Int(network.ivIndex.value)),
            "update_in_progress": .bool(network.ivIndex.isUpdateInProgress),
            "known": .bool(!health.findings.contains(.ivIndexUnknown)),
            "changed_at": network.ivIndexChangedAt?.text.json, "recovered_at": network.ivIndexRecoveredAt?.text.json,
            "stated_at": network.ivIndexStatedAt?.text.json,
        ])
        lines.write([
            "type": "sequence_numbers", "address": health.source.description.json,
            "iv_index": .integer(Int(network.ivIndex.transmitValue)), "used": .integer(Int(health.used)),
            "left": .integer(Int(health.left)), "seconds_left": health.secondsLeft.map { .integer(Int($0)) },
        ])
        for finding in health.findings {
            let (message, hint) = finding.text(health)
            lines.write([
                "type": "finding", "severity": finding.isGrave ? "error" : "warning", "code": finding.code.json,
                "message": message.json, "hint": hint.json,
            ])
        }
    }
}

extension IVIndex {
    /// The index and its state, for people.
    var text: String { "\(value)\(isUpdateInProgress ? ", update in progress" : "")" }
}
