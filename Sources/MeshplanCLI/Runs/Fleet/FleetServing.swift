import Store
import SystemLayer

/// Carries out commands of a fleet one after another in this process, as a server of a ``ProgramPool``.
///
/// What is the same for all networks is made once: the tables of models and messages, the types of the command line,
/// the memory. Nothing that belongs to one network is kept.
struct FleetServing {
    /// The effects of this process.
    var context: Context
    /// How much memory this process may have needed, in octets, before it ends so that another takes its place. A
    /// network that needs more still gets it.
    var mostMemory = 160 << 20
    /// How much memory this process has needed at most, in octets.
    var memory: () -> Int = { ProcessMemory.mostUsed() }
    /// Makes a folder the working folder of this process, and returns why that failed.
    var enter: (String) -> String? = { ThisProcess.enter($0) }

    /// The longest request, in octets.
    private static let longestRequest = 4 << 20

    /// Answers requests from standard input until it ends, a signal arrives, or much memory was needed.
    func callAsFunction() {
        var buffer: [UInt8] = []
        while true {
            while let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(buffer[..<end])
                buffer.removeSubrange(...end)
                guard answer(line) else { return }
            }
            switch context.byteInput.read(nil) {
            case .bytes(let bytes): buffer += bytes
            case .nothing: if context.interrupts.count() > 0 { return }
            case .end: return
            }
            guard buffer.count <= Self.longestRequest else { return }
        }
    }

    /// Carries out a request.
    ///
    /// - Returns: whether this process takes another one.
    private func answer(_ line: [UInt8]) -> Bool {
        let answer = ServedAnswer(context.output)
        let status = status(of: line, answer)
        let isLast = memory() > mostMemory || context.interrupts.count() > 0
        answer.end(status, isLast: isLast)
        return !isLast
    }

    private func status(of line: [UInt8], _ answer: ServedAnswer) -> Int32 {
        let errors = answer.stream(ProgramPool.Answer.errors)
        guard let call = FleetCall(request: line, in: context.environment) else {
            errors.line("Error: the request cannot be read.")
            return ExitStatus.usage.rawValue
        }
        if let reason = enter(call.network.folder) {
            errors.line("Error: cannot work in \(call.network.folder.printable): \(reason)")
            return ExitStatus.failure.rawValue
        }
        var own = context
        own.workingDirectory = call.network.folder
        own.environment = call.environment
        own.output = answer.stream(ProgramPool.Answer.output)
        own.errorOutput = errors
        own.session = StoreSession()
        own.observation = MeshObservation()
        own.skipsDeallocation = false
        // Standard input is that of the requests.
        own.readLine = { nil }
        own.readSecret = { nil }
        own.lineInput = LineInput(poll: { .end }, discard: {})
        own.byteInput = ByteInput { _ in .end }
        return Meshplan.main(call.arguments, in: own)
    }
}

/// The lines with which a server answers. They are collected, since a plan may be many.
private final class ServedAnswer {
    private let output: Output
    private var collected: [UInt8] = []
    /// The octets behind the last line break of each stream, with the mark of its lines.
    private var unfinished: [(mark: UInt8, octets: [UInt8])] = []

    /// How much is collected, in octets.
    private static let most = 64 << 10

    init(_ output: Output) {
        self.output = output
    }

    /// A stream whose lines get a mark.
    func stream(_ mark: UInt8) -> Output {
        let number = unfinished.count
        unfinished.append((mark, []))
        return Output { [self] text in
            var rest = Array(text.utf8)[...]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                add(mark, unfinished[number].octets + rest[..<end])
                unfinished[number].octets = []
                rest = rest[(end + 1)...]
            }
            unfinished[number].octets += rest
            return output.error
        }
    }

    /// Ends the answer.
    func end(_ status: Int32, isLast: Bool) {
        for (mark, octets) in unfinished where !octets.isEmpty { add(mark, octets) }
        add(isLast ? ProgramPool.Answer.endedLast : ProgramPool.Answer.ended, Array("\(status)".utf8))
        flush()
    }

    private func add(_ mark: UInt8, _ line: [UInt8]) {
        collected.append(mark)
        collected += line
        collected.append(UInt8(ascii: "\n"))
        if collected.count > Self.most { flush() }
    }

    private func flush() {
        output.write(document: String(decoding: collected, as: UTF8.self))
        collected.removeAll(keepingCapacity: true)
    }
}

// MARK: - Requests

extension FleetCall {
    /// The call as one line of JSON. Of the environment it has what differs from that of the server, so that it is
    /// short. It may hold secrets, as the environment does, and is written into a pipe only.
    ///
    /// - Parameter known: the environment of the server.
    func request(in known: [String: String]) -> String {
        let changed = environment.filter { known[$0.key] != $0.value }.sorted { $0.key < $1.key }
        let removed = known.keys.filter { environment[$0] == nil }.sorted()
        return JSONValue.object([
            "network": network.name.json, "folder": network.folder.json, "arguments": .array(arguments.map(\.json)),
            "environment": .object(changed.map { JSONMember($0.key, $0.value.json) }),
            "without": .array(removed.map(\.json)),
        ]).line
    }

    /// Reads a request; nil for anything else.
    fileprivate init?(request line: [UInt8], in known: [String: String]) {
        guard let value = try? JSONParser.parse(line), let name = value["network"]?.text,
            let folder = value["folder"]?.text, case .array(let words)? = value["arguments"],
            case .object(let changed)? = value["environment"], case .array(let removed)? = value["without"]
        else { return nil }
        var environment = known
        for name in removed { if let name = name.text { environment[name] = nil } }
        for member in changed { environment[member.name] = member.value.text }
        self.init(
            network: FleetNetwork(name: name, folder: folder, definition: []),
            arguments: words.compactMap(\.text),
            environment: environment
        )
    }
}
