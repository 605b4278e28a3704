import Bearers
import DefinitionModel
import Foundation
import MeshCore
import SystemLayer
import TestSupport
import Testing

import let Basics.programVersion

@testable import MeshplanCLI

/// A separate folder and controlled effects, for commands that run in this process.
///
/// Anything that a test has not prepared, such as an answer or an interrupt, fails the test instead of reaching the
/// real process.
final class CommandFixture {
    /// The working folder, removed at the end.
    let folder: URL
    /// Answers to questions, the next one first. Empty if no question is expected.
    var answers: [String?] = []
    /// Input for hidden prompts, the next one first. Empty if none is expected.
    var secrets: [String?] = []
    /// The cost of deriving keys from passphrases: the least possible.
    var scryptCost = Scrypt.Cost(logN: 4, r: 1, p: 1)
    /// The time limit for key commands.
    var keyCommandTimeout = Duration.seconds(30)
    /// Whether the streams are terminals of 80 columns.
    var isTerminal = false
    var environment: [String: String] = ["LANG": "C.UTF-8", "NO_COLOR": "1"]
    /// Called each time the command reads the number of interrupts.
    var interruptCount: () -> Int = { 0 }
    /// The signal that interrupts; nil before there is one.
    var interruptSignal: Int32?
    /// Runs the commands of a fleet.
    var fleetWorkers = FleetWorkers.inThisProcess
    /// The number of the process.
    var processNumber: Int32 = 4711
    /// The calendar time.
    var now = Timestamp(rawValue: 1_795_000_000)
    /// Called when a command is about to let time pass.
    var whilePausing: () -> Void = {}
    /// The result of writing to standard output.
    var outputError: OutputError?
    /// How often the last command has read all rows of databases.
    private(set) var completeReadings = 0
    /// Random bits, the same for every fixture.
    var random = SplitMix64(seed: 42)

    /// What standard input gives to a command that takes octets there.
    var byteInput = ByteInput { _ in
        Issue.record("the command reads octets that the test does not expect")
        return .end
    }

    private let ownsFolder: Bool
    private var lastError = ""

    /// Makes a fixture in the folder of another one, as a second process there.
    init(sharing other: CommandFixture) {
        folder = other.folder
        ownsFolder = false
    }

    /// Makes a fixture in a folder of the system, which is not removed.
    init(inSystemFolder path: String) {
        folder = URL(fileURLWithPath: path)
        ownsFolder = false
    }

    /// A folder with the example network imported, and with its definition.
    static func house() throws -> CommandFixture {
        let fixture = try CommandFixture()
        try fixture.copy("house.yaml")
        try fixture.copy("network.json")
        try #require(fixture.run("init").status == 0)
        try #require(fixture.run("import", "--cdb", "network.json").status == 0)
        return fixture
    }

    init() throws {
        ownsFolder = true
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("meshplan-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        guard ownsFolder else { return }
        try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
        try? FileManager.default.removeItem(at: folder)
    }

    /// Whether events of JSON keep their times. Most tests are about the rest of a line.
    var keepsTimes = false

    /// The result of a command.
    struct Result {
        var status: Int32
        var output: String
        var error: String
        /// Both streams in the order of writing, as a terminal shows them.
        var combined = ""

        /// Both streams and the status, for snapshots. Leaves out figures that depend on the radio's timing or on the
        /// encoding of plans, and the version.
        var transcript: String {
            CommandFixture.untimed(output)
                + (error.isEmpty ? "" : "--- standard error\n" + CommandFixture.untimed(error)) + "--- exit \(status)\n"
        }
    }

    /// The text without counts of messages and retries, durations, digests and the version.
    static func untimed(_ text: String) -> String {
        text.replacing(
            #/[0-9]+ messages?, ([0-9]+ (retry|retries), )?[0-9.]+ s\./#,
            with: "(messages, retries, seconds)"
        )
        .replacing(#/\. [0-9]+\.[0-9] s\.\n/#, with: ". (seconds)\n")
        .replacing(#/Digest: [0-9a-f]{64}/#, with: "Digest: (digest)")
        .replacing(#/"digest":"[0-9a-f]{64}"/#, with: #""digest":"(digest)""#)
        .replacing("\"tool_version\":\"\(programVersion)\"", with: #""tool_version":"(version)""#)
        .replacing("by meshplan \(programVersion)", with: "by meshplan (version)")
        .replacing(#/"messages":[0-9]+,"retries":[0-9]+,"duration_ms":[0-9]+/#, with: #""messages":0"#)
    }

    /// Runs one command line in the folder.
    func run(_ arguments: String...) -> Result { run(arguments) }

    /// Runs one command line in the folder.
    func run(_ arguments: [String]) -> Result {
        run(arguments) { arguments, context in Meshplan.main(arguments, in: context) }
    }

    /// Runs something with the effects of a command.
    func run(_ body: @escaping (Context) -> Void) -> Result {
        run([]) { _, context in
            body(context)
            return 0
        }
    }

    /// The command line with what is set for the folder.
    func completed(_ arguments: [String]) throws -> [String] {
        var completed: Swift.Result<[String], any Error> = .success([])
        _ = run(arguments) { arguments, context in
            completed = .init { try Settings.completed(arguments, in: context) }
            return 0
        }
        return try completed.get()
    }

    private func run(_ arguments: [String], _ main: ([String], Context) -> Int32) -> Result {
        var output = ""
        var error = ""
        var combined = ""
        var context = Context(
            Effects(
                workingDirectory: folder.path,
                environment: environment,
                output: Output { text in
                    output += text
                    combined += text
                    self.onText(text)
                    return self.outputError
                },
                errorOutput: Output { text in
                    error += text
                    combined += text
                    self.lastError += text
                    self.onText(text)
                    return nil
                },
                terminal: Terminal(
                    isInputTerminal: isTerminal,
                    isOutputTerminal: isTerminal,
                    isErrorTerminal: isTerminal,
                    width: columns
                ),
                readLine: {
                    if let respond = self.respond { return respond(error) }
                    guard !self.answers.isEmpty else {
                        Issue.record("the command asks a question that the test does not expect")
                        return nil
                    }
                    return self.answers.removeFirst()
                },
                lineInput: LineInput(poll: { self.polled() }, discard: {}),
                now: { self.now },
                randomBits: { self.random.next() },
                interrupts: Interrupts(
                    arm: {},
                    count: { self.interruptCount() },
                    first: { self.interruptCount() > 0 ? self.interruptSignal : nil }
                ),
                process: ProcessIdentity(number: processNumber, user: "tester", host: "bench"),
                pause: { self.pause($0) }
            )
        )
        context.byteInput = byteInput
        context.scryptCost = scryptCost
        context.keyCommandTimeout = keyCommandTimeout
        context.readSecret = {
            guard !self.secrets.isEmpty else {
                Issue.record("the command asks for a secret that the test does not expect")
                return nil
            }
            return self.secrets.removeFirst()
        }
        context.sleep = { _ in }
        context.fleetWorkers = fleetWorkers
        context.bluetooth = { self.bluetooth }
        context.secondsAhead = { _ in self.secondsAhead }
        let status = main(arguments, context)
        completeReadings = context.session.completeReadings
        if !keepsTimes, context.output.error == nil, output.contains(#","time":"20"#) {
            output = output.replacing(#/,"time":"20[0-9T:.-]+Z"\}\n/#, with: "}\n")
        }
        return Result(status: status, output: output, error: error, combined: combined)
    }

    /// How many seconds local time is ahead of UTC.
    var secondsAhead = 0

    private func pause(_ duration: Duration) {
        whilePausing()
        now.rawValue += duration.components.seconds
    }

    /// The columns of the terminal.
    var columns = 80
    /// Bluetooth on the machine.
    var bluetooth = BluetoothSurvey(kernel: .unsupported)
    /// Answers questions depending on everything that standard error shows; replaces ``answers``.
    var respond: ((String) -> String?)?
    /// Lines that arrive over time, each with the text that standard error must show first.
    var typed: [(after: String, line: String)] = []

    /// Gives lines at times of its own, before those of ``typed``.
    var nextLine: () -> String? = { nil }
    /// Called with everything that a command writes.
    var onText: (String) -> Void = { _ in }

    private func polled() -> LineInput.Event {
        if let line = nextLine() { return .line(line) }
        guard let next = typed.first, next.after.isEmpty || lastError.contains(next.after) else { return .nothing }
        typed.removeFirst()
        lastError = ""
        return .line(next.line)
    }

    /// Writes a file in the folder.
    func write(_ text: String, to name: String) throws {
        let url = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: url)
    }

    /// Writes a file that only its owner can read.
    func writePrivate(_ text: String, to name: String) throws {
        try write(text, to: name)
        let path = folder.appendingPathComponent(name).path
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    /// Writes the octets of a file; nil removes the file.
    func put(_ bytes: [UInt8]?, to name: String) throws {
        let url = folder.appendingPathComponent(name)
        guard let bytes else { return try FileManager.default.removeItem(at: url) }
        try Data(bytes).write(to: url)
    }

    /// The octets of a file in the folder; nil if there is none.
    func read(_ name: String) -> [UInt8]? {
        (try? Data(contentsOf: folder.appendingPathComponent(name))).map(Array.init)
    }

    /// The permissions of a file in the folder.
    func mode(_ name: String) throws -> Int? {
        let path = folder.appendingPathComponent(name).path
        return try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    /// Copies a resource of the tests into the folder.
    func copy(_ resource: String, to name: String? = nil) throws {
        let source = try #require(Bundle.module.url(forResource: "Resources/" + resource, withExtension: nil))
        let target = folder.appendingPathComponent(name ?? resource)
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try FileManager.default.copyItem(at: source, to: target)
        // Networks in documents have keys.
        guard target.pathExtension == "json" else { return }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: target.path)
    }
}
