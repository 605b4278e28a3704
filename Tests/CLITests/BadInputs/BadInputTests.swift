import Foundation
import Testing

@Suite("Bad inputs")
struct BadInputTests {
    @Test(
        "end with the right code, and tell what is wrong, where, and how to mend it",
        .timeLimit(.minutes(45)),
        arguments: BadInput.files
    )
    func saysWhatIsWrong(_ file: String) throws {
        var prepared: [String: CommandFixture] = [:]
        for input in BadInput.all where input.file == file {
            if prepared[input.folder] == nil { prepared[input.folder] = try BadInputFolder.prepared(input.folder) }
            do {
                let result = try Self.result(of: input, in: BadInputFolder(copying: prepared[input.folder]))
                let complaints = input.complaints(about: result)
                #expect(complaints.isEmpty, "\(input.title): \(complaints.joined(separator: "\n"))")
            } catch {
                Issue.record("\(input.title): \(error)")
            }
        }
    }

    @Test("are many, each with all that is expected of it")
    func complete() {
        #expect(BadInput.all.count >= 300)
        let lacking = BadInput.all.filter { input in
            input.command.isEmpty || input.status == nil || input.firstLine?.isEmpty != false || input.hints.isEmpty
        }
        #expect(lacking.map(\.title) == [])
        let titles = BadInput.all.map { "\($0.file): \($0.title)" }
        #expect(Set(titles).count == titles.count)
    }

    @Test("a wrong code, first line, place or hint is noticed")
    func noticed() throws {
        var input = try #require(
            BadInput.parse(
                "@ definition\n# group\n~ t.yaml | { to: all, => { to: alk,\n$ validate\n= 65\n"
                    + "> t.yaml:14:63: error: there is no group or node `alk`\n? Did you mean `all`?",
                file: "here"
            ).first
        )
        let folder = try BadInputFolder(copying: BadInputFolder.prepared(input.folder))
        let result = try Self.result(of: input, in: folder)
        #expect(input.complaints(about: result).isEmpty, "\(input.complaints(about: result))")
        input.status = 1
        #expect(input.complaints(about: result).count == 1)
        input.status = 65
        input.firstLine = "t.yaml:14:64: error: there is no group or node `alk`"
        #expect(input.complaints(about: result).count == 1)
        input.firstLine = "t.yaml:14:63: error: there is no node `alk`"
        #expect(input.complaints(about: result).count == 1)
        input.firstLine = "t.yaml:14:63: error"
        input.hints.append("did you mean `alle`?")
        #expect(input.complaints(about: result).count == 1)
    }

    private static func result(of input: BadInput, in folder: BadInputFolder) throws -> CommandFixture.Result {
        for step in input.steps { try folder.take(step) }
        return folder.fixture.run(input.command)
    }
}
