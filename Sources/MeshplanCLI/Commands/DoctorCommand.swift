import ArgumentParser
import MeshCore
import Planning
import Store
import SystemLayer

/// `meshplan doctor`
struct DoctorCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check files, databases and their contents, and suggest repairs.",
        discussion: """
            Checks the permissions of .meshplan and of the files in it, reads every row of the databases, and checks \
            their contents: overlapping addresses and ranges, exclusions, key phases, references to what does not \
            exist, unfinished earlier runs, and when gateway certificates expire. Shows the Bluetooth adapters of this \
            machine, and which options are set by variables and by .meshplan.yaml, too. Nothing is sent and nothing is \
            changed. Exits with 1 if there is an error.
            """
    )

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func run(in context: Context) throws -> ExitStatus {
        let workspace = Workspace(context: context)
        let names = try networks.network.map { [$0] } ?? workspace.networks()
        var worst: ExaminationFinding.Severity?
        for (index, name) in names.enumerated() {
            let examination = Examination(workspace: workspace, name: name)
            let (findings, observed) = examination.findings()
            worst = [worst, findings.first?.severity].compactMap(\.self).max()
            if context.json == nil, index > 0 { context.output.line() }
            ExaminationView(subject: .network(name), findings: findings, observed: observed).show(in: context)
        }
        if context.json == nil, networks.network == nil, !names.isEmpty { context.output.line() }
        // Pairings belong to the folder, not to a network.
        for pairing in networks.network == nil ? try GatewayPairing.begun(in: context) : [] {
            let findings = GatewayExamination(pairing: pairing).findings()
            worst = [worst, findings.first?.severity].compactMap(\.self).max()
            ExaminationView(subject: .gateway(pairing.name), findings: findings).show(in: context)
            if context.json == nil { context.output.line() }
        }
        if networks.network == nil {
            let findings = FolderExamination(context: context).findings()
            worst = [worst, findings.first?.severity].compactMap(\.self).max()
            if !findings.isEmpty {
                ExaminationView(subject: .folder, findings: findings).show(in: context)
                if context.json == nil { context.output.line() }
            }
            try SettingsView(settings: Settings(context)).show(in: context)
            showBluetooth(in: context)
        }
        // A machine that only lends its radio has no network. Everything about it has been reported.
        guard !names.isEmpty else { throw workspace.nothingThere() }
        return worst == .error ? .failure : .success
    }

    /// Bluetooth belongs to the machine, not to a network.
    private func showBluetooth(in context: Context) {
        let findings = BluetoothExamination(survey: context.bluetooth()).findings()
        ExaminationView(subject: .bluetooth, findings: findings).show(in: context)
    }

    /// The examination of one network.
    private struct Examination {
        var workspace: Workspace
        var name: String

        /// The findings, the worst first, and how much the nodes have told; nil if the database cannot be read.
        func findings() -> ([ExaminationFinding], observed: ObservationAges?) {
            var found = files() + leftovers()
            var observed: ObservationAges?
            do {
                let (findings, ages) = try contents()
                found += findings
                observed = ages
            } catch {
                // A network that cannot be examined must not prevent examining the others.
                let failure = Failure(explaining: RestoringAdvice(workspace.context).improved(error))
                found.append(
                    ExaminationFinding(
                        .error,
                        "unreadable",
                        failure.message,
                        advice: failure.hint ?? "Replace it with a backup."
                    )
                )
            }
            let sorted = ExaminationFinding.Severity.allCases.reversed().flatMap { severity in
                found.filter { $0.severity == severity }
            }
            return (sorted, observed)
        }

        /// The findings about the contents of the database, and how much the nodes have told.
        private func contents() throws -> ([ExaminationFinding], ObservationAges?) {
            var found: [ExaminationFinding] = []
            var observed: ObservationAges?
            let database = try workspace.open(name)
            let verification = try database.verify()
            found += verification.problems.map { problem in
                ExaminationFinding(
                    .error,
                    "damage",
                    problem.message,
                    advice: (try? workspace.sharedStore()) == nil
                        ? RestoringAdvice(workspace.context).hint(for: name)
                            ?? "Restore a copy; meshplan state verify FILE shows whether that is intact."
                        : "Restore a backup with meshplan state push FILE --force, or have the server restored."
                )
            }
            if let problem = verification.lockProblem {
                let failure = Failure(explaining: problem)
                found.append(
                    ExaminationFinding(
                        .error,
                        "lock",
                        failure.message,
                        advice: failure.hint ?? "Ask who runs the server."
                    )
                )
            }
            if let pending = try database.pendingConfirmation() {
                found.append(
                    ExaminationFinding(
                        .warning,
                        "unconfirmed",
                        "changes by \(pending.user) on \(pending.host) from \(pending.began.text) wait for confirmation",
                        advice:
                            "Keep them with meshplan confirm, or go back with meshplan rollback --unconfirmed --via BEARER."
                    )
                )
            }
            if verification.problems.isEmpty {
                let snapshot = try database.snapshot()
                observed = ObservationAges(snapshot.network)
                found += try sequenceNumbers(snapshot, database)
                found += NetworkExamination.findings(in: snapshot.network, at: workspace.context.now())
                if !snapshot.unresolved.isEmpty {
                    found.append(
                        ExaminationFinding(
                            .warning,
                            "in-doubt",
                            "\(count(snapshot.unresolved.count, "request")) of an earlier run may or may not have arrived",
                            advice: "meshplan apply reads them back first."
                        )
                    )
                }
                found += uncertainResets(snapshot)
                let lent = snapshot.network.nodes.count { $0.heartbeatToRestore != nil }
                if lent > 0 {
                    found.append(
                        ExaminationFinding(
                            .warning,
                            "lent-heartbeats",
                            "\(count(lent, "node")) \(lent == 1 ? "has" : "have") not got back their own heartbeats "
                                + "since hops were counted",
                            advice: "meshplan apply gives them back."
                        )
                    )
                }
            }
            return (found, observed)
        }

        /// Findings about nodes of which nobody knows whether they were reset.
        private func uncertainResets(_ snapshot: Snapshot) -> [ExaminationFinding] {
            let doubts = snapshot.unresolved.filter { (try? ConfigurationAction(decoding: $0.action)) == .resetNode }
            let uncertain = Set(doubts.map(\.node))
            return snapshot.network.nodes.filter { uncertain.contains($0.uuid) }.map { node in
                ExaminationFinding(
                    .warning,
                    "reset-in-doubt",
                    "it is not known whether \(node.name) was reset",
                    advice: "If it has left the network: meshplan node was-reset \(node.unicastAddress)"
                )
            }
        }

        /// Findings about sequence numbers and the IV index.
        private func sequenceNumbers(_ snapshot: Snapshot, _ database: MeshDatabase) throws -> [ExaminationFinding] {
            guard snapshot.network.nodes.contains(where: { $0.uuid == snapshot.network.ownProvisioner }) else {
                return []
            }
            let notice = SequenceNotice(workspace.context, network: name)
            let health = try notice.health(of: snapshot, database)
            return health.findings.map { finding in
                let (message, hint) = finding.text(health)
                return ExaminationFinding(
                    finding.isGrave ? .error : finding.isWorthWarning ? .warning : .note,
                    finding.code.replacing("_", with: "-"),
                    message,
                    advice: hint
                )
            }
        }

        /// What earlier runs left beside the database: sealed changes that a server could not take, and files that were
        /// never finished.
        private func leftovers() -> [ExaminationFinding] {
            let folder = Workspace.folderName
            let names = (try? Files.names(inFolder: workspace.context.absolute(folder), as: folder)) ?? []
            let spills = names.filter { $0 == "\(name).spill" || $0.hasPrefix("\(name).spill-") }.map { spill in
                ExaminationFinding(
                    .warning,
                    "unsaved-changes",
                    "\(folder)/\(spill) holds changes that the database could not take",
                    advice: spill == "\(name).spill"
                        ? "Run the same command again once the database can be reached; it stores them first."
                        : "Nothing reads it any more: find out what nodes are with meshplan refresh, then remove it."
                )
            }
            let unfinished = [folder, Backups.folderName].flatMap { place in
                TemporaryFiles.leftovers(inFolder: workspace.context.absolute(place))
                    .filter { $0.hasPrefix(name + ".") || $0.hasPrefix(name + "-") }.map { "\(place)/\($0)" }
            }
            return spills
                + unfinished.map { path in
                    ExaminationFinding(
                        .note,
                        "unfinished-file",
                        "a command that was killed left \(path)",
                        advice: "The next command that changes the database removes it."
                    )
                }
        }

        /// Findings about files with secrets that others can use.
        private func files() -> [ExaminationFinding] {
            let path = Workspace.databasePath(name)
            let paths = [
                Workspace.keyPath, path, path + "-wal", Workspace.simulatorPath(name),
                "\(Workspace.folderName)/\(name).spill",
            ]
            let backups =
                (try? Files.names(inFolder: workspace.context.absolute(Backups.folderName), as: Backups.folderName))
                ?? []
            return (paths + backups.filter { $0.hasPrefix(name + "-") }.map { "\(Backups.folderName)/\($0)" }).filter {
                Files.isReadableByOthers(workspace.context.absolute($0))
            }.map { path in
                ExaminationFinding(
                    .error,
                    "readable-by-others",
                    "other users can read \(path)",
                    advice: "chmod 600 \(path), and replace the keys if somebody may have read it."
                )
            }
        }
    }
}
