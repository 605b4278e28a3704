import Foundation
import SystemLayer
import TestSupport
import Testing

@testable import LanguageServer

/// Plays a whole conversation against the machine: the lines `--> ` of a file are what the client sends, and everything
/// that the server answers must stand between them as the file has it.
@Suite("A whole conversation")
struct SessionTests {
    @Test("An editor session from initialize to exit")
    func session() throws {
        let name = "session.txt"
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "Snapshots/\(name)"
        )
        let script = try String(contentsOf: file, encoding: .utf8)
        var client = ScriptedClient([
            "/w/kitchen.yaml": "", "/w/groups.yaml": "network: kitchen\ngroups: { sink: {} }\n",
        ])
        var transcript = ""
        var framing = MessageFraming()
        for line in script.split(separator: "\n", omittingEmptySubsequences: false) where !line.hasPrefix("<-- ") {
            if line.hasPrefix("--> ") {
                client.server.receive(MessageFraming.message(String(line.dropFirst(4))))
            } else if line.hasPrefix("wait "), let milliseconds = Int64(line.dropFirst(5)) {
                client.now += milliseconds
            }
            transcript += line + "\n"
            while client.server.next(at: client.now) {}
            for case .content(let content) in framing.take(client.server.takeOutput()) {
                transcript += "<-- " + String(decoding: content, as: UTF8.self) + "\n"
            }
        }
        expectSnapshot(String(transcript.dropLast()), name)
        #expect(client.server.ending == .proper)
    }
}
