import Foundation
import SystemLayer
import TestSupport
import Testing

@testable import MeshplanCLI

/// Tests `meshplan lsp` over real pipes, with files on disk.
@Suite struct LanguageServerCommandTests {
    /// Runs the command; whenever it waits without limit, the next message goes into its standard input.
    private func run(
        _ messages: [String],
        in fixture: CommandFixture,
        _ arguments: [String] = []
    ) throws
        -> CommandFixture.Result
    {
        let (reading, writing) = try SpawnedProcess.pipe()
        defer { close(reading) }
        let pipe = ByteInput.descriptor(reading, wakeUp: nil)
        var rest = messages[...]
        fixture.byteInput = ByteInput { wait in
            if wait == nil {
                if let next = rest.popFirst() {
                    let message = "Content-Length: \(next.utf8.count)\r\n\r\n\(next)"
                    #expect(StandardStreams.writeAll(Array(message.utf8), to: writing) == 0)
                }
                if rest.isEmpty { close(writing) }
            }
            return pipe.read(wait)
        }
        return fixture.run(["lsp"] + arguments)
    }

    private static let initialize = #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#
    private static let shutdown = #"{"jsonrpc":"2.0","id":9,"method":"shutdown"}"#
    private static let exit = #"{"jsonrpc":"2.0","method":"exit"}"#

    private func opening(_ name: String, _ text: String, in fixture: CommandFixture) -> String {
        let uri = JSONValue.string("file://\(fixture.folder.path)/\(name)").line
        let text = JSONValue.string(text).line
        return #"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":"#
            + #"{"uri":\#(uri),"languageId":"yaml","version":1,"text":\#(text)}}}"#
    }

    @Test("a definition of several files is checked with the text of the editor, as validate checks the files")
    func session() throws {
        let fixture = try CommandFixture()
        let network = "version: 1\nnetwork: villa\nsubnets: { home: {} }\ngroups: { hall: {} }\n"
        let keys = "network: villa\napplication_keys: { lighting: { subnet: home } }\n"
        try Data(network.utf8).write(to: fixture.folder.appendingPathComponent("a.yaml"))
        try Data(keys.utf8).write(to: fixture.folder.appendingPathComponent("b.yaml"))
        #expect(fixture.run("validate").status == 0)
        let typed = keys.replacing("subnet: home", with: "subnet: hme")
        let result = try run(
            [Self.initialize, opening("b.yaml", typed, in: fixture), Self.shutdown, Self.exit],
            in: fixture
        )
        #expect(result.status == 0)
        #expect(result.error == "")
        #expect(result.output.contains("there is no subnet `hme`\\nDid you mean `home`?"), "\(result.output)")
        // Nothing but messages stands in the output.
        #expect(
            result.output.split(separator: "Content-Length: ").allSatisfy { part in
                let digits = part.prefix { $0.isNumber }
                let content = part.dropFirst(digits.count)
                return content.hasPrefix("\r\n\r\n") && Int(digits) == content.utf8.count - 4
            }
        )
        try Data(typed.utf8).write(to: fixture.folder.appendingPathComponent("b.yaml"))
        #expect(fixture.run("validate").error.contains("there is no subnet `hme`"))
    }

    @Test("a hover makes no markup of a title or description")
    func hostileTitles() throws {
        let fixture = try CommandFixture()
        let title = "<img src=x onerror=alert(1)> ![a](http://evil.example/x) `"
        let group = "{ title: '\(title)', description: '[b](http://evil)' }"
        let text = "version: 1\nnetwork: villa\ngroups: { hall: \(group) }\n"
        let uri = JSONValue.string("file://\(fixture.folder.path)/villa.yaml").line
        let initialize =
            #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"textDocument":"#
            + #"{"hover":{"contentFormat":["markdown"]}}}}}"#
        let hover =
            #"{"jsonrpc":"2.0","id":2,"method":"textDocument/hover","params":{"textDocument":{"uri":\#(uri)},"#
            + #""position":{"line":2,"character":11}}}"#
        let result = try run(
            [initialize, opening("villa.yaml", text, in: fixture), hover, Self.shutdown, Self.exit],
            in: fixture
        )
        let output = result.output
        #expect(output.contains("\"kind\":\"markdown\"") && output.contains("onerror"), "\(output)")
        #expect(!output.contains("<img") && !output.contains("http://") && !output.contains("![a]"), "\(output)")
    }

    @Test(
        "files that are no part of a definition are checked as the commands that read them do",
        arguments: [
            (".meshplan.yaml", "via: simulatr\n", "`simulatr` is not an address"),
            (".meshplan.yaml", "radio: offic\n", "office"),
            ("fleet.yaml", "version: 1\nnetworks: { a: { via: 'tcp:' } }\n", "tcp:"),
            ("sim.yaml", "devices: { a: { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0001, product: lump } }\n", "`lump`"),
        ]
    )
    func otherFiles(name: String, text: String, expected: String) throws {
        let fixture = try CommandFixture()
        let result = try run(
            [Self.initialize, opening(name, text, in: fixture), Self.shutdown, Self.exit],
            in: fixture
        )
        #expect(result.status == 0)
        #expect(result.output.contains("\"severity\":1"), "\(result.output)")
        #expect(result.output.contains(expected), "\(result.output)")
        #expect(!result.output.contains("`network` is missing"), "\(result.output)")
    }

    @Test("a device may have a product from another file of its folder")
    func productElsewhere() throws {
        let fixture = try CommandFixture()
        let products = "products: { lump: { elements: [{ models: [generic-onoff-server] }] } }\n"
        try Data(products.utf8).write(to: fixture.folder.appendingPathComponent("products.yaml"))
        let text = "devices: { a: { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0001, product: lump } }\n"
        let result = try run(
            [Self.initialize, opening("sim.yaml", text, in: fixture), Self.shutdown, Self.exit],
            in: fixture
        )
        #expect(result.output.contains("\"diagnostics\":[]"), "\(result.output)")
        #expect(!result.output.contains("\"severity\""), "\(result.output)")
    }

    @Test("the input's end is no proper exit, and problems go to the log")
    func log() throws {
        let fixture = try CommandFixture()
        let result = try run([Self.initialize, "nonsense"], in: fixture, ["--log-file", "lsp.log"])
        #expect(result.status == 1)
        #expect(result.error == "")
        let log = try String(contentsOf: fixture.folder.appendingPathComponent("lsp.log"), encoding: .utf8)
        #expect(log.hasPrefix("no JSON: line 1, column 1"), "\(log)")
        let other = try run(["nonsense"], in: fixture)
        #expect(other.status == 1)
        #expect(other.error.hasPrefix("meshplan lsp: no JSON: line 1, column 1"), "\(other.error)")
    }

    @Test("a file that stands in no folder on disk, and a definition in a new file, are no trouble")
    func newFile() throws {
        let fixture = try CommandFixture()
        let text = "version: 1\nnetwork: villa\nsubnets: { home: 5 }\n"
        let result = try run(
            [
                Self.initialize, opening("new.yaml", text, in: fixture), opening("gone/x.yaml", text, in: fixture),
                Self.shutdown, Self.exit,
            ],
            in: fixture
        )
        #expect(result.status == 0)
        #expect(result.output.contains("new.yaml"))
        #expect(result.output.contains("a subnet is expected here"), "\(result.output)")
    }
}
