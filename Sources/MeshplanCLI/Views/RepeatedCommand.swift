import DefinitionModel
import MeshCore

/// The command line that continues what a command has left undone: the present one, ready for a shell.
struct RepeatedCommand {
    /// The arguments without the program's name; empty if they are not known.
    private let arguments: [String]

    /// Options with a value that concern only one run: what was approved, and how the simulator misbehaves.
    private static let once: Set<String> = ["--expect-digest", "--off", "--deaf", "--fail"]

    init(_ context: Context) {
        var kept: [String] = []
        var isValue = false
        for argument in context.arguments {
            let name = argument.split(separator: "=", maxSplits: 1).first.map(String.init) ?? argument
            if isValue {
                isValue = false
            } else if Self.once.contains(name) {
                isValue = name == argument
            } else {
                kept.append(argument)
            }
        }
        arguments = kept
    }

    func has(_ option: String) -> Bool {
        arguments.contains { $0 == option || $0.hasPrefix(option + "=") }
    }

    /// Whether the mesh was simulated, and no file said which devices there are.
    var lacksSimulatedDevices: Bool {
        arguments.contains { $0 == "simulator" || $0 == "--via=simulator" } && !has("--devices")
    }

    /// The command line with more arguments at the end. Uses `usual` if nobody knows what was typed.
    func text(_ more: [String] = [], usual: String) -> String {
        guard !arguments.isEmpty else { return ([usual] + more).joined(separator: " ") }
        var words = ["meshplan"] + arguments
        // Behind this mark nothing is an option.
        words.insert(contentsOf: more, at: words.firstIndex(of: "--") ?? words.endIndex)
        return words.map { Self.quoted(Self.withoutPassword($0)) }.joined(separator: " ")
    }

    /// A word, quoted for a shell.
    private static func quoted(_ word: String) -> String { word.printable.shellWord }

    /// An address of a database without the passwords in it. The user must provide them in another way.
    static func withoutPassword(_ word: String) -> String {
        guard let scheme = word.firstRange(of: "://") else { return word }
        var rest = String(word[scheme.upperBound...])
        // A password may contain unescaped characters, so it ends at the last `@` before the parameters.
        let end = rest.firstIndex(of: "?") ?? rest.endIndex
        if let at = rest[..<end].lastIndex(of: "@"), let colon = rest[..<at].firstIndex(of: ":") {
            rest = String(rest[..<colon]) + String(rest[at...])
        }
        // Parameters behind another character are none, and no command can use the address.
        for mistake in ["&password=", " password=", "%3Fpassword=", "%3fpassword="] {
            if let found = rest.firstRange(of: mistake) { rest = String(rest[..<found.lowerBound]) }
        }
        if let question = rest.firstIndex(of: "?") {
            let parameters = rest[rest.index(after: question)...].split(
                separator: "&",
                omittingEmptySubsequences: false
            )
            let kept = parameters.filter { !$0.hasPrefix("password=") && !$0.hasPrefix("sslpassword=") }
            rest = String(rest[..<question]) + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
        }
        return String(word[..<scheme.upperBound]) + rest
    }
}
