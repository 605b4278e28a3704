import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("Narrow terminals")
struct NarrowTerminalTests {
    /// The lines that are too wide although they could be broken: commands to copy and single words stay whole.
    private static func tooWide(_ text: String, _ columns: Int) -> [String] {
        text.split { $0 == "\n" || $0 == "\r" }.map(String.init).filter { line in
            let content = line.drop { $0 == " " }
            return LineFitter.columns(line) > columns && content.contains(" ") && !content.hasPrefix("meshplan ")
        }
    }

    @Test("No command writes lines wider than a terminal of 80 columns")
    func commands() throws {
        let fixture = try CommandFixture()
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        for name in ["office.yaml", "tests.yaml", "devices"] {
            try FileManager.default.copyItem(
                at: root.appendingPathComponent("examples/office/\(name)"),
                to: fixture.folder.appendingPathComponent(name)
            )
        }
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600],
            ofItemAtPath: fixture.folder.appendingPathComponent("devices/secrets.csv").path
        )
        fixture.isTerminal = true
        let mesh = ["--via", "simulator"]
        let devices = ["--devices", "devices/devices.yaml"]
        let commands: [[String]] = [
            ["init", "--network", "office"], ["validate"], ["plan"], ["scan"] + mesh + devices,
            ["apply", "--auto-approve", "--secrets", "devices/secrets.csv"] + mesh + devices, ["plan"],
            ["plan", "--destroy"], ["plan", "--remove", "room=lounge"], ["show"], ["show", "--why", "node.hub-1"],
            ["show", "node.lamp-reception-1"], ["show", "node.lamp-corridor-1", "--nlc"], ["show", "group.reception"],
            ["show", "subnet.building"], ["show", "application_key.lighting", "--why"], ["state", "list"],
            ["state", "history"], ["state", "verify"], ["state", "key", "list"], ["drift"], ["doctor"],
            ["provisioner", "list"], ["network", "iv", "show"], ["keys", "refresh", "building"], ["rollback"],
            ["export", "--cdb", "office.json"], ["get", "lamp-reception-1"] + mesh,
            ["get", "group.reception", "onoff"] + mesh,
            ["set", "group.reception", "onoff", "on"] + mesh, ["sensors", "presence-corridor"] + mesh,
            ["health"] + mesh,
            ["scan"] + mesh, ["refresh", "--node", "hub-1"] + mesh, ["sim", "status"],
            ["get", "lamp-reception-1"], ["apply", "x"], ["show", "node.lamp"], ["plan", "--node", "nobody"],
        ]
        for command in commands {
            let result = fixture.run(command)
            let wide = Self.tooWide(result.combined, 80)
            #expect(wide.isEmpty, "\(command): \(wide.prefix(3))")
        }
        // More room is used: nothing is folded that need not be.
        fixture.columns = 160
        #expect(fixture.run("show").output.contains("hub-1                Nordic Semiconductor ASA 0x0010 v1"))
    }

    @Test(
        "Lines are broken at spaces and indented; words, commands and lines that overwrite themselves stay whole",
        arguments: [
            ("one two three four", "one two\n    three\n    four"), ("  one two three", "  one two\n     three"),
            ("abcdefghijklmnop", "abcdefghijklmnop"), ("meshplan show node.x", "meshplan show node.x"),
            ("\r\u{1B}[Kone two three four", "\r\u{1B}[Kone two three four"), ("one  two", "one  two"),
            ("\u{1B}[31mone\u{1B}[0m two", "\u{1B}[31mone\u{1B}[0m two"), ("漢字 漢字 漢字", "漢字 漢字\n    漢字"),
            ("a\n\nb\n", "a\n\nb\n"),
        ]
    )
    func lines(text: String, expected: String) {
        var fitter = LineFitter(width: 10)
        #expect(fitter.fitted(text) == expected)
    }

    @Test("What follows a question on its line is no line of its own")
    func question() {
        var fitter = LineFitter(width: 10)
        #expect(fitter.fitted("\r\u{1B}[K") == "\r\u{1B}[K")
        #expect(fitter.fitted("one two three\n") == "one two\n    three\n", "a cleared line begins again")
        #expect(fitter.fitted("Apply? ") == "Apply? ")
        #expect(fitter.fitted("yes and no and more\none two three") == "yes and no and more\none two\n    three")
    }

    @Test("An answer ends the line of its question")
    func answer() {
        var text = ""
        let output = Output {
            text += $0
            return nil
        }
        output.fitter = LineFitter(width: 10)
        output.question("Apply? ")
        output.line("one two three")
        #expect(text == "Apply? one two\n    three\n")
    }

    @Test("Tables fold the columns of several words, then put the last columns below")
    func tables() {
        var table = Table(["NAME", "STATE", "NOTE"])
        table.rows = [["lamp-1", "managed, protected", "x"], ["lamp-22", "managed", ""]]
        func render(_ width: Int, isTerminal: Bool = true) -> String {
            table.render(Style(isColoured: false, drawsBoxes: false, isTerminal: isTerminal, width: width))
        }
        let natural = """
            NAME     STATE               NOTE
            lamp-1   managed, protected  x
            lamp-22  managed

            """
        #expect(render(33) == natural)
        #expect(render(20, isTerminal: false) == natural, "programs get lines as they are")
        #expect(
            render(25) == """
                NAME     STATE       NOTE
                lamp-1   managed,    x
                         protected
                lamp-22  managed

                """
        )
        #expect(
            render(20) == """
                NAME     STATE
                    NOTE
                lamp-1   managed,
                         protected
                    x
                lamp-22  managed

                """
        )
    }
}
