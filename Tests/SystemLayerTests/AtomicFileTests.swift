import Foundation
import SystemLayer
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@Suite("Atomic files")
struct AtomicFileTests {
    /// Runs a test in a folder of its own.
    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.path)
    }

    private func trouble(_ body: () throws(FileError) -> Void) -> FileError? {
        do throws(FileError) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test("They replace whole contents with their mode and leave nothing else behind")
    func replacing() throws {
        try inFolder { folder in
            let path = folder + "/plan"
            try AtomicFile.write(path, Array("one".utf8))
            try AtomicFile.write(path, Array("two".utf8))
            #expect(try Files.read(path, limit: 3) == Array("two".utf8))
            #expect(Files.permissions(path) == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["plan"])
        }
    }

    @Test("What exists is not made anew, and errors name the file as the user knows it")
    func refusals() throws {
        try inFolder { folder in
            let path = folder + "/plan"
            try AtomicFile.create(path, Array("one".utf8))
            let exists = trouble { () throws(FileError) in try AtomicFile.create(path, as: "plan", []) }
            #expect(exists?.trouble == .exists)
            #expect(exists?.clause == "cannot be created: it exists already")
            #expect(try Files.read(path, limit: 3) == Array("one".utf8))
            let missing = trouble { () throws(FileError) in try AtomicFile.write(folder + "/no/plan", as: "no/plan", [])
            }
            #expect(missing?.message == "cannot create no/plan: No such file or directory")
            #expect(missing?.location == folder + "/no/plan")
            #expect(trouble { () throws(FileError) in try AtomicFile.write(folder, [1]) } != nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["plan"])
        }
    }

    @Test("Only regular files are read as such, of a size and mode that are allowed")
    func regular() throws {
        try inFolder { folder in
            let path = folder + "/secret"
            try AtomicFile.write(path, Array("two".utf8), mode: 0o640)
            func cause(_ path: String, limit: Int, isSecret: Bool) -> FileError.Cause? {
                trouble { () throws(FileError) in
                    _ = try Files.readRegular(path, limit: limit, isSecret: isSecret)
                }?.cause
            }
            #expect(cause(path, limit: 2, isSecret: false) == .tooLarge(limit: 2))
            #expect(cause(path, limit: 3, isSecret: true) == .exposed(mode: 0o640))
            #expect(cause(path, limit: 3, isSecret: false) == nil)
            #expect(cause(folder, limit: 3, isSecret: false) == .folder)
            #expect(cause("/dev/null", limit: 3, isSecret: false) == .special)
        }
    }

    @Test(
        "What others can put in place is read only if it is a regular file inside its folders",
        .timeLimit(.minutes(45))
    )
    func inside() throws {
        try inFolder { folder in
            let root = folder + "/site"
            for name in [root, root + "/rooms", folder + "/other"] {
                _ = try Files.createFolder(name, as: name)
            }
            try AtomicFile.write(root + "/rooms/a.yaml", Array("a".utf8), mode: 0o644)
            try AtomicFile.write(folder + "/other/b.yaml", Array("b".utf8), mode: 0o600)
            func link(_ name: String, _ target: String) throws {
                try FileManager.default.createSymbolicLink(atPath: root + "/" + name, withDestinationPath: target)
            }
            try link("inner.yaml", "rooms/../rooms/a.yaml")
            try link("whole.yaml", root + "/inner.yaml")
            try link("rest", "rooms")
            try link("zero.yaml", "/dev/zero")
            try link("out.yaml", "../other/b.yaml")
            try link("out", folder + "/other")
            try link("circle.yaml", "circle.yaml")
            #expect(mkfifo(root + "/pipe.yaml", 0o600) == 0)
            func cause(_ name: String, isSecret: Bool = false, limit: Int = 9) -> FileError.Cause? {
                trouble { () throws(FileError) in
                    let path = root + "/" + name
                    let bytes = try Files.read(path, as: name, inside: [root], limit: limit, isSecret: isSecret)
                    #expect(bytes == Array("a".utf8))
                }?.cause
            }
            for name in ["rooms/a.yaml", "inner.yaml", "whole.yaml", "rest/a.yaml", "./rest/../rooms//a.yaml"] {
                #expect(cause(name) == nil, "\(name)")
            }
            for name in ["zero.yaml", "out.yaml", "out/b.yaml", "../other/b.yaml", "rest/../out/b.yaml"] {
                #expect(cause(name) == .outside, "\(name)")
            }
            #expect(cause("pipe.yaml") == .special)
            #expect(cause("rooms") == .folder)
            #expect(cause("circle.yaml") == .system(ELOOP))
            #expect(cause("rooms/a.yaml/b") == .system(ENOTDIR))
            #expect(cause("rooms/a.yaml", isSecret: true) == .exposed(mode: 0o644))
            #expect(cause("rooms/a.yaml", limit: 0) == .tooLarge(limit: 0))
            #expect(throws: FileError.self) {
                try Files.read("/dev/zero", as: "zero", inside: ["/dev"], limit: 9)
            }
        }
    }

    @Test("A text that cannot be added whole leaves the file as it was, and a lock holds off the next")
    func appending() throws {
        try inFolder { folder in
            let path = folder + "/state"
            let file = try #require(try AppendFile(lockingPath: path, as: "state"))
            let isFree = try AppendFile(lockingPath: path, as: "state") != nil
            #expect(!isFree)
            try file.append(Array("one".utf8))
            try file.append(Array("two".utf8))
            try file.cut(to: 4)
            #expect(try file.readAll(limit: 4) == Array("onet".utf8))
            try file.replaceAll(with: Array("x".utf8))
            #expect(try Files.read(path, limit: 1) == Array("x".utf8))
        }
    }
}
