import ArgumentParser
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("Help pages")
struct HelpPageTests {
    /// The most lines of a page.
    private static let longest = 60

    /// The words of every command that is no group.
    private static func commands(of command: any ParsableCommand.Type = Meshplan.self) -> [[String]] {
        command.configuration.subcommands.flatMap { inner in
            let name = inner.configuration.commandName ?? ""
            return [[name]] + commands(of: inner).map { [name] + $0 }
        }
    }

    /// Every option of a page, by its long name.
    private static func options(_ page: String) -> Set<String> {
        Set(
            page.split(separator: "\n").filter { $0.hasPrefix("  -") }.flatMap { line in
                line.split { " ,".contains($0) }.filter { $0.hasPrefix("--") }.map(String.init)
            }
        )
    }

    @Test("Every command and group has a page of at most 60 lines and 80 columns; --help-all has every option")
    func pages() throws {
        let fixture = try CommandFixture()
        fixture.isTerminal = true
        let commands = Self.commands()
        #expect(commands.contains(["plan"]) && commands.contains(["state", "list"]))
        for words in commands {
            let result = fixture.run(words + ["--help"])
            let page = result.output
            #expect(result.status == 0 && page.contains("USAGE: meshplan \(words.joined(separator: " "))"), "\(words)")
            let whole = fixture.run(words + ["--help-all"]).output
            let lines = page.split(separator: "\n", omittingEmptySubsequences: false).count - 1
            #expect(lines <= Self.longest, "\(words): \(lines) lines\n\(page)")
            for line in (page + whole).split(separator: "\n") {
                #expect(line.count <= 80 || line.contains("--via <bearer> ..."), "\(words): \(line)")
            }
            let isShortened = page.contains("All options: meshplan \(words.joined(separator: " ")) --help-all")
            #expect(isShortened == (Self.options(page) != Self.options(whole)), "\(words)")
            let known = Self.options(
                Meshplan.helpMessage(for: CommandAdvice.command(of: words).command, includeHidden: true, columns: 80)
            )
            #expect(Self.options(whole) == known, "\(words)")
        }
    }

    @Test("The first page has at most 60 lines, says what most people need, and names every command")
    func overview() throws {
        let fixture = try CommandFixture()
        fixture.isTerminal = true
        for words in [["--help"], ["help"], []] {
            let page = fixture.run(words).output
            let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count - 1 <= Self.longest, "\(page)")
            #expect(lines.allSatisfy { $0.count <= 80 } && page.hasSuffix("meshplan --help-all\n"), "\(page)")
            let words = Set(page.split { " ,\n".contains($0) }.map(String.init))
            for command in Self.commands() where command.count == 1 {
                #expect(words.contains(command[0]), "\(command)")
            }
            let text = page.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(text.contains("Measure who is how many hops away, and which relays carry whom. also:"), "\(page)")
            #expect(page.contains("Show the changes that make the network match") && page.contains("PLAN SUBCOMMANDS:"))
        }
        let whole = fixture.run("--help-all").output
        #expect(whole.contains("Exit codes: 0 done") && whole.contains("  --version ") && whole.contains("  rollback "))
    }

    @Test("help shows the page of a command or group", arguments: [["plan"], ["state"], ["state", "list"]])
    func help(words: [String]) throws {
        let fixture = try CommandFixture()
        #expect(try fixture.run(["help"] + words).output == CommandFixture().run(words + ["--help"]).output)
    }

    @Test("What everybody needs is on the short pages")
    func common() throws {
        let fixture = try CommandFixture()
        let needed = [
            "apply": ["--via", "--node", "--auto-approve", "--json", "--devices", "--secrets", "--allow"],
            "plan": ["--out", "--node", "--detailed-exitcode", "--refresh", "--json", "--var"],
            "refresh": ["--via", "--node"], "get": ["--via", "--json"], "scan": ["--via", "--json"],
        ]
        for (command, options) in needed {
            let page = fixture.run(command, "--help").output
            #expect(Self.options(page).isSuperset(of: options), "\(command): \(page)")
        }
    }

    @Test(
        "Whoever comes from another tool is told what to type instead",
        arguments: [
            (["destroy"], "meshplan plan --destroy"), (["workspace", "list"], "--network NAME"),
            (["output"], "meshplan show --json"), (["undo"], "meshplan rollback"),
            (["on"], "meshplan set NODE onoff on"),
            (["plan", "-target", "x"], "--node, --group"), (["plan", "--target=x"], "--node, --group"),
            (["apply", "-auto-approve"], "two hyphens: --auto-approve"), (["plan", "-out", "x"], "two hyphens: --out"),
            (["plan", "-var", "a=1"], "two hyphens: --var"), (["plan", "-detailed-exitcode"], "two hyphens"),
            (["apply", "-parallelism=3"], "--connections"), (["apply", "-refresh-only"], "meshplan refresh --via"),
            (["apply", "-replace=node.a"], "meshplan replace NODE UUID"),
            (["apply", "--dry-run"], "meshplan plan shows"),
            (["plan", "-lock=false"], "always locked"), (["apply", "--yes"], "--auto-approve"),
            (["plan", "--auto-approve"], "nothing to approve"), (["-chdir=x", "plan"], "cd DIR"),
            (["apply", "-input=false"], "Nothing is asked"), (["plan", "-no-color"], "NO_COLOR"),
            (["aply"], "Did you mean meshplan apply?"), (["history"], "meshplan state history"),
        ]
    )
    func foreign(arguments: [String], hint: String) throws {
        let result = try CommandFixture().run(arguments)
        #expect(result.status == 64 && result.output.isEmpty)
        #expect(result.error.contains(hint), "\(result.error)")
    }
}
