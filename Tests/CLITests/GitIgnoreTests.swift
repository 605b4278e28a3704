import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("Secrets and git")
struct GitIgnoreTests {
    private func lines(_ fixture: CommandFixture, _ path: String = ".gitignore") -> [String] {
        String(decoding: fixture.read(path) ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The index of a repository with one file, as git writes it (version 2).
    private func index(naming path: String) -> [UInt8] {
        var bytes = Array("DIRC".utf8) + [0, 0, 0, 2, 0, 0, 0, 1] + [UInt8](repeating: 7, count: 60)
        bytes += [UInt8(path.utf8.count >> 8), UInt8(path.utf8.count & 0xFF)] + Array(path.utf8)
        // Entries are padded to multiples of 8 octets, with at least one zero.
        repeat { bytes.append(0) } while (bytes.count - 12) % 8 != 0
        return bytes + [UInt8](repeating: 9, count: 20)
    }

    @Test("an export with keys is ignored before it is written, once, whoever makes a repository of the folder later")
    func export() throws {
        let fixture = try CommandFixture.house()
        let before = lines(fixture)
        let result = fixture.run("export", "--cdb", "out.json")
        #expect(result.output.contains("Added /out.json to .gitignore"), "\(result.output)")
        #expect(lines(fixture) == before + ["/out.json"])
        #expect(!fixture.run("export", "--cdb", "out.json").output.contains("gitignore"))
        #expect(fixture.run("export", "--cdb", "./out.json").status == 0)
        #expect(lines(fixture) == before + ["/out.json"])
        try FileManager.default.createDirectory(
            at: fixture.folder.appendingPathComponent("for [phones]"),
            withIntermediateDirectories: false
        )
        let json = fixture.run("export", "--cdb", "for [phones]/all*.json", "--partial", "--json")
        #expect(json.output.contains(#""gitignore":"/for \\[phones\\]/all\\*.json""#), "\(json.output)")
        #expect(lines(fixture).last == #"/for \[phones\]/all\*.json"#)
    }

    @Test("a link within the repository and the mode of its target stay, and a link out of it is refused")
    func links() throws {
        let fixture = try CommandFixture.house()
        try fixture.put(nil, to: ".gitignore")
        try fixture.write("*.tmp", to: "ignored")
        let path = fixture.folder.path
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path + "/ignored")
        #expect(symlink("ignored", path + "/.gitignore") == 0)
        #expect(fixture.run("export", "--cdb", "out.json").status == 0)
        #expect(lines(fixture, "ignored").first == "*.tmp" && lines(fixture, "ignored").last == "/out.json")
        #expect(try fixture.mode("ignored") == 0o640)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path + "/.gitignore") == "ignored")
        let other = try CommandFixture()
        try other.write("", to: "theirs")
        try fixture.put(nil, to: ".gitignore")
        #expect(symlink(other.folder.path + "/theirs", path + "/.gitignore") == 0)
        let refused = fixture.run("export", "--cdb", "second.json")
        #expect(refused.status == 1 && fixture.read("second.json") == nil, "\(refused)")
        #expect(other.read("theirs") == [])
    }

    @Test("nothing is added for a file without keys, one that a line covers, or one that lies in no repository")
    func needless() throws {
        let fixture = try CommandFixture.house()
        let before = lines(fixture)
        _ = fixture.run("export", "--cdb", "reading.json", "--without-keys")
        let other = try CommandFixture()
        let outside = other.folder.appendingPathComponent("out.json").path
        let result = fixture.run("export", "--cdb", outside)
        #expect(result.status == 0 && !result.output.contains("gitignore"), "\(result)")
        #expect(lines(fixture) == before && other.read(".gitignore") == nil)
        for line in ["*.json", "out.json", "/exports/", "exports/", "/exports/out.json"] {
            try fixture.write(line + "\n", to: ".gitignore")
            try FileManager.default.createDirectory(
                at: fixture.folder.appendingPathComponent("exports"),
                withIntermediateDirectories: true
            )
            _ = fixture.run("export", "--cdb", "exports/out.json")
            #expect(lines(fixture) == [line])
        }
        // Negated patterns are not evaluated, so the line is added.
        try fixture.write("*.json\n!out.json\n", to: ".gitignore")
        _ = fixture.run("export", "--cdb", "exports/out.json")
        #expect(lines(fixture).last == "/exports/out.json")
    }

    @Test("an export into another repository is ignored there")
    func elsewhere() throws {
        let fixture = try CommandFixture.house()
        let other = try CommandFixture()
        try other.write("", to: ".git/HEAD")
        try other.write("*.o", to: ".gitignore")
        try other.write("", to: "sub/x")
        let result = fixture.run("export", "--cdb", other.folder.appendingPathComponent("sub/out.json").path)
        #expect(result.output.contains("Added /sub/out.json to /"), "\(result.output)")
        #expect(lines(other) == ["*.o", "*.meshplan-*", "/sub/out.json"], "also what a killed export leaves behind")
    }

    @Test("what git has already is warned of")
    func tracked() throws {
        let fixture = try CommandFixture.house()
        for (path, isTracked) in [("out.json", true), ("not-out.json", false), ("out.json.old", false)] {
            try fixture.write("", to: ".git/HEAD")
            try fixture.put(index(naming: path), to: ".git/index")
            let result = fixture.run("export", "--cdb", "out.json")
            #expect(result.status == 0)
            #expect(result.error.contains("git rm --cached out.json") == isTracked, "\(path): \(result.error)")
        }
    }

    @Test("a new key file at another place is ignored")
    func keys() throws {
        let fixture = try CommandFixture.house()
        #expect(lines(fixture).contains("*.meshplan-*"), "what killed writers leave behind")
        let added = fixture.run("state", "key", "add", "--new-key-file", "spare.key")
        #expect(added.output.contains("Added /spare.key to .gitignore"), "\(added)")
        #expect(lines(fixture).last == "/spare.key")
    }

    @Test("an import says that git has its source, or that others can read it")
    func imports() throws {
        let fixture = try CommandFixture()
        try fixture.copy("network.json")
        let path = fixture.folder.appendingPathComponent("network.json").path
        func lint(_ mode: Int) throws -> String {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            return fixture.run("import", "--cdb", "network.json", "--lint").error
        }
        #expect(try lint(0o644).contains("other users can read network.json"))
        #expect(try !lint(0o600).contains("network.json, which contains keys"))
        try fixture.write("", to: ".git/HEAD")
        try fixture.put(index(naming: "network.json"), to: ".git/index")
        #expect(try lint(0o600).contains("git already has network.json"))
    }

    @Test("a .gitignore that cannot be written keeps keys from being written")
    func unwritable() throws {
        let fixture = try CommandFixture.house()
        try FileManager.default.removeItem(at: fixture.folder.appendingPathComponent(".gitignore"))
        try fixture.write("", to: ".gitignore/in-the-way")
        let result = fixture.run("export", "--cdb", "out.json")
        #expect(result.status == 1 && result.error.contains(".gitignore"), "\(result.error)")
        #expect(fixture.read("out.json") == nil)
    }

    @Test("a file of secrets that is used is ignored from then on, and refused where others can use it")
    func secrets() throws {
        let fixture = try CommandFixture()
        try fixture.write(BadInputFolder.definition, to: "t.yaml")
        _ = fixture.run("init", "--network", "t")
        let text = "uuid,static\n0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001,00112233445566778899aabbccddeeff\n"
        try fixture.writePrivate(text, to: "s.csv")
        try fixture.write("version: 1\ndevices: {}\n", to: "d.yaml")
        let arguments = ["apply", "--via", "simulator", "--devices", "d.yaml", "--secrets", "s.csv", "--auto-approve"]
        let result = fixture.run(arguments)
        #expect(result.error.contains("Note: added /s.csv to .gitignore"), "\(result.error)")
        #expect(lines(fixture).last == "/s.csv")
        let path = fixture.folder.appendingPathComponent("s.csv").path
        for mode in [0o644, 0o620, 0o604, 0o610] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let refused = fixture.run(arguments)
            #expect(refused.status == 1)
            #expect(
                refused.error.contains("mode 0\(String(mode, radix: 8))") && refused.error.contains("chmod 600 s.csv")
            )
            #expect(!refused.error.contains("0011"))
        }
    }
}
