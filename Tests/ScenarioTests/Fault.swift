import Foundation

/// A fault at one of the executable's calls that change files. The library `FaultInjection`, loaded into the
/// executable, causes it.
struct Fault: CustomStringConvertible, Sendable {
    /// The kind of fault, with the library's name for it.
    enum Kind: String, CaseIterable, Sendable {
        /// The disk is full, for this call or from this call on.
        case fullOnce = "full-once"
        case full
        /// Only half of a write finds room.
        case short
        /// The disk is broken, for this call or from this call on.
        case brokenOnce = "broken-once"
        case broken
        /// Access is denied from this call on.
        case denied
        /// A signal interrupts this call.
        case interrupted
        /// `kill -9` instead of the call, after it, or after half of a write.
        case killBefore = "kill-before"
        case killAfter = "kill-after"
        case killTorn = "kill-torn"
        /// Like `kill -9` after the call, and everything that was not flushed is lost: contents of files, and names of
        /// folders.
        case powerCut = "power-cut"
        /// A flush fails, and what it should have flushed is lost.
        case lostFlush = "lost-flush"

        /// Whether the program ends at once.
        var kills: Bool {
            switch self {
            case .killBefore, .killAfter, .killTorn, .powerCut: true
            case .fullOnce, .full, .short, .brokenOnce, .broken, .denied, .interrupted, .lostFlush: false
            }
        }
    }

    /// The kind of fault.
    var kind: Kind
    /// The call at which it happens, counted from 1.
    var call: Int

    var description: String { "\(kind.rawValue) at call \(call)" }

    /// The library, which the build places beside the test bundle.
    private static let library = House.products.appending(path: "libFaultInjection.so")

    /// Whether faults can be injected. Systems other than Linux load libraries into programs differently.
    static var isPossible: Bool { FileManager.default.fileExists(atPath: library.path) }

    /// The environment that causes the fault in programs that change files in a folder.
    func environment(in folder: URL) -> [String: String] {
        [
            "LD_PRELOAD": Self.library.path, "FAULT_FOLDER": folder.path, "FAULT_KIND": kind.rawValue,
            "FAULT_CALL": "\(call)",
        ]
    }

    /// The environment in which the power is cut when a program has ended.
    static func powerCutAtEnd(in folder: URL) -> [String: String] {
        ["LD_PRELOAD": library.path, "FAULT_FOLDER": folder.path, "FAULT_KIND": Kind.powerCut.rawValue]
    }

    /// The environment in which calls are only logged to a file.
    static func counting(in folder: URL, to log: URL) -> [String: String] {
        ["LD_PRELOAD": library.path, "FAULT_FOLDER": folder.path, "FAULT_LOG": log.path]
    }

    /// The environment in which the clock is wrong by some seconds, and from a call on by others.
    static func clock(offBy seconds: Int, then others: Int, fromCall call: Int, in folder: URL) -> [String: String] {
        [
            "LD_PRELOAD": library.path, "FAULT_FOLDER": folder.path, "FAULT_CLOCK": "\(seconds),\(others)",
            "FAULT_CALL": "\(call)",
        ]
    }
}

extension House {
    /// The options for commands to reach the simulated villa.
    static let villaRoute = ["--via", "simulator", "--devices", "sim/devices.yaml"]

    /// A definition of one lamp, and the unprovisioned lamp.
    static func villa() throws -> House {
        let house = try House.empty()
        try house.write(
            """
            products:
              lamp:
                company: 0x0059
                product: 0x0001
                features: [relay, proxy]
                elements: [{ models: [generic-onoff-server] }]
                provisioning: {}
            devices:
              lamp: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001, product: lamp }
            """,
            to: "sim/devices.yaml"
        )
        try house.write(
            """
            version: 1
            network: villa
            subnets: { home: { index: 0 } }
            application_keys: { light: { subnet: home } }
            groups: { all: { address: 0xC000 }, spare: { address: 0xC001 } }
            nodes:
              lamp:
                uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001
                features: { proxy: on }
                elements: { 0: { generic-onoff-server: { keys: [light], subscribe: [all] } } }
            """,
            to: "villa.yaml"
        )
        return house
    }

    /// Runs commands that must succeed.
    func succeed(_ commands: [[String]]) async throws {
        for arguments in commands {
            let result = try await meshplan(arguments)
            guard result.status == 0 else { throw ScenarioError("\(arguments): \(result.status)\n\(result.output)") }
        }
    }

    /// Runs a line in a shell.
    func type(_ line: String) async throws -> Ending {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return try await observe(
            URL(filePath: "/bin/sh"),
            ["-c", line],
            environment: ["PATH": House.meshplan.deletingLastPathComponent().path + ":" + path]
        )
    }

    /// Copies the whole folder.
    func duplicate() throws -> House {
        let copy = try House.empty()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            try FileManager.default.copyItem(at: folder.appending(path: name), to: copy.folder.appending(path: name))
        }
        return copy
    }

    /// The names of all files, relative to the folder.
    var files: [String] { FileManager.default.subpaths(atPath: folder.path) ?? [] }
}

extension House.Ending {
    /// The suggested commands, from lines like `Next: meshplan apply --via simulator (continues …)`.
    var advised: [String] {
        output.split(separator: "\n").filter { $0.hasPrefix("Next: ") }.compactMap { line in
            guard let start = line.firstRange(of: "meshplan ")?.lowerBound else { return nil }
            let command = line[start...]
            return String(command[..<(command.firstRange(of: " (")?.lowerBound ?? command.endIndex)])
        }
    }

    /// Whether each error names the file or the folder without room, and the disk by the folder above it. A warning says
    /// what becomes of its file without anybody's help.
    func namesFullDisk(in folder: String) -> Bool {
        let files = [".meshplan", ".gitignore", ".meshdb", "copy.mesh", "meshplan.lock.yaml", folder]
        let lines = output.split(separator: "\n").filter {
            $0.contains("the disk is full") && !$0.hasPrefix("Warning: ")
        }
        let text = output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let above = folder[..<(folder.lastIndex(of: "/") ?? folder.endIndex)]
        return lines.isEmpty
            || lines.allSatisfy { line in files.contains(where: line.contains) }
                && [".meshplan", String(above)].contains { text.contains("on the disk that holds \($0)") }
    }

    /// Whether the output explains an error with a file, or the folder itself, and a remedy.
    func isExplained(in folder: String) -> Bool {
        guard output.contains("Error: ") else { return false }
        let names = [".meshplan", ".gitignore", ".meshdb", "copy.mesh", folder]
        let ways = [
            "ree some space", "heck the ", "Restore ", "restore ", "mport ", "Remove it", "Put a ", "Put it back",
            "run the command again", "Give your user write permission",
        ]
        return names.contains(where: output.contains) && ways.contains(where: output.contains)
    }
}
