import SystemLayer
import Testing

@Suite("Watchdog")
struct WatchdogTests {
    @Test("work that does not come back is complained of while it is away, and its result counts when it does")
    func complains() throws {
        let complaint = try #require(StopPipe())
        nonisolated(unsafe) let pipe = complaint
        // The work waits for the complaint, so it would end with false without one.
        let wasTold = Watchdog.watching(
            { StopPipe.isStopped(pipe.reading, within: .seconds(60)) },
            for: .milliseconds(1),
            else: { pipe.stop() }
        )
        #expect(wasTold)
    }

    @Test("work that comes back in time is not complained of, and nobody waits for the time to pass")
    func silent() throws {
        struct Problem: Error {}
        let complaint = try #require(StopPipe())
        nonisolated(unsafe) let pipe = complaint
        #expect(Watchdog.watching({ 7 }, for: .seconds(3_600), else: { pipe.stop() }) == 7)
        #expect(throws: Problem.self) {
            try Watchdog.watching({ throw Problem() }, for: .seconds(3_600), else: { pipe.stop() })
        }
        #expect(!StopPipe.isStopped(pipe.reading, within: .zero))
    }
}
