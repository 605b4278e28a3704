/// The plans that somebody has approved: lines `NETWORK DIGEST [WHO]`. Empty lines and those that begin with `#` say
/// nothing.
struct AgentApprovals: Hashable {
    /// An approval.
    struct Approval: Hashable {
        var network: String
        /// The whole digest, 64 lower-case hexadecimal digits.
        var digest: String
        /// Who approves; nil if the line does not say.
        var who: String?

        /// Network and digest, by which it is remembered that it was told.
        var key: String { "\(network) \(digest)" }
        /// What stands behind the network, by which it is remembered that it was used.
        var line: String { who.map { "\(digest) \($0)" } ?? digest }
    }

    /// The approvals in the order of the file.
    var approvals: [Approval] = []
    /// What cannot be read: the number of the line, and why.
    var problems: [(line: Int, problem: String)] = []

    /// The usual name of the file, in the agent's own folder.
    static let fileName = "approvals"
    /// The most octets of a file.
    static let sizeLimit = 1 << 20
    /// The most lines with problems that are remembered.
    private static let mostProblems = 20

    init() {}

    init(_ bytes: [UInt8]) {
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let text = String(decoding: line, as: UTF8.self).trimmed
            guard !text.isEmpty, !text.hasPrefix("#") else { continue }
            let words = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true).map(String.init)
            let digest = words.count > 1 ? words[1].lowercased() : ""
            guard digest.utf8.count == 64, digest.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
                if problems.count < Self.mostProblems {
                    problems.append((index + 1, "a network, the 64 digits of a digest, and who approves are expected"))
                }
                continue
            }
            approvals.append(Approval(network: words[0], digest: digest, who: words.count > 2 ? words[2].trimmed : nil))
        }
    }

    func approvals(of digest: String, for network: String) -> [Approval] {
        approvals.filter { $0.network == network && $0.digest == digest }
    }

    static func == (left: Self, right: Self) -> Bool {
        left.approvals == right.approvals && left.problems.map(\.line) == right.problems.map(\.line)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(approvals) }
}
