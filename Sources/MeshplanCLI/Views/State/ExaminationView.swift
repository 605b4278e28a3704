import MeshCore
import Planning
import Store
import SystemLayer

/// Shows the findings about a network, a gateway, the folder or Bluetooth.
struct ExaminationView {
    /// The examined subject.
    enum Subject {
        case network(String)
        case gateway(String)
        /// The folders that hold databases and keys.
        case folder
        case bluetooth

        /// The kind, for machines.
        fileprivate var kind: String {
            switch self {
            case .network: "network"
            case .gateway: "gateway"
            case .folder: "folder"
            case .bluetooth: "bluetooth"
            }
        }

        fileprivate var title: String {
            switch self {
            case .network: "Network"
            case .gateway: "Gateway"
            case .folder: "Folder"
            case .bluetooth: "Bluetooth of"
            }
        }

        fileprivate var name: String {
            switch self {
            case .network(let name), .gateway(let name): name
            case .folder: Workspace.folderName
            case .bluetooth: "this machine"
            }
        }
    }

    var subject: Subject
    /// The findings, the worst first.
    var findings: [ExaminationFinding]
    /// How much the nodes of a network have told; nil if that is not known, or it is no network.
    var observed: ObservationAges?

    /// Writes the findings as text or JSON.
    func show(in context: Context) {
        if let lines = context.json {
            for finding in findings {
                lines.write([
                    "type": "finding", subject.kind: subject.name.json, "severity": finding.severity.name.json,
                    "code": finding.code.json, "resource": finding.resource?.json, "message": finding.message.json,
                    "advice": finding.advice.worded.json,
                ])
            }
            let summary: KeyValuePairs<String, JSONValue?> = [
                "type": "examination", subject.kind: subject.name.json, "errors": .integer(count(of: .error)),
                "warnings": .integer(count(of: .warning)), "notes": .integer(count(of: .note)),
                "readable_nodes": observed.map { .integer($0.nodes) },
                "never_read_back": observed.map { .integer($0.never) },
            ]
            // The first is that of the network, of which the others are the surroundings.
            return lines.report?.summary == nil ? lines.write(summary: summary) : lines.write(summary)
        }
        let style = context.style
        context.output.line(style(.bold, "\(subject.title) \(subject.name.printable)"))
        for finding in findings {
            let label = style(finding.severity.dress, "\(finding.severity.name):")
            context.output.line("  \(label) \(finding.message.printable)")
            for line in finding.advice.worded.split(separator: "\n") {
                context.output.line("    \(String(line).printable)")
            }
        }
        guard !findings.isEmpty else {
            context.output.line("  " + wellText)
            return
        }
        let figures = [
            MeshplanCLI.count(count(of: .error), "error"), MeshplanCLI.count(count(of: .warning), "warning"),
            MeshplanCLI.count(count(of: .note), "note"),
        ]
        context.output.line("  " + figures.joined(separator: ", ") + ".")
        if let unknownText { context.output.line("  " + unknownText) }
    }

    /// Without findings all is well, as far as it is known.
    private var wellText: String {
        unknownText.map { "Nothing is wrong with files and database. \($0)" } ?? "Nothing is wrong."
    }

    /// What nobody knows of the nodes; nil if each of them was read back.
    private var unknownText: String? {
        guard let observed, observed.never > 0 else { return nil }
        return "What nodes have is not known of \(observed.never) of \(MeshplanCLI.count(observed.nodes, "node")): "
            + "meshplan refresh asks them."
    }

    private func count(of severity: ExaminationFinding.Severity) -> Int {
        findings.count { $0.severity == severity }
    }
}

extension ExaminationFinding.Severity {
    fileprivate var name: String {
        switch self {
        case .note: "note"
        case .warning: "warning"
        case .error: "error"
        }
    }

    fileprivate var dress: Style.Dress {
        switch self {
        case .note: .note
        case .warning: .warning
        case .error: .error
        }
    }
}
