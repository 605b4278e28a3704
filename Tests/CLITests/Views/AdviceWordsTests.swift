import ArgumentParser
import Foundation
import MeshCore
import Planning
import Testing

@testable import MeshplanCLI

/// The kinds of remedies. ``AdviceWordsTests/kind(of:)`` does not compile until each has one.
private enum Kind: CaseIterable {
    case apply, readBack, showDrift, showLighting, acceptDrift, showNetwork, refreshKeys, exclude, recordReset
    case reprovision, giveAddresses, newAddresses, allow, recoverIVIndex, stateIVIndex, scan, assign, replace
    case removeTagged, examine, countHops, chooseProxy, applyAgain
    case begin, createStore, importNetwork, exportNetwork, replaceDatabase, mergeDatabases, remove, rename
    case listKeySlots, unlock, pair, pairAgain, pairClient, pairClientAgain, reach, serveSecured, deny, denyListed
    case limitLinks, simulate, runGateway, serve, devicesFile, secretsFile
}

@Suite("Every command line that advice prints is one")
struct AdviceWordsTests {
    /// At least one remedy of each kind, and each form of those with several.
    private static let remedies: [UserAction] =
        [
            .apply, .readBack(), .readBack(notSeenForDays: 90), .showDrift, .acceptDrift, .showNetwork, .refreshKeys(),
            .showLighting(node: "lamp 1"),
            .refreshKeys(subnet: "two words", excluding: ["lamp 1", "0x0012"]), .exclude(), .exclude(node: "lamp 1"),
            .recordReset(), .recordReset(node: "lamp 1"), .reprovision, .giveAddresses, .newAddresses, .recoverIVIndex,
            .stateIVIndex, .scan, .assign, .replace(), .replace(node: "lamp 1"), .removeTagged(resets: false),
            .removeTagged("floor=3", resets: true), .examine, .countHops, .chooseProxy, .applyAgain, .begin,
            .createStore("postgres:///mesh"),
            .importNetwork,
            .exportNetwork, .replaceDatabase, .mergeDatabases, .remove(), .remove(resource: "key.two words"), .rename,
            .listKeySlots, .unlock(7), .pair, .pairAgain, .pairClient, .pairClientAgain, .reach("gateway://HOST:47"),
            .reach("tcp:HOST:47"), .reach("unix:PATH"), .serveSecured, .deny, .denyListed, .limitLinks,
            .simulate(at: "unix:/tmp/mesh"), .runGateway, .serve(at: "tcp:0.0.0.0:47"), .devicesFile, .secretsFile,
        ] + PlanGuard.allCases.filter(\.isAllowable).map { .allow(guard: $0.rawValue) }

    private static func kind(of remedy: UserAction) -> Kind {
        switch remedy {
        case .apply: .apply
        case .readBack: .readBack
        case .showDrift: .showDrift
        case .showLighting: .showLighting
        case .acceptDrift: .acceptDrift
        case .showNetwork: .showNetwork
        case .refreshKeys: .refreshKeys
        case .exclude: .exclude
        case .recordReset: .recordReset
        case .reprovision: .reprovision
        case .giveAddresses: .giveAddresses
        case .newAddresses: .newAddresses
        case .allow: .allow
        case .recoverIVIndex: .recoverIVIndex
        case .stateIVIndex: .stateIVIndex
        case .scan: .scan
        case .assign: .assign
        case .replace: .replace
        case .removeTagged: .removeTagged
        case .examine: .examine
        case .countHops: .countHops
        case .chooseProxy: .chooseProxy
        case .applyAgain: .applyAgain
        case .begin: .begin
        case .createStore: .createStore
        case .importNetwork: .importNetwork
        case .exportNetwork: .exportNetwork
        case .replaceDatabase: .replaceDatabase
        case .mergeDatabases: .mergeDatabases
        case .remove: .remove
        case .rename: .rename
        case .listKeySlots: .listKeySlots
        case .unlock: .unlock
        case .pair: .pair
        case .pairAgain: .pairAgain
        case .pairClient: .pairClient
        case .pairClientAgain: .pairClientAgain
        case .reach: .reach
        case .serveSecured: .serveSecured
        case .deny: .deny
        case .denyListed: .denyListed
        case .limitLinks: .limitLinks
        case .simulate: .simulate
        case .runGateway: .runGateway
        case .serve: .serve
        case .devicesFile: .devicesFile
        case .secretsFile: .secretsFile
        }
    }

    /// The words of a command line as a shell splits them; single quotes keep spaces.
    private static func split(_ line: String) -> [String] {
        var words: [String] = []
        for (place, part) in line.components(separatedBy: "'").enumerated() {
            if place % 2 == 0 {
                words += part.split(separator: " ").map(String.init)
            } else {
                words.append(part)
            }
        }
        return words
    }

    /// The command that words lead to, and the words behind it.
    private static func command(_ words: [String]) -> (command: any ParsableCommand.Type, rest: [String]) {
        var command: any ParsableCommand.Type = Meshplan.self
        var rest = words[...]
        while let word = rest.first,
            let next = command.configuration.subcommands.first(where: { $0.configuration.commandName == word })
        {
            command = next
            rest = rest.dropFirst()
        }
        return (command, Array(rest))
    }

    @Test("The table has every kind of remedy")
    func complete() {
        #expect(Set(Self.remedies.map(Self.kind)) == Set(Kind.allCases))
    }

    @Test("A command line is taken by the parser, or is the bare name of a command")
    func commandLines() throws {
        for remedy in Self.remedies where remedy.words.hasPrefix("meshplan ") {
            // Words in capitals stand for what only the user knows; an IV index is a number, and a way to the mesh is known.
            let known = ["INDEX": "7", "BEARER": "simulator"]
            let words = Self.split(remedy.words).dropFirst().map { known[$0] ?? $0 }
            let rest = Self.command(words).rest
            #expect(rest.count < words.count, "\(remedy.words)")
            if rest.isEmpty { continue }
            // The route to the mesh is left to the user where a command needs one.
            let lines = [words, words + ["--via", "simulator"]]
            #expect(lines.contains { (try? Meshplan.parseAsRoot($0)) != nil }, "\(remedy.words)")
        }
    }

    @Test("An option is one of a command that has it")
    func options() throws {
        let fixture = try CommandFixture()
        let helps =
            ["apply", "drift", "reprovision", "gateway", "plan", "scan"].map { fixture.run($0, "--help-all").output }
            + [fixture.run("gateway", "run", "--help-all").output, fixture.run("keys", "refresh", "--help-all").output]
        for remedy in Self.remedies where !remedy.words.hasPrefix("meshplan ") {
            let option = remedy.words.prefix { $0 != " " }
            #expect(option.hasPrefix("--"), "\(remedy)")
            #expect(helps.contains { $0.contains("\(option) ") || $0.contains("\(option)\n") }, "\(option)")
        }
        for planGuard in PlanGuard.allCases where planGuard.isAllowable {
            let words = ["plan"] + Self.split(UserAction.allow(guard: planGuard.rawValue).words)
            #expect(throws: Never.self, "\(words)") { _ = try Meshplan.parseAsRoot(words) }
        }
    }

    @Test("Commands and options that hints of the command line name exist")
    func hints() throws {
        let fixture = try CommandFixture()
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources/MeshplanCLI")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        var found = 0
        var helps: [String: String] = [:]
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                guard line.contains("\""), !line.drop(while: { $0 == " " }).hasPrefix("//") else { continue }
                for match in line.matches(of: #/\bmeshplan ((?:(?:--)?[a-z][a-z-]*(?: |\b)|[A-Z\\][^ "]* )+)/#) {
                    let words = match.1.split(separator: " ").map(String.init)
                    let (command, rest) = Self.command(words)
                    guard rest.count < words.count else { continue }
                    found += 1
                    let path = Array(words.dropLast(rest.count))
                    let name = path.joined(separator: " ")
                    if helps[name] == nil { helps[name] = fixture.run(path + ["--help-all"]).output }
                    // A group with a default command takes the options of that one.
                    var help = helps[name] ?? ""
                    if let usual = command.configuration.defaultSubcommand?.configuration.commandName {
                        help += fixture.run(path + [usual, "--help-all"]).output
                    }
                    for option in rest.prefix(while: { $0.hasPrefix("--") || $0.first?.isUppercase == true })
                    where option.hasPrefix("--") {
                        #expect(help.contains(option), "\(file.lastPathComponent): \(match.0)")
                    }
                }
            }
        }
        #expect(found > 80, "the hints were found")
    }
}
