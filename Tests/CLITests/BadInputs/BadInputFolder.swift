import Foundation
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The folder in which a case of bad input runs.
struct BadInputFolder {
    /// The initial contents to choose from: `empty`; `definition`, a small correct definition; `network`, the same with
    /// its database, a saved plan and an export; `cdb`, a configuration database of another tool; `house`, the example
    /// with a backup of its database; `devices`, files with devices and secrets.
    static let names = ["empty", "definition", "network", "cdb", "house", "devices"]

    let fixture: CommandFixture

    /// An error in a case, not in the product.
    struct Mistake: Error, CustomStringConvertible {
        var description: String
    }

    /// Makes a folder with the contents of another; empty for nil.
    init(copying prepared: CommandFixture?) throws {
        fixture = try CommandFixture()
        guard let prepared else { return }
        for name in try FileManager.default.contentsOfDirectory(atPath: prepared.folder.path) {
            try FileManager.default.copyItem(
                at: prepared.folder.appendingPathComponent(name),
                to: fixture.folder.appendingPathComponent(name)
            )
        }
    }

    // MARK: Folders to begin with

    /// The folder with initial contents; nil for an empty one.
    static func prepared(_ name: String) throws -> CommandFixture? {
        guard names.contains(name) else { throw Mistake(description: "no folder `\(name)`") }
        guard name != "empty" else { return nil }
        let fixture = try CommandFixture()
        switch name {
        case "cdb":
            try succeed(fixture, ["init"])
            try fixture.copy("other-tool.json", to: "c.json")
        case "house":
            try fixture.copy("house.yaml")
            try fixture.copy("network.json")
            try succeed(fixture, ["init"])
            try succeed(fixture, ["import", "--cdb", "network.json"])
            // Any change makes a backup of the state before it.
            try succeed(fixture, ["state", "rm", "--auto-approve", "node.Door Bell"])
        default:
            try fixture.write(definition, to: "t.yaml")
            guard name != "definition" else { break }
            try succeed(fixture, ["init", "--network", "t"])
            if name == "devices" {
                try fixture.write(devices, to: "devices.yaml")
                try fixture.writePrivate(secrets, to: "secrets.csv")
            } else {
                try succeed(fixture, ["plan", "--out", "t.mplan"])
                try succeed(fixture, ["export", "--cdb", "t.json"])
            }
        }
        return fixture
    }

    /// A correct definition. Each of its lines is changed by some case.
    static let definition = """
        version: 1
        network: t
        subnets:
          main: { index: 0 }
        application_keys:
          light: { subnet: main }
        groups:
          all: { address: 0xC000 }
        profiles:
          lamp:
            ttl: 5
            elements:
              0:
                generic-onoff-server: { keys: [light], publish: { to: all, key: light } }
        nodes:
          a: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001, profile: lamp, tags: { room: r1 } }
          b: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0002, profile: lamp, address: 0x0010 }
        subscriptions:
          - { groups: [all], models: [generic-onoff-server], nodes: { room: r1 } }

        """

    private static let devices = """
        products:
          lamp:
            elements:
              - models: [generic-onoff-server]
        devices:
          a: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001, product: lamp }
          b: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0002, product: lamp }

        """

    private static let secrets = """
        uuid,static
        0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001,00112233445566778899aabbccddeeff
        0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0002,ffeeddccbbaa99887766554433221100

        """

    // MARK: Steps

    /// Carries out a line of a case.
    func take(_ line: String) throws {
        let rest = String(line.dropFirst(2))
        guard line.first != "!" else { return try perform(BadInput.words(rest)) }
        let parts = rest.split(separator: " | ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { throw Mistake(description: "without a file: \(line)") }
        let (file, text) = (parts[0], parts[1])
        switch line.first {
        case "<":
            try write(try Self.octets(text), to: file)
        case "+":
            guard let present = fixture.read(file) else { throw Mistake(description: "no \(file)") }
            try write(present + (try Self.octets(text)) + [UInt8(ascii: "\n")], to: file)
        case "~":
            let sides = text.split(separator: " => ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard sides.count == 2, let present = fixture.read(file) else {
                throw Mistake(description: "not a change: \(line)")
            }
            let old = try Self.octets(sides[0])
            let places = present.indices.filter { present[$0...].starts(with: old) }
            guard let place = places.first, places.count == 1, !old.isEmpty else {
                throw Mistake(description: "`\(sides[0])` stands in \(places.count) places of \(file)")
            }
            let after = present[(place + old.count)...]
            try write(present[..<place] + (try Self.octets(sides[1])) + after, to: file)
        default: throw Mistake(description: "unknown line: \(line)")
        }
    }

    /// Carries out `truncate FILE COUNT`, `flip FILE OFFSET` (all bits of an octet), `remove FILE`, `copy FILE FILE`,
    /// `folder PATH`, `pipe PATH` (one that nobody writes to), `link TARGET PATH`, `mode PATH OCTAL`, `wide FILE` (to
    /// UTF-16 without a byte order mark), `run WORDS` (a command that must succeed) or `set NAME VALUE` (an environment
    /// variable). A path that ends in `*` is the only one that begins so.
    func perform(_ words: [String]) throws {
        func path(_ place: Int) throws -> String {
            guard words.indices.contains(place) else { throw Mistake(description: "too few words: \(words)") }
            let url = fixture.folder.appendingPathComponent(words[place])
            guard words[place].hasSuffix("*") else { return url.path }
            let folder = url.deletingLastPathComponent()
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .filter { $0.hasPrefix(url.lastPathComponent.dropLast()) }
            guard let name = names.first, names.count == 1 else { throw Mistake(description: "no single \(words)") }
            return folder.appendingPathComponent(name).path
        }
        func number(_ place: Int, radix: Int = 10) throws -> Int {
            guard words.indices.contains(place), let number = Int(words[place], radix: radix) else {
                throw Mistake(description: "no number: \(words)")
            }
            return number
        }
        func done(_ result: Int32) throws {
            guard result == 0 else { throw Mistake(description: "\(words): \(String(cString: strerror(errno)))") }
        }
        switch words.first {
        case "truncate": try done(truncate(try path(1), off_t(try number(2))))
        case "flip":
            var bytes = fixture.read(words[1]) ?? []
            let offset = try number(2)
            guard bytes.indices.contains(offset) else { throw Mistake(description: "too short: \(words)") }
            bytes[offset] ^= 0xFF
            try write(bytes, to: words[1])
        case "remove": try FileManager.default.removeItem(atPath: try path(1))
        case "copy": try FileManager.default.copyItem(atPath: try path(1), toPath: try path(2))
        case "folder": try done(mkdir(try path(1), 0o755))
        case "pipe": try done(mkfifo(try path(1), 0o600))
        case "link": try done(symlink(words[1], try path(2)))
        case "mode": try done(chmod(try path(1), mode_t(try number(2, radix: 8))))
        case "wide":
            try write((fixture.read(words[1]) ?? []).flatMap { [$0, 0] }, to: words[1])
        case "run": try Self.succeed(fixture, Array(words.dropFirst()))
        case "set": fixture.environment[words[1]] = words.dropFirst(2).joined(separator: " ")
        default: throw Mistake(description: "unknown: \(words)")
        }
    }

    private static func succeed(_ fixture: CommandFixture, _ arguments: [String]) throws {
        let result = fixture.run(arguments)
        guard result.status == 0 else {
            throw Mistake(description: "\(arguments.joined(separator: " ")): \(result.output)\(result.error)")
        }
    }

    private func write(_ bytes: some Collection<UInt8>, to name: String) throws {
        let url = fixture.folder.appendingPathComponent(name)
        let isNew = !FileManager.default.fileExists(atPath: url.path)
        try Data(bytes).write(to: url)
        if isNew { try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path) }
    }

    /// The octets of a text with escapes.
    static func octets(_ text: String) throws -> [UInt8] {
        var octets: [UInt8] = []
        var rest = Array(text.utf8)[...]
        func wrong() -> Mistake { Mistake(description: "an unknown escape in \(text)") }
        while let octet = rest.popFirst() {
            guard octet == UInt8(ascii: "\\") else {
                octets.append(octet)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "n"): octets.append(0x0A)
            case UInt8(ascii: "t"): octets.append(0x09)
            case UInt8(ascii: "\\"): octets.append(UInt8(ascii: "\\"))
            case UInt8(ascii: "x"):
                guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                    throw wrong()
                }
                octets.append(value)
                rest = rest.dropFirst(2)
            case UInt8(ascii: "{"):
                guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else { throw wrong() }
                let words = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ", maxSplits: 1)
                guard words.count == 2, let count = Int(words[0]) else { throw wrong() }
                let repeated = try Self.octets(String(words[1]))
                for _ in 0..<count { octets += repeated }
                rest = rest[(end + 1)...]
            default: throw wrong()
            }
        }
        return octets
    }
}
