import DefinitionModel
import Definitions
import MeshCore
import SystemLayer

@testable import LanguageServer

/// A client that plays a script against the real machine, with files in memory and a clock that it sets.
struct ScriptedClient {
    /// The files on the imagined disk, by absolute path.
    var disk: [String: String]
    /// The time in milliseconds.
    var now: Int64 = 0
    /// The machine.
    var server: LanguageServer
    /// Every message of the server that was not taken yet.
    private(set) var received: [JSONValue] = []
    private var framing = MessageFraming()
    private var requests = 0

    /// A client whose definitions lie in the folders of the given files.
    init(_ disk: [String: String] = [:]) {
        self.disk = disk
        server = LanguageServer(Self.workshop(disk))
    }

    private static func workshop(_ disk: [String: String]) -> DefinitionWorkshop {
        DefinitionWorkshop(
            name: "meshplan",
            examine: { folder, open in
                let all = disk.mapValues { Array($0.utf8) }.merging(open) { _, new in new }
                func file(_ path: String) -> SourceFiles.File? {
                    all[Files.withoutDots(path)].map { SourceFiles.File(path: path, bytes: $0) }
                }
                let names = all.keys.filter { Files.folder(of: $0) == folder }
                    .map { String($0.split(separator: "/").last ?? "") }
                let files = DefinitionPaths.definitionFiles(among: names).compactMap { file(folder + "/" + $0) }
                guard !files.isEmpty else { return nil }
                let reading = DefinitionReader.reading(SourceFiles(files: files)) { (path: String) throws(Never) in
                    [file(path)].compactMap { $0 }
                }
                return DefinitionExamination(
                    definitions: reading.definitions,
                    diagnostics: reading.diagnostics,
                    files: reading.files
                )
            },
            examineFile: { kind, path, open in
                let bytes = open[path] ?? disk[path].map { Array($0.utf8) } ?? []
                let files = SourceFiles(files: [SourceFiles.File(path: path, bytes: bytes)])
                return switch kind {
                case .definition: []
                case .devices: DeviceFile.read(files: files).diagnostics
                case .fleet: FleetFile.read(files: files).diagnostics
                case .settings:
                    SettingsFile.read(files: files) { (_, _) throws(SettingsFile.Problem) in }.diagnostics
                }
            },
            word: { $0.text },
            markdown: { $0 }
        )
    }

    /// Sends a message in the form of the base protocol.
    mutating func send(_ json: String) { server.receive(MessageFraming.message(json)) }

    /// Lets the server do what it has to do now.
    mutating func run() {
        while server.next(at: now) {}
        for case .content(let content) in framing.take(server.takeOutput()) {
            if let value = try? JSONParser.parse(content) { received.append(value) }
        }
    }

    /// Sends a request and gives the whole answer.
    mutating func request(_ method: String, _ params: String = "{}") -> JSONValue? {
        requests += 1
        send(#"{"jsonrpc":"2.0","id":\#(requests),"method":"\#(method)","params":\#(params)}"#)
        run()
        guard let place = received.firstIndex(where: { $0["id"] == .integer(requests) }) else { return nil }
        return received.remove(at: place)
    }

    /// Sends a notification.
    mutating func notify(_ method: String, _ params: String = "{}") {
        send(#"{"jsonrpc":"2.0","method":"\#(method)","params":\#(params)}"#)
        run()
    }

    /// Says hello.
    mutating func initialize(_ params: String = #"{"capabilities":{}}"#) {
        _ = request("initialize", params)
        notify("initialized")
    }

    /// Opens a document.
    mutating func open(_ path: String, _ text: String, version: Int = 1) {
        let text = JSONValue.string(text).line
        notify(
            "textDocument/didOpen",
            #"{"textDocument":{"uri":"file://\#(path)","languageId":"yaml","version":\#(version),"text":\#(text)}}"#
        )
    }

    /// Replaces the text of a document.
    mutating func change(_ path: String, _ text: String, version: Int) {
        let text = JSONValue.string(text).line
        notify(
            "textDocument/didChange",
            #"{"textDocument":{"uri":"file://\#(path)","version":\#(version)},"contentChanges":[{"text":\#(text)}]}"#
        )
    }

    /// Lets time pass.
    mutating func wait(_ milliseconds: Int64) {
        now += milliseconds
        run()
    }

    /// The diagnostics that were published since the last call, in order.
    mutating func published() -> [(uri: String, version: Int?, messages: [String])] {
        defer { received.removeAll { $0["method"] == .string("textDocument/publishDiagnostics") } }
        return received.filter { $0["method"] == .string("textDocument/publishDiagnostics") }.map { message in
            let params = message["params"]
            let diagnostics = params?["diagnostics"]?.items ?? []
            let texts = diagnostics.map { diagnostic in
                let start = diagnostic["range"]?["start"]
                let place = "\(start?["line"]?.whole ?? -1):\(start?["character"]?.whole ?? -1)"
                return place + " " + (diagnostic["message"]?.text ?? "")
            }
            return (params?["uri"]?.text ?? "", params?["version"]?.whole, texts)
        }
    }
}

/// A text with a mark `¦` for the cursor, which a place of the protocol means.
struct MarkedText {
    /// The text without the mark.
    var text: String
    /// The line of the cursor, from 0.
    var line: Int
    /// The column of the cursor in UTF-16, from 0.
    var character: Int

    init(_ marked: String) {
        let parts = marked.split(separator: "¦", maxSplits: 1, omittingEmptySubsequences: false)
        text = parts.joined()
        line = parts[0].count { $0 == "\n" }
        character = parts[0].split(separator: "\n", omittingEmptySubsequences: false).last?.utf16.count ?? 0
    }

    /// The parameters of a request about the place.
    func params(_ path: String) -> String {
        #"{"textDocument":{"uri":"file://\#(path)"},"position":{"line":\#(line),"character":\#(character)}}"#
    }
}
