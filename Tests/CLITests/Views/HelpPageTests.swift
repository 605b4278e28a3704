import ArgumentParser
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("Help pages")
struct HelpPageTests {
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

    @Test("No page is longer than 50 lines or wider than the terminal; --help-all has every option")
    func pages() throws {
        let fixture = try CommandFixture()
        fixture.isTerminal = true
        for words in Self.commands() {
            let page = fixture.run(words + ["--help"]).output
            let whole = fixture.run(words + ["--help-all"]).output
            let lines = page.split(separator: "\n", omittingEmptySubsequences: false).count - 1
            #expect(lines <= HelpPage.longest, "\(words): \(lines) lines\n\(page)")
            for line in (page + whole).split(separator: "\n") {
                #expect(line.count <= 80 || line.contains("--via <bearer> ..."), "\(words): \(line)")
            }
            let isShortened = page.contains("All options: meshplan \(words.joined(separator: " ")) --help-all")
            #expect(isShortened == (Self.options(page) != Self.options(whole)), "\(words)")
            let known = Self.options(
                Meshplan.helpMessage(for: CommandAdvice.command(of: words).command, columns: 80)
            )
            #expect(Self.options(whole) == known, "\(words)")
            #expect(fixture.run(["help"] + words).output == page)
        }
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
            (["apply", "-parallelism=3"], "--connections"),
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
