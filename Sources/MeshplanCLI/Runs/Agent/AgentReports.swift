import MeshCore
import SystemLayer

/// The folder with plans in Markdown: a file for each network, and one for all.
struct AgentReports {
    private let context: Context
    private let folder: String?
    private let state: AgentState
    private let networks: [String]

    /// How the file for all begins.
    private static let mark = "<!-- meshplan plans -->"
    /// The name of the file for all, which hosts of git repositories show with its folder.
    private static let list = "README.md"

    /// - Parameter folder: where they stand, as the user named it; nil for nowhere.
    init(_ context: Context, _ folder: String?, _ state: AgentState, _ fleet: Fleet) {
        self.context = context
        self.folder = folder
        self.state = state
        networks = fleet.networks.map(\.name)
    }

    private static func file(of network: String) -> String { network + ".plan.md" }

    /// What `plan` gets so that it writes the file of a network.
    func arguments(_ network: String) -> [ChildWord] {
        folder.map { [.option("--markdown", context.absolute($0) + "/" + Self.file(of: network))] } ?? []
    }

    /// Writes the file of a network that cannot be planned; that of a plan is there already.
    func complete(_ network: String, _ outcome: AgentMachine.Outcome) {
        guard let folder, ![.success, .changes, .refused].contains(outcome.status) else { return }
        let text = """
            \(PlanMarkdown.mark): \(network.printable) -->

            ### Plan for network \(MarkdownText.code(network))

            > **It cannot be planned.** \(MarkdownText.prose(outcome.summary.asSentence))

            """
        write(text, to: folder + "/" + Self.file(of: network))
    }

    func writeList() {
        guard let folder else { return }
        var lines = [Self.mark, "", "| network | result | changes | digest to approve |", "| --- | --- | ---: | --- |"]
        for name in networks {
            guard let known = state.networks[name], known.plannedAt != nil else { continue }
            let status = ExitStatus(rawValue: known.status) ?? .failure
            let word = FleetView.word(status, "plan")
            let link = "[\(name.printable)](\(Self.file(of: name)))"
            let digest = known.digest.map { MarkdownText.code("\(name) \($0)") } ?? ""
            lines.append("| \(link) | \(word) | \(known.changes) | \(digest) |")
        }
        write(lines.joined(separator: "\n") + "\n", to: folder + "/" + Self.list)
    }

    private func write(_ text: String, to path: String) {
        do throws(FileError) {
            try AtomicFile.write(context.absolute(path), as: path, Array(text.utf8), mode: 0o644)
        } catch {
            let failure = Failure(explaining: error)
            FailureView(context).warn("cannot write \(path.printable): \(failure.message)", hint: "The agent goes on.")
        }
    }

    /// Makes the folder, and refuses one whose list somebody else has written.
    ///
    /// - Throws: ``Failure`` or ``FileError`` if it cannot be used.
    static func prepare(_ folder: String, in context: Context) throws {
        _ = try Files.createFolder(context.absolute(folder), as: folder, mode: 0o755)
        try OutputTarget.check("\(folder)/\(list)", is: "a list of plans", ending: ".md", in: context) {
            $0.starts(with: mark.utf8)
        }
    }
}
