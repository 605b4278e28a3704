import SystemLayer

/// Posts events to a webhook by the program curl. Neither the address, which may hold a secret, nor the event is in a
/// command line: curl reads both from its standard input.
struct AgentPost {
    let context: Context
    /// The address.
    private let url: String

    /// How many seconds a post may take.
    private static let seconds = 10
    /// The variable that holds the address, if no file does.
    static let variable = "MESHPLAN_WEBHOOK"
    /// The variable in which the shell finds what curl is to read.
    private static let input = "CURL_CONFIGURATION"

    /// Takes the address from a file for its owner alone, or else from the environment; nil if neither names one.
    ///
    /// - Throws: ``Failure`` if it is no address; ``FileError`` if the file cannot be read or others may read it.
    init?(file: String?, in context: Context) throws {
        let text: String
        if let file {
            let bytes = try Files.read(context.absolute(file), as: file, limit: 8_192, isSecret: true)
            text = String(decoding: bytes, as: UTF8.self).trimmed
        } else if let value = context.environment[Self.variable], !value.trimmed.isEmpty {
            text = value.trimmed
        } else {
            return nil
        }
        let isAddress = ["https://", "http://"].contains { text.hasPrefix($0) && text.count > $0.count }
        let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
        guard isAddress, isPlain else {
            throw Failure(
                .invalidInput,
                "\(file.map(\.printable) ?? "$" + Self.variable) is not the address of a webhook",
                hint: "Write one line, such as https://chat.example/hooks/1234."
            )
        }
        self.context = context
        url = text
    }

    /// Begins to post an event; ``problem(of:)`` says what came of it.
    func start(_ event: AgentEvent) -> RunningProgram {
        var environment = context.environment
        environment[AgentPost.variable] = nil
        environment[Self.input] = """
            url = "\(url)"
            data = "\(Self.quoted(JSONValue.object(event.members).line))"
            header = "Content-Type: application/json"
            max-time = \(Self.seconds)
            proto = "=http,https"
            globoff
            fail
            silent
            show-error
            output = "/dev/null"

            """
        let script = "printf %s \"$\(Self.input)\" | curl --disable --config -"
        let program = ProgramPool.Program(
            arguments: ["/bin/sh", "-c", script],
            folder: context.workingDirectory,
            environment: environment
        )
        return context.startProgram(program)
    }

    /// Why an event was not posted, without the address; nil if the receiver took it.
    func problem(of result: ProgramResult) -> String? {
        guard !result.isDone else { return nil }
        let said = result.errors.last { !$0.trimmed.isEmpty } ?? "curl ends with \(result.status ?? -1)"
        return said.replacing(url, with: "(webhook)").printable
    }

    /// A text between quotes in a configuration of curl.
    private static func quoted(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }
}
