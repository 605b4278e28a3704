import Testing

@testable import SystemLayer

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@Suite("What is at a path")
struct FileKindTests {
    private func inFolder(_ body: (String) throws -> Void) throws {
        var name = Array("/tmp/meshplan-kind-XXXXXX".utf8CString)
        let folder = String(cString: try #require(mkdtemp(&name)))
        defer {
            for name in FolderNames.all(in: folder) ?? [] { unlink("\(folder)/\(name)") }
            rmdir(folder)
        }
        try body(folder)
    }

    @Test("What cannot be examined is not taken for nothing")
    func hidden() throws {
        try inFolder { folder in
            // The system refuses this whoever asks; without access to a folder it is the same.
            #expect(symlink("circle", folder + "/circle") == 0)
            #expect(Files.kind(folder + "/circle") == .hidden)
            #expect(Files.kind(folder + "/circle/state") == .hidden)
            #expect(throws: FileError(.examine, "circle", at: folder + "/circle", .system(ELOOP))) {
                try Files.kind(examining: folder + "/circle", as: "circle")
            }
        }
    }

    @Test("Where there is surely nothing, there is nothing")
    func nothing() throws {
        try inFolder { folder in
            try AtomicFile.write(folder + "/file", [1])
            #expect(Files.kind(folder + "/file") == .file)
            #expect(Files.kind(folder + "/none") == nil)
            #expect(Files.kind(folder + "/file/none") == nil)
            #expect(Files.kind(folder + "/" + String(repeating: "n", count: 300)) == nil)
        }
    }

    @Test("A folder that cannot be read to its end has no names")
    func folders() throws {
        let folder = try #require(opendir("/etc"))
        defer { closedir(folder) }
        let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        // The descriptor of the folder now leads elsewhere, where there are no names.
        #expect(dup2(file, dirfd(folder)) >= 0)
        let (names, number) = (FolderNames.all(of: folder), errno)
        #expect(names == nil && number == ENOTDIR)
    }
}
