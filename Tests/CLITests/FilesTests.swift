import DefinitionModel
import Foundation
import MeshCore
import SystemLayer
import Testing

@testable import MeshplanCLI

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@Suite("Reading files")
struct FilesTests {
    private func namedPipe(_ fixture: CommandFixture) throws -> String {
        let path = fixture.folder.appendingPathComponent("pipe").path
        try #require(mkfifo(path, 0o600) == 0)
        return path
    }

    @Test(
        "a pipe that nobody writes to is refused at once, one that says nothing after a while",
        .timeLimit(.minutes(45))
    )
    func pipes() throws {
        let fixture = try CommandFixture()
        let path = try namedPipe(fixture)
        #expect { try Files.read(path, as: "pipe", limit: 10) } throws: { error in
            (error as? FileError)?.message == "cannot read pipe: it is a pipe that nobody writes to"
        }
        #expect(throws: FileError.self) { try Files.readStart(path, as: "pipe", count: 4) }
        // This process holds the pipe open for writing.
        let end = open(path, O_RDWR | O_NONBLOCK)
        try #require(end >= 0)
        defer { close(end) }
        #expect { try Files.read(path, as: "pipe", limit: 10, patience: .milliseconds(20)) } throws: { error in
            (error as? FileError)?.reason.hasPrefix("nothing has come out of it for") == true
        }
    }

    @Test("A stream is what this process has open, by its resolved folder, and nothing else")
    func streams() throws {
        _ = try CommandFixture().run { context in
            for path in ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "/proc/self/../self/fd/0"] {
                #expect(context.isStream(path), "\(path)")
            }
            for path in [
                "/dev/fd/../null", "/dev/fd/x", "/dev/null", "/dev/fd/", "/proc/1/fd/0", "/proc/self/environ", "fd/0",
            ] {
                #expect(!context.isStream(path), "\(path)")
            }
        }
    }

    @Test("what is written into a pipe is read, and no more than is allowed", .timeLimit(.minutes(45)))
    func written() throws {
        let fixture = try CommandFixture()
        // A pipe can hold this text, so it can be written before anybody reads, as with a shell's <(…).
        let text = [UInt8](repeating: 7, count: 30_000)
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        #expect(StandardStreams.writeAll(text, to: ends[1]) == 0)
        close(ends[1])
        #expect(try Files.read("/dev/fd/\(ends[0])", as: "pipe", limit: 1 << 20) == text)
        try Data(text).write(to: fixture.folder.appendingPathComponent("file"))
        #expect { try Files.read(fixture.folder.path + "/file", as: "file", limit: 29_999) } throws: { error in
            (error as? FileError)?.reason == "it is larger than 29999 octets"
        }
    }

    @Test("no reader follows links out of the definition's folder, or waits for a pipe", .timeLimit(.minutes(45)))
    func hostileFiles() throws {
        let text = "version: 1\nnetwork: villa\nsubnets: { home: {} }\n"
        func problem(_ name: String, _ command: [String], with extra: String = "") throws -> String {
            let fixture = try CommandFixture()
            try fixture.write(text + extra, to: "site/villa.yaml")
            try fixture.write("outside: SECRETWORD\n", to: "elsewhere.yaml")
            let place = fixture.folder.appendingPathComponent("site/" + name).path
            if name.contains("pipe") {
                try #require(mkfifo(place, 0o600) == 0)
            } else {
                let target = name.contains("zero") ? "/dev/zero" : "../elsewhere.yaml"
                try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: target)
            }
            let result = fixture.run(command)
            #expect(result.status != 0, "\(name) \(command)")
            #expect(!result.combined.contains("SECRETWORD"), "\(result.combined)")
            return result.error
        }
        let out = "a link leads out of its folder or repository"
        let pipe = "no regular file but a pipe or a device"
        #expect(try problem("out.yaml", ["validate", "site"]).contains(out))
        #expect(try problem("zero.yaml", ["validate", "site"]).contains(out))
        #expect(try problem("pipe.yaml", ["validate", "site/villa.yaml", "site/pipe.yaml"]).contains(pipe))
        let values = ["validate", "site/villa.yaml", "--var-file", "site/zero.yaml"]
        #expect(try problem("zero.yaml", values).contains(out))
        #expect(try problem("fleet.yaml", ["fleet", "status", "site"]).contains(out))
        let include = "include: [pipe.yaml]\n"
        #expect(try problem("pipe.yaml", ["validate", "site/villa.yaml"], with: include).contains("pipe.yaml"))
        let key = "application_keys: { a: { subnet: home, key: { file: out.key } } }\n"
        #expect(try problem("out.key", ["validate", "site/villa.yaml"], with: key).contains(out))
    }

    @Test(
        "networks, captures and states of the simulator are read from regular files, too",
        .timeLimit(.minutes(45)),
        arguments: [
            ["import", "--lint", "--cdb"], ["db", "merge"], ["capture", "show"], ["sim", "status", "--state-file"],
            ["sim", "run", "--listen", "unix:s", "--state-file"],
        ]
    )
    func hostileNetworks(command: [String]) throws {
        let fixture = try CommandFixture()
        try fixture.write("version: 1\nnetwork: villa\n", to: "villa.yaml")
        #expect(fixture.run("init", "--network", "villa").status == 0)
        let folder = fixture.folder.path
        try #require(mkfifo(folder + "/pipe", 0o600) == 0)
        try FileManager.default.createDirectory(atPath: folder + "/folder", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: folder + "/zero", withDestinationPath: "/dev/zero")
        // A file without end, as good as: it takes no room on the disk.
        try #require(FileManager.default.createFile(atPath: folder + "/endless", contents: nil))
        try #require(truncate(folder + "/endless", 1 << 40) == 0)
        for name in ["pipe", "folder", "zero", "endless", "/dev/zero"] {
            let start = ContinuousClock.now
            let result = fixture.run(command + [name])
            #expect(result.status != 0 && result.error.contains(name), "\(name): \(result.combined)")
            #expect(
                ["regular", "folder", "directory", "link", "larger"].contains(where: result.error.contains),
                "\(name): \(result.combined)"
            )
            #expect(ContinuousClock.now - start < .seconds(25), "\(name) is not waited for")
        }
    }

    @Test("an import reads what a shell hands it", .timeLimit(.minutes(45)))
    func importedStream() throws {
        let fixture = try CommandFixture()
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        #expect(StandardStreams.writeAll(Array("{\"meshUUID\": 5}".utf8), to: ends[1]) == 0)
        close(ends[1])
        let result = fixture.run("import", "--lint", "--cdb", "/dev/fd/\(ends[0])")
        #expect(result.output.contains("/meshUUID"), "\(result.combined)")
    }

    @Test("a file with a key that others can read is refused as soon as a definition names it")
    func exposedKeys() throws {
        let fixture = try CommandFixture()
        let node = "uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0001, provisioning: { static: { file: value.hex } }"
        try fixture.write(
            "version: 1\nnetwork: villa\nsubnets: { home: { key: { file: net.key } } }\nnodes: { a: { \(node) } }\n",
            to: "villa.yaml"
        )
        #expect(fixture.run("validate").status == 0)
        for name in ["net.key", "value.hex"] {
            try fixture.write(String(repeating: "a1", count: 16), to: name)
            let result = fixture.run("validate")
            #expect(result.status != 0 && result.error.contains("\(name): it contains secrets"), "\(result.error)")
            #expect(result.error.contains("chmod 600 \(name)") && !result.error.contains("a1a1"))
            try fixture.writePrivate(String(repeating: "a1", count: 16), to: name)
            #expect(fixture.run("validate").status == 0)
        }
    }

    @Test("a hyphen is standard input")
    func hyphen() throws {
        let fixture = try CommandFixture()
        fixture.answers = ["version: 1", "network: villa", nil]
        let result = fixture.run("validate", "-")
        #expect(result.status == 0 && result.output.contains("network villa"), "\(result.combined)")
    }

    @Test("errors with large texts describe themselves in a few words, since the parser of command lines asks them")
    func description() {
        let files = SourceFiles(files: [.init(path: "a", bytes: [UInt8](repeating: 0, count: 1_000_000))])
        #expect(String(describing: InvalidDefinition(diagnostics: [], files: files)) == "0 diagnostics")
    }
}
