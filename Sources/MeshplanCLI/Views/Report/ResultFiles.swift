import Basics
import DefinitionModel
import MeshCore
import SystemLayer

/// Reads what other commands have written: results of tests, and what nodes told of faults.
struct ResultFiles {
    let context: Context

    /// The most octets of such a file.
    private static let sizeLimit = 64 << 20

    /// What `test --json` or `test --junit` wrote, or another program in the format of JUnit.
    ///
    /// - Throws: ``FileError`` if the file cannot be read; ``Failure`` if it is something else.
    func tests(_ path: String) throws -> [ReportedTest] {
        let bytes = try context.read(path, limit: Self.sizeLimit)
        let first = bytes.prefix(512).first { $0 > 0x20 && $0 < 0x80 }
        return try first == UInt8(ascii: "<") ? junitTests(bytes, path) : jsonTests(bytes, path)
    }

    private func junitTests(_ bytes: [UInt8], _ path: String) throws -> [ReportedTest] {
        let root: XMLElement
        do throws(XMLError) { root = try XMLReader.read(bytes) } catch {
            throw Failure(
                .invalidInput,
                "\(path), line \(error.line): \(error.message)",
                hint: error.hint?.asSentence ?? "The file should hold what meshplan test --junit writes."
            )
        }
        var tests: [ReportedTest] = []
        var open = [root]
        while let element = open.popLast() {
            guard element.localName == "testcase" else {
                open += element.children.reversed()
                continue
            }
            tests.append(ReportedTest(testCase: element))
        }
        guard root.localName == "testsuites" || root.localName == "testsuite" else {
            throw Failure(
                .invalidInput,
                "\(path) holds no results of tests, but `\(root.name.printable)`",
                hint: "Write it with meshplan test --junit FILE."
            )
        }
        return tests
    }

    private func jsonTests(_ bytes: [UInt8], _ path: String) throws -> [ReportedTest] {
        var tests: [ReportedTest] = []
        var places: [String: Int] = [:]
        for line in try lines(bytes, path, of: "test") {
            switch line.type {
            case "test":
                let name = try line.string("name")
                let details: [String]
                let verdict: ReportedTest.Verdict
                if let reason = line.optionalString("skipped") {
                    (verdict, details) = (.skipped, [reason])
                } else {
                    verdict = try line.bool("passed") ? .passed : .failed
                    let (held, runs) = (line.optionalInteger("held") ?? 0, line.optionalInteger("runs") ?? 1)
                    let slowest = line.optionalInteger("slowest_ms") ?? 0
                    details =
                        (verdict == .failed && runs > 1 ? ["held in \(held) of \(runs) runs"] : [])
                        + (verdict == .passed && runs > 1 ? ["\(runs) runs"] : [])
                        + (verdict == .passed && slowest > 0
                            ? ["within \(DurationText.text(milliseconds: slowest))"] : [])
                }
                places[name] = tests.count
                tests.append(ReportedTest(name: name, verdict: verdict, details: details))
            case "test_failure":
                guard let index = places[try line.string("name")], tests[index].details.count < 6 else { continue }
                if let step = line.optionalInteger("step") { tests[index].details.append("step \(step)") }
                for problem in line.objects("problems").prefix(5) {
                    let node = problem.optionalString("node").map { "\($0): " } ?? ""
                    tests[index].details.append(node + (try problem.string("text")))
                }
            default: break
            }
        }
        return tests
    }

    /// What `health --json` wrote.
    ///
    /// - Throws: ``FileError`` if the file cannot be read; ``Failure`` if it is something else.
    func health(_ path: String) throws -> [ReportedHealth] {
        try lines(context.read(path, limit: Self.sizeLimit), path, of: "health").filter { $0.type == "health" }.map {
            line in
            let faults = line.objects("registered_faults").map { fault in
                let number = fault.optionalInteger("number").map { "fault \($0)" } ?? "a fault"
                let company = fault.optionalString("company").map { " of company \($0)" } ?? ""
                return fault.optionalString("name") ?? number + company
            }
            return ReportedHealth(
                node: try line.string("node"),
                element: line.optionalInteger("element") ?? 0,
                faults: faults,
                reason: line.optionalString("reason"),
                time: line.optionalString("time").flatMap(Timestamp.init(text:))
            )
        }
    }

    /// An object of a file, and where it stands.
    private struct Line {
        let path: String
        let number: Int
        let members: [JSONMember]

        var type: String { optionalString("type") ?? "" }

        func optionalString(_ name: String) -> String? {
            guard case .string(let text)? = value(name) else { return nil }
            return text
        }

        func optionalInteger(_ name: String) -> Int? {
            guard case .number(let text)? = value(name) else { return nil }
            return Int(text)
        }

        func string(_ name: String) throws(Failure) -> String {
            guard let text = optionalString(name) else { throw wrong("there is no text `\(name)`") }
            return text
        }

        func bool(_ name: String) throws(Failure) -> Bool {
            guard case .bool(let value)? = value(name) else { throw wrong("`\(name)` is neither true nor false") }
            return value
        }

        /// The objects of an array; nothing if there is no such array.
        func objects(_ name: String) -> [Line] {
            guard case .array(let values)? = value(name) else { return [] }
            return values.compactMap { value in
                guard case .object(let members) = value else { return nil }
                return Line(path: path, number: number, members: members)
            }
        }

        func wrong(_ problem: String) -> Failure {
            Failure(.invalidInput, "\(path), line \(number): \(problem)", hint: "Write the file again.")
        }

        private func value(_ name: String) -> JSONValue? { members.first { $0.name == name }?.value }
    }

    /// The lines of a file that a command wrote, each an object.
    private func lines(_ bytes: [UInt8], _ path: String, of command: String) throws -> [Line] {
        var lines: [Line] = []
        for (position, text) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        where !text.isEmpty {
            let value: JSONValue
            do throws(JSONError) { value = try JSONParser.parse(Array(text)) } catch {
                // Each line is a document of its own, whose only line has this number in the file.
                let own = "line 1, "
                let message = error.message
                let problem = message.hasPrefix(own) ? ", \(message.dropFirst(own.count))" : ": \(message)"
                throw Failure(
                    .invalidInput,
                    "\(path.printable), line \(position + 1)\(problem)",
                    hint: "The file should hold what `meshplan \(command) --json` writes."
                )
            }
            guard case .object(let members) = value else {
                throw Failure(.invalidInput, "\(path), line \(position + 1) is \(value.kind), not an object")
            }
            lines.append(Line(path: path, number: position + 1, members: members))
        }
        guard let first = lines.first, first.type == "version", first.optionalString("command") == command else {
            throw Failure(
                .invalidInput,
                "\(path) is not what meshplan \(command) --json writes",
                hint: "Write it with: meshplan \(command) --json > \(path.printable.shellWord)"
            )
        }
        return lines
    }
}
