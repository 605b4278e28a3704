import Foundation

/// What goes wrong at one of the calls with which the executable changes files: the library `FaultInjection`, loaded
/// into it, does that.
struct Fault: CustomStringConvertible, Sendable {
    /// What goes wrong; the names are the library's.
    enum Kind: String, CaseIterable, Sendable {
        /// The disk is full, for this call or from it on.
        case fullOnce = "full-once"
        case full
        /// Half of a write finds room, the rest does not.
        case short
        /// The disk is broken, for this call or from it on.
        case brokenOnce = "broken-once"
        case broken
        /// `kill -9` instead of the call, after it, or after half of a write.
        case killBefore = "kill-before"
        case killAfter = "kill-after"
        case killTorn = "kill-torn"
        /// As `kill -9` after the call, and nothing is left of what was not flushed.
        case powerCut = "power-cut"
        /// A flush fails, and what it was to flush is lost.
        case lostFlush = "lost-flush"

        /// Whether the program dies of it.
        var kills: Bool {
            switch self {
            case .killBefore, .killAfter, .killTorn, .powerCut: true
            case .fullOnce, .full, .short, .brokenOnce, .broken, .lostFlush: false
            }
        }
    }

    /// What goes wrong.
    var kind: Kind
    /// At which call, counted from 1.
    var call: Int

    var description: String { "\(kind.rawValue) at call \(call)" }

    /// The library, which the build puts beside the executable.
    private static let library = House.meshplan.deletingLastPathComponent().appending(path: "libFaultInjection.so")

    /// Whether faults can be injected: other systems than Linux load libraries into programs in other ways.
    static var isPossible: Bool { FileManager.default.fileExists(atPath: library.path) }

    /// The environment in which it happens to whatever changes files in a folder.
    func environment(in folder: URL) -> [String: String] {
        [
            "LD_PRELOAD": Self.library.path, "FAULT_FOLDER": folder.path, "FAULT_KIND": kind.rawValue,
            "FAULT_CALL": "\(call)",
        ]
    }

    /// The environment in which calls are only told to a file.
    static func counting(in folder: URL, to log: URL) -> [String: String] {
        ["LD_PRELOAD": library.path, "FAULT_FOLDER": folder.path, "FAULT_LOG": log.path]
    }

    /// The environment in which the clock is off by some seconds, and by others from a call on.
    static func clock(offBy seconds: Int, then others: Int, fromCall call: Int, in folder: URL) -> [String: String] {
        [
            "LD_PRELOAD": library.path, "FAULT_FOLDER": folder.path, "FAULT_CLOCK": "\(seconds),\(others)",
            "FAULT_CALL": "\(call)",
        ]
    }
}

extension House {
    /// The options with which commands reach the simulated villa.
    static let villaRoute = ["--via", "simulator", "--devices", "sim/devices.yaml"]

    /// A definition of one lamp, and the lamp in its box.
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

    /// Runs commands that have to succeed.
    func succeed(_ commands: [[String]]) async throws {
        for arguments in commands {
            let result = try await meshplan(arguments)
            guard result.status == 0 else { throw ScenarioError("\(arguments): \(result.status)\n\(result.output)") }
        }
    }

    /// Types a line into a shell.
    func type(_ line: String) async throws -> Ending {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return try await observe(
            URL(filePath: "/bin/sh"),
            ["-c", line],
            environment: ["PATH": House.meshplan.deletingLastPathComponent().path + ":" + path]
        )
    }

    /// A copy of the whole folder.
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
    /// The commands that it advises to type, out of lines like `Next: meshplan apply --via simulator (continues …)`.
    var advised: [String] {
        output.split(separator: "\n").filter { $0.hasPrefix("Next: ") }.compactMap { line in
            guard let start = line.firstRange(of: "meshplan ")?.lowerBound else { return nil }
            let command = line[start...]
            return String(command[..<(command.firstRange(of: " (")?.lowerBound ?? command.endIndex)])
        }
    }

    /// Whether it explains an error with a file and with what to do.
    var isExplained: Bool {
        guard output.contains("Error: ") else { return false }
        let names = [".meshplan", ".gitignore", ".meshdb", "copy.mesh"]
        let ways = [
            "ree some space", "heck the ", "Restore ", "restore ", "mport ", "Remove it", "Put a ", "Put it back",
            "run the command again",
        ]
        return names.contains(where: output.contains) && ways.contains(where: output.contains)
    }
}
