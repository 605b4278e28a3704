import Testing

@testable import SystemLayer

@Suite("Programs side by side")
struct ProgramPoolTests {
    private func run(
        _ scripts: [String],
        workers: Int,
        interrupts: Interrupts = Interrupts(arm: {}, count: { 0 })
    ) -> [Int: [ProgramPool.Event]] {
        var next = 0
        var events: [Int: [ProgramPool.Event]] = [:]
        ProgramPool(workers: workers, interrupts: interrupts).run(
            {
                guard next < scripts.count else { return nil }
                defer { next += 1 }
                let (arguments, environment) = (["/bin/sh", "-c", scripts[next]], ["WORD": "w\(next)"])
                return (next, "r\(next)", .init(arguments: arguments, folder: "/tmp", environment: environment))
            },
            {
                events[$0, default: []].append($1)
                return .goesOn
            }
        )
        return events
    }

    @Test("Lines, ends and signals of each are told, whatever the number at a time", arguments: [1, 3, 10])
    func events(_ workers: Int) {
        let events = run(
            [
                "echo $WORD; pwd; printf rest", "echo no >&2; exit 7", "kill -KILL $$", "exec /none",
                "read -r line; echo $line",
            ],
            workers: workers
        )
        #expect(events[0] == [.output("w0"), .output("/tmp"), .output("rest"), .ended(0)])
        #expect(events[1] == [.errors("no"), .ended(7)])
        #expect(events[2] == [.killed(9)])
        #expect(events[3]?.last == .ended(127))
        #expect(events[4] == [.output("r4"), .ended(0)])
    }

    @Test("A signal reaches those that run, once")
    func signals() {
        var signals = 0
        let interrupts = Interrupts(arm: {}, count: { signals }, first: { 15 })
        var next = 0
        var events: [ProgramPool.Event] = []
        ProgramPool(workers: 1, interrupts: interrupts).run(
            {
                next += 1
                let script = "trap 'echo term; exit 3' TERM; echo ready; while :; do sleep 0.05; done"
                return next > 1
                    ? nil
                    : (
                        1, "",
                        .init(
                            arguments: ["/bin/sh", "-c", script],
                            folder: "/",
                            environment: ["PATH": "/bin:/usr/bin"]
                        )
                    )
            },
            { _, event in
                events.append(event)
                if event == .output("ready") { signals = 1 }
                return .goesOn
            }
        )
        // The shell may also say that it ended what it waited for.
        let own = events.filter { if case .errors = $0 { false } else { true } }
        #expect(own == [.output("ready"), .output("term"), .ended(3)])
    }

    @Test("A folder that does not exist is an end with a reason")
    func noFolder() {
        var given = false
        var events: [ProgramPool.Event] = []
        ProgramPool(workers: 2, interrupts: Interrupts(arm: {}, count: { 0 })).run(
            {
                defer { given = true }
                return given ? nil : (1, "", .init(arguments: ["/bin/echo"], folder: "/none", environment: [:]))
            },
            {
                events.append($1)
                return .goesOn
            }
        )
        guard case .ended(let status)? = events.last else {
            Issue.record("\(events)")
            return
        }
        #expect(status == 126)
        #expect(events.count == 2)
    }

    /// Answers each line, unless it is one of a few that make it die or leave.
    private static let server = ProgramPool.Program(
        arguments: [
            "/bin/sh", "-c",
            """
            while read -r line; do
                case "$line" in
                die) kill -KILL $$ ;;
                leave) echo "leaves"; exit ;;
                vanish) exit ;;
                *) echo "$$ $line"; echo "what?"; echo "broken" >&2; echo "answered" ;;
                esac
            done
            """,
        ],
        folder: "/",
        environment: [:]
    )

    private func serve(_ requests: [String], workers: Int) -> [[ProgramPool.Event]] {
        var next = 0
        var events = [[ProgramPool.Event]](repeating: [], count: requests.count)
        ProgramPool(workers: workers, interrupts: Interrupts(arm: {}, count: { 0 })).run(
            {
                guard next < requests.count else { return nil }
                defer { next += 1 }
                return (next, requests[next], Self.server)
            },
            {
                events[$0].append($1)
                return Self.progress($1)
            }
        )
        return events
    }

    private static func progress(_ event: ProgramPool.Event) -> ProgramPool.Progress {
        switch event {
        case .output("answered"): .answered
        case .output("leaves"): .leaves
        default: .goesOn
        }
    }

    /// The process that has answered, and what was asked.
    private func answer(_ events: [ProgramPool.Event]) -> (process: Substring, line: Substring)? {
        for case .output(let text) in events {
            let words = text.split(separator: " ")
            if words.count == 2 { return (words[0], words[1]) }
        }
        return nil
    }

    @Test("A server answers one request after another, with both streams, until it says that it has answered")
    func server() throws {
        let events = serve(["one", "two", "three"], workers: 1)
        let answers = try events.map { try #require(answer($0)) }
        #expect(answers.map(\.line) == ["one", "two", "three"])
        #expect(Set(answers.map(\.process)).count == 1, "one process")
        for events in events {
            let own = events.filter { $0 != .errors("broken") }
            #expect(own.count == 3 && own[1] == .output("what?") && own.last == .output("answered"), "\(events)")
        }
        let parallel = try serve(Array(repeating: "x", count: 40), workers: 4).map { try #require(answer($0)) }
        #expect((2...4).contains(Set(parallel.map(\.process)).count))
    }

    @Test("A server that dies or leaves takes no other request along", arguments: [1, 3])
    func serverDies(_ workers: Int) throws {
        let requests = ["a", "die", "b", "leave", "c", "vanish", "d"]
        let events = serve(requests, workers: workers)
        for (request, events) in zip(requests, events) {
            switch request {
            case "die": #expect(events == [.killed(9)])
            case "leave": #expect(events == [.output("leaves")])
            case "vanish": #expect(events == [.ended(0)])
            default:
                #expect(answer(events)?.line == request[...], "\(request): \(events)")
                #expect(events.contains(.output("answered")), "\(request): \(events)")
            }
        }
        if workers == 1 { #expect(Set(events.compactMap { answer($0)?.process }).count == 4, "\(events)") }
    }

    @Test("A server that cannot be started says so for each request, and others answer theirs")
    func mixed() {
        let none = ProgramPool.Program(arguments: ["/none"], folder: "/", environment: [:])
        var requests = [("x", none), ("x", Self.server), ("y", none)]
        var events: [Int: [ProgramPool.Event]] = [:]
        ProgramPool(workers: 2, interrupts: Interrupts(arm: {}, count: { 0 })).run(
            { requests.popLast().map { (requests.count, $0.0, $0.1) } },
            {
                events[$0, default: []].append($1)
                return Self.progress($1)
            }
        )
        #expect(events[0]?.last == .ended(127) && events[2]?.last == .ended(127), "\(events)")
        #expect(events[1]?.contains(.output("answered")) == true)
    }
}
