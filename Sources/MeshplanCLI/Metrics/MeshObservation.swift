import Catalogue
import Execution
import MeshCore
import Planning
import Store
import SystemLayer

/// What one command notes of its traffic: a log for people, and metrics for a collector. Both are off unless the
/// command line asks for them. What cannot be written never stops the work; a warning says so once.
final class MeshObservation {
    /// How often the file with metrics is brought up to date while a command runs, in milliseconds.
    private static let metricsInterval: Int64 = 10_000

    private var log: MeshLog?
    private var logFile: AppendFile?
    private var metricsPath: String?
    private var metrics = MeshMetrics()
    private var pending: Set<DeviceUUID> = []
    private var metricsDue: Int64 = 0
    private var hasFailed = false
    private var context: Context?

    init() {}

    /// Begins as the options say.
    ///
    /// - Parameter network: the source of names; nil if there is none.
    /// - Throws: ``Failure`` if a file cannot be used.
    func begin(
        _ options: CaptureOptions,
        network: MeshNetwork?,
        vendorModels: [VendorModel],
        in context: Context
    ) throws {
        self.context = context
        if let level = options.level {
            var messages = MessageCatalogue.sig
            for model in vendorModels { try? messages.add(model) }
            log = MeshLog(level: level, names: ElementNames(network), messages: messages)
            if let path = options.logFile, logFile == nil {
                // Its lines begin with the date.
                try OutputTarget.check(path, is: "a log", ending: ".log", in: context) { start in
                    String(decoding: start, as: UTF8.self).prefixMatch(of: #/\d{4}-\d\d-\d\dT/#) != nil
                }
                guard let file = try AppendFile(lockingPath: context.absolute(path), as: path) else {
                    throw Failure(
                        .failure,
                        "another process writes to \(path.printable)",
                        hint: "Choose another name, or wait until it has ended."
                    )
                }
                logFile = file
            }
        }
        guard let path = options.metrics else { return }
        try OutputTarget.check(path, is: "a file with metrics", ending: ".prom", in: context) {
            $0.starts(with: "# HELP meshplan_".utf8)
        }
        metricsPath = path
        metricsDue = context.milliseconds() + Self.metricsInterval
    }

    /// A bearer whose traffic is noted; the same bearer if nothing is noted.
    func observing(_ bearer: any Bearer) -> any Bearer {
        guard let context, log != nil || metricsPath != nil else { return bearer }
        let (start, began) = (context.milliseconds(), bearer.now)
        let note = { [weak self] (report: MeshReport, instant: Instant) in
            // The bearer's clock counts: that of a simulator runs faster than ours.
            let elapsed = Int64(clamping: began.duration(to: instant).microseconds / 1_000)
            self?.note(report, at: start.addingReportingOverflow(elapsed).partialValue)
        }
        return TappedBearer(bearer, reporting: note)
    }

    func count(_ event: ExecutionEvent) {
        switch event {
        case .nodePending(let node, _): pending.insert(node)
        case .nodeFinished(let node), .provisioned(let node, _, _, _): pending.remove(node)
        default: break
        }
    }

    private func note(_ report: MeshReport, at time: Int64) {
        guard let context else { return }
        if let line = log?.line(report) { write(line, at: time, context) }
        guard metricsPath != nil else { return }
        metrics.count(report)
        let now = context.milliseconds()
        guard now >= metricsDue else { return }
        metricsDue = now + Self.metricsInterval
        writeMetrics(nil)
    }

    private func write(_ line: String, at time: Int64, _ context: Context) {
        let stamp = Timestamp.text(milliseconds: time)
        guard let file = logFile else {
            // A progress line may stand there; it is written again with the next change.
            let start = context.errorStyle.isTerminal ? "\r\u{1B}[K" : ""
            return context.errorOutput.line("\(start)\(stamp.dropFirst(11).dropLast())  \(line)")
        }
        guard !hasFailed else { return }
        do throws(FileError) {
            try file.append(Array("\(stamp)  \(line)\n".utf8))
        } catch {
            hasFailed = true
            FailureView(context).warn("\(error.message); the log ends here", hint: "The command goes on.")
        }
    }

    // MARK: Metrics

    /// Writes the metrics for the last time.
    ///
    /// - Parameters:
    ///   - status: how the command ends.
    ///   - databases: those that it has opened.
    func end(_ status: ExitStatus, _ databases: [(network: String, database: MeshDatabase)]) {
        guard metricsPath != nil else { return }
        writeMetrics((status, databases))
    }

    private func writeMetrics(_ end: (status: ExitStatus, databases: [(network: String, database: MeshDatabase)])?) {
        guard let context, let path = metricsPath else { return }
        var text = MetricsText()
        metrics.write(to: &text)
        text.add("meshplan_pending_nodes", .gauge, "Nodes that did not answer in this run.", Double(pending.count))
        if let end {
            NetworkMetrics(end.databases, context).write(to: &text)
            text.add("meshplan_exit_code", .gauge, "The exit code of the last run.", Double(end.status.rawValue))
        }
        text.add(
            "meshplan_last_update_timestamp_seconds",
            .gauge,
            "When this file was written.",
            (Double(context.milliseconds()) / 1_000).rounded(.down)
        )
        do throws(FileError) {
            try AtomicFile.write(context.absolute(path), as: path, Array(text.text.utf8), mode: 0o644)
        } catch {
            metricsPath = nil
            let failure = Failure(explaining: error)
            FailureView(context).warn("cannot write the metrics: \(failure.message)", hint: "The command goes on.")
        }
    }
}

/// What databases know of their networks, as metrics.
private struct NetworkMetrics {
    private var ivIndexes: [MetricsText.Sample] = []
    private var updates: [MetricsText.Sample] = []
    private var left: [MetricsText.Sample] = []
    private var nodes: [MetricsText.Sample] = []
    private var doubts: [MetricsText.Sample] = []
    private var drift: [MetricsText.Sample] = []

    /// Reads databases; what cannot be read is left out.
    init(_ databases: [(network: String, database: MeshDatabase)], _ context: Context) {
        var seen: Set<String> = []
        for (name, database) in databases.reversed() where seen.insert(name).inserted {
            guard let snapshot = try? database.snapshot() else { continue }
            let labels: MetricsText.Labels = ["network": name]
            let network = snapshot.network
            ivIndexes.append((labels, Double(network.ivIndex.value)))
            updates.append((labels, network.ivIndex.isUpdateInProgress ? 1 : 0))
            if let health = try? SequenceNotice(context, network: name).health(of: snapshot, database) {
                left.append((labels, Double(health.left)))
            }
            nodes.append((labels, Double(network.nodes.count { !$0.isExcluded })))
            doubts.append((labels, Double(snapshot.unresolved.count)))
            drift.append((labels, Double(DriftReport.make(of: network, definition: nil).count)))
        }
    }

    func write(to text: inout MetricsText) {
        text.add("meshplan_iv_index", .gauge, "The IV index.", ivIndexes)
        text.add("meshplan_iv_update_in_progress", .gauge, "Whether an IV update is in progress.", updates)
        text.add("meshplan_sequence_numbers_left", .gauge, "Sequence numbers left under the IV index.", left)
        text.add("meshplan_nodes", .gauge, "Nodes of the database.", nodes)
        text.add("meshplan_requests_in_doubt", .gauge, "Requests whose outcome is unknown.", doubts)
        text.add("meshplan_drifted_values", .gauge, "Values of nodes that differ from the record.", drift)
    }
}
