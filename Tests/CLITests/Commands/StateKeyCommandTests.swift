import DefinitionModel
import Foundation
import MeshCore
import Store
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan state key")
struct StateKeyCommandTests {
    static let secret = "0123456789abcdefghijklmnopqrstuvwxyz"
    static let words = "correct horse battery staple"

    /// The identifiers of all slots, by kind.
    func slots(_ fixture: CommandFixture) throws -> [String: String] {
        let lines = fixture.run("state", "key", "list", "--json").output.split(separator: "\n").dropFirst()
        var found: [String: String] = [:]
        for line in lines {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            found[try #require(object["kind"] as? String)] = try #require(object["id"] as? String)
        }
        return found
    }

    /// A house with a slot of each kind.
    func house() throws -> CommandFixture {
        let fixture = try CommandFixture.house()
        try fixture.writePrivate(Self.words + "\n", to: "words")
        try #require(
            fixture.run("state", "key", "add", "--new-passphrase-file", "words", "--label", "Anna").status == 0
        )
        try #require(
            fixture.run("state", "key", "add", "--new-key-command", "echo \(Self.secret)", "--label", "vault").status
                == 0
        )
        return fixture
    }

    @Test("adds slots of all kinds, lists them, and each of them opens the database")
    func slotsOfAllKinds() throws {
        let fixture = try house()
        expectSnapshot(fixture.run("state", "key", "list").transcript, "state-key-list.txt")
        expectSnapshot(fixture.run("state", "key", "list", "--json").transcript, "state-key-list.json")
        let added = fixture.run("state", "key", "add", "--new-key-file", "spare.key")
        #expect(
            added.status == 0 && added.output.contains("Made spare.key") && added.output.contains("a key file opens")
        )
        #expect(try fixture.mode("spare.key") == 0o600)
        let history = fixture.run("state", "history").output
        #expect(history.components(separatedBy: "state key add ").count == 4, "\(history)")
        #expect(!history.contains(Self.words) && !history.contains(Self.secret))
        let repeated = fixture.run("state", "key", "add", "--new-key-file", "spare.key")
        #expect(repeated.status == 0 && repeated.output.contains(" is there: a key file opens "), "\(repeated)")
        let twice = fixture.run("state", "key", "add", "--new-key-file", "spare.key", "--label", "spare")
        #expect(twice.status == 5 && twice.error.contains("opens the database already"))
        #expect(fixture.run("state", "history").output.components(separatedBy: "state key add ").count == 4)
        try fixture.put(nil, to: ".meshplan/key")
        for arguments in [
            ["--key-file", "spare.key"], ["--passphrase-file", "words"], ["--key-command", "echo \(Self.secret)"],
            ["--key-command", "cat '\(fixture.folder.path)/spare.key'"],
        ] {
            #expect(fixture.run(["show"] + arguments).status == 0, "\(arguments)")
        }
        for (name, value) in [
            ("MESHPLAN_KEY_FILE", "spare.key"), ("MESHPLAN_PASSPHRASE_FILE", "words"),
            ("MESHPLAN_KEY_COMMAND", "echo \(Self.secret)"),
        ] {
            fixture.environment[name] = value
            #expect(fixture.run("show").status == 0, "\(name)")
            fixture.environment[name] = nil
        }
        let nothing = fixture.run("show")
        #expect(
            nothing.status == 1 && nothing.error.contains("meshplan cannot ask for the passphrase"),
            "\(nothing.error)"
        )
        #expect(nothing.error.contains("Anna") && nothing.error.contains("--passphrase-file"))
        #expect(!nothing.error.contains(Self.words))
    }

    @Test("a secret that is named counts alone, so that one that opens nothing is noticed")
    func chosenAlone() throws {
        let fixture = try house()
        try fixture.writePrivate("another passphrase altogether", to: "wrong")
        let wrong = fixture.run("show", "--passphrase-file", "wrong")
        #expect(
            wrong.status == 1 && wrong.error.contains("the passphrase in wrong does not open .meshplan/house.meshdb")
        )
        #expect(wrong.error.contains("a key file (slot ") && wrong.error.contains("a passphrase (slot "))
        fixture.environment["MESHPLAN_PASSPHRASE_FILE"] = "wrong"
        #expect(fixture.run("show").status == 1)
        #expect(fixture.run("show", "--key-file", ".meshplan/key").status == 0, "options count before the environment")
        try fixture.write(Self.words, to: "public")
        let open = fixture.run("show", "--passphrase-file", "public")
        #expect(open.status == 1 && open.error.contains("chmod 600 public"))
    }

    @Test(
        "asks for the passphrase on a terminal where nothing else opens the database, three times, without showing it"
    )
    func prompt() throws {
        let fixture = try house()
        fixture.isTerminal = true
        #expect(fixture.run("show").status == 0, "with the key file nobody is asked")
        try fixture.put(nil, to: ".meshplan/key")
        fixture.secrets = ["wrong words wrong words", Self.words]
        let opened = fixture.run("show")
        #expect(opened.status == 0 && fixture.secrets.isEmpty)
        #expect(
            opened.error.contains("Passphrase of .meshplan/house.meshdb: ") && opened.error.contains("does not open it")
        )
        #expect(!(opened.error + opened.output).contains("words"))
        fixture.secrets = ["1", "2", "3"]
        #expect(fixture.run("show").status == 1 && fixture.secrets.isEmpty)
        fixture.secrets = [nil]
        #expect(fixture.run("show").status == 130)
        fixture.secrets = [Self.words, "eleven char", Self.words, "twelve chars", "twelve cha", Self.words]
        let short = fixture.run("state", "key", "add", "--new-passphrase")
        #expect(short.status == 1 && short.error.contains("11 characters; at least 12 are needed"))
        let differ = fixture.run("state", "key", "add", "--new-passphrase")
        #expect(differ.status == 1 && differ.error.contains("the two passphrases differ"))
        fixture.secrets = [Self.words, "twelve chars", "twelve chars"]
        #expect(fixture.run("state", "key", "add", "--new-passphrase").status == 0)
        fixture.secrets = ["twelve chars"]
        #expect(fixture.run("show").status == 0)
    }

    @Test("a key command that fails, hangs, or prints what is no secret is explained, and its output never shown")
    func keyCommands() throws {
        let fixture = try house()
        func run(_ command: String) -> CommandFixture.Result { fixture.run("show", "--key-command", command) }
        let failed = run("echo \(Self.secret); echo 'no token found' >&2; exit 3")
        #expect(failed.status == 1 && failed.error.contains("no token found\n"))
        #expect(failed.error.contains("the key command ended with exit code 3"))
        let killed = run("kill -9 $$")
        #expect(killed.status == 1 && killed.error.contains("was ended by signal 9"))
        let empty = run("true")
        #expect(empty.status == 1 && empty.error.contains("the key command printed nothing"))
        let short = run("echo hunter2")
        #expect(short.status == 1 && short.error.contains("printed 7 octets; it must print at least 32"))
        let endless = run("yes \(Self.secret)")
        #expect(endless.status == 1 && endless.error.contains("prints more than 4096 octets"), "\(endless.error)")
        let input = run("cat; echo \(Self.secret)")
        #expect(input.status == 0, "standard input is empty: \(input.error)")
        let other = run("echo \(Self.secret)\(Self.secret)")
        #expect(other.status == 1 && other.error.contains("the secret of the key command does not open"))
        #expect(run(" ").status == 64)
        fixture.keyCommandTimeout = .milliseconds(50)
        let slow = run("exec sleep 20")
        #expect(slow.status == 1 && slow.error.contains("has not ended after"), "\(slow.error)")
        for result in [failed, killed, short, endless, other, slow] {
            #expect(!(result.error + result.output).contains(Self.secret) && !result.error.contains("hunter2"))
        }
    }

    @Test("a key command runs once in a command, and not at all where no slot could be opened by it")
    func runsOnce() throws {
        let fixture = try house()
        let log = fixture.folder.path + "/runs"
        let command = "echo x >> '\(log)'; echo \(Self.secret)"
        #expect(fixture.run("state", "key", "rotate", "--auto-approve", "--key-command", command).status == 0)
        #expect(fixture.read("runs")?.count == 2)
        #expect(fixture.run("validate").status == 0)
        #expect(fixture.read("runs")?.count == 2)
    }

    @Test("removes slots after asking, but never the last one, nor that which opened the database unless told so")
    func remove() throws {
        let fixture = try house()
        let slots = try slots(fixture)
        let own = try #require(slots["key_file"])
        let anna = try #require(slots["passphrase"])
        let vault = try #require(slots["key_command"])
        #expect(fixture.run("state", "key", "remove", "00000000").status == 64)
        #expect(fixture.run("state", "key", "remove", anna).status == 8, "nobody can be asked")
        let refused = fixture.run("state", "key", "remove", own, "--auto-approve")
        #expect(refused.status == 5 && refused.error.contains("--including-own"))
        fixture.isTerminal = true
        fixture.answers = ["no", "yes"]
        #expect(fixture.run("state", "key", "remove", anna).status == 8)
        #expect(try self.slots(fixture).count == 3)
        let removed = fixture.run("state", "key", "remove", anna.uppercased())
        #expect(
            removed.status == 0 && removed.output.contains("Removed slot \(anna).") && removed.output.contains("rotate")
        )
        let repeated = fixture.run("state", "key", "remove", anna)
        #expect(repeated.status == 0 && repeated.output == "Slot \(anna) was removed already.\n", "\(repeated)")
        let told = fixture.run("state", "key", "remove", anna, "--json")
        #expect(told.output.contains(#""already":true"#) && told.output.contains("\"id\":\"\(anna)\""), "\(told)")
        #expect(fixture.run("show", "--passphrase-file", "words").status == 1)
        #expect(fixture.run("state", "key", "remove", vault, "--auto-approve").status == 0)
        let last = fixture.run("state", "key", "remove", own, "--auto-approve", "--including-own")
        #expect(last.status == 5 && last.error.contains("is the last one"))
        #expect(fixture.run("show").status == 0)
    }

    @Test(
        "rotates the data key: slots stay whose secrets are at hand, plans from before are explained, nothing else changes"
    )
    func rotate() throws {
        let fixture = try house()
        try #require(fixture.run("plan", "--out", "old.mplan").status == 0)
        let before = fixture.run("show", "--json").output
        let lock = fixture.read("meshplan.lock.yaml")
        #expect(fixture.run("state", "key", "rotate").status == 8, "nobody can be asked")
        fixture.isTerminal = true
        let vault = try #require(try slots(fixture)["key_command"])
        fixture.secrets = [Self.words]
        fixture.answers = ["yes"]
        let rotated = fixture.run("state", "key", "rotate")
        #expect(rotated.status == 0, "\(rotated.error)")
        #expect(
            rotated.error.replacing(#/\n +/#, with: " ")
                .contains("a key command (slot \(vault), vault) will no longer open it"),
            "\(rotated.error)"
        )
        #expect(rotated.output.contains("No longer: a key command (slot \(vault), vault)"))
        #expect(try Set(slots(fixture).keys) == ["key_file", "passphrase"])
        #expect(fixture.run("show", "--json").output == before)
        #expect(fixture.run("show", "--passphrase-file", "words").status == 0)
        #expect(fixture.run("show", "--key-command", "echo \(Self.secret)").status == 1)
        #expect(fixture.read("meshplan.lock.yaml") == lock, "the state is the same")
        fixture.isTerminal = false
        let plan = fixture.run("apply", "old.mplan", "--via", "simulator", "--auto-approve")
        #expect(
            plan.status == 65 && plan.error.contains("before the data key of this one was changed"),
            "\(plan.error)"
        )
        #expect(plan.error.contains("meshplan plan --out FILE"))
        fixture.isTerminal = true
        fixture.secrets = ["not the words of Anna"]
        let wrong = fixture.run("state", "key", "rotate")
        #expect(wrong.status == 1 && wrong.error.contains("does not open slot"))
        // A passphrase that is named together with a working key file stays, without a question.
        let named = fixture.run(
            "state",
            "key",
            "rotate",
            "--auto-approve",
            "--key-file",
            ".meshplan/key",
            "--passphrase-file",
            "words"
        )
        #expect(named.status == 0 && !named.output.contains("No longer"), "\(named.output)")
    }

    @Test("a passphrase of an earlier, cheaper cost gets the present one when it opens the database for a change")
    func strengthen() throws {
        let fixture = try house()
        fixture.scryptCost = Scrypt.Cost(logN: 5, r: 1, p: 1)
        #expect(fixture.run("state", "key", "list").output.contains("(weak)"))
        #expect(fixture.run("show", "--passphrase-file", "words").status == 0)
        #expect(fixture.run("state", "key", "list").output.contains("(weak)"), "looking changes nothing")
        let applied = fixture.run("apply", "--via", "simulator", "--auto-approve", "--passphrase-file", "words")
        #expect(applied.status == 0, "\(applied.error)")
        #expect(!fixture.run("state", "key", "list").output.contains("(weak)"))
        #expect(fixture.run("show", "--passphrase-file", "words").status == 0)
    }

    @Test("a first database can be made with a passphrase instead of a key file, if it is long enough")
    func initWithPassphrase() throws {
        let fixture = try CommandFixture()
        try fixture.writePrivate("short", to: "words")
        let short = fixture.run("init", "--network", "house", "--passphrase-file", "words")
        #expect(short.status == 1 && short.error.contains("5 characters; at least 12 are needed"), "\(short.error)")
        try fixture.writePrivate(Self.words, to: "words")
        #expect(fixture.run("init", "--network", "house", "--passphrase-file", "words").status == 0)
        #expect(fixture.read(".meshplan/key") == nil)
        #expect(fixture.run("show", "--passphrase-file", "words").status == 0)
        #expect(try slots(fixture).keys.sorted() == ["passphrase"])
    }

    @Test(
        "says one new secret, and labels that people can read",
        arguments: [
            [], ["--new-passphrase", "--new-key-file", "x"], ["--new-key-file", "x", "--label", "\u{1B}[2J"],
            ["--new-key-file", "x", "--label", String(repeating: "x", count: 101)],
        ]
    )
    func usage(arguments: [String]) throws {
        let fixture = try CommandFixture.house()
        #expect(fixture.run(["state", "key", "add"] + arguments).status == 64)
        #expect(fixture.read("x") == nil)
    }
}
