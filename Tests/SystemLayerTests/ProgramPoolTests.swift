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
                let arguments = ["/bin/sh", "-c", scripts[next]]
                return (next, .init(arguments: arguments, folder: "/tmp", environment: ["WORD": "w\(next)"]))
            },
            { events[$0, default: []].append($1) }
        )
        return events
    }

    @Test("Lines, ends and signals of each are told, whatever the number at a time", arguments: [1, 3, 10])
    func events(_ workers: Int) {
        let events = run(
            ["echo $WORD; pwd; printf rest", "echo no >&2; exit 7", "kill -KILL $$", "exec /none", "cat; echo x"],
            workers: workers
        )
        #expect(events[0] == [.output("w0"), .output("/tmp"), .output("rest"), .ended(0)])
        #expect(events[1] == [.errors("no"), .ended(7)])
        #expect(events[2] == [.killed(9)])
        #expect(events[3]?.last == .ended(127))
        #expect(events[4] == [.output("x"), .ended(0)], "there is nothing on standard input")
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
                        1,
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
                return given ? nil : (1, .init(arguments: ["/bin/echo"], folder: "/none", environment: [:]))
            },
            { events.append($1) }
        )
        guard case .ended(let status)? = events.last else {
            Issue.record("\(events)")
            return
        }
        #expect(status == 126)
        #expect(events.count == 2)
    }
}
