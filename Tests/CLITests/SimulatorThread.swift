import Bearers
import Foundation
import Synchronization
import Testing

@testable import MeshplanCLI

/// A simulator in a separate thread, in the role of a process.
final class SimulatorThread: @unchecked Sendable {
    let fixture: CommandFixture
    private let isStopped = Atomic<Bool>(false)
    private let finished = DispatchSemaphore(value: 0)
    private(set) var result: CommandFixture.Result?

    init(
        beside other: CommandFixture,
        _ arguments: [String],
        typing lines: [String] = [],
        nextLine: @escaping () -> String? = { nil }
    ) {
        fixture = CommandFixture(sharing: other)
        fixture.nextLine = nextLine
        fixture.typed = lines.map { ("", $0) }
        fixture.interruptCount = { [unowned self] in isStopped.load(ordering: .acquiring) ? 1 : 0 }
        Thread { [self] in
            result = fixture.run(["sim"] + arguments)
            finished.signal()
        }.start()
    }

    /// Interrupts the simulator, and waits for its end.
    func stop() -> CommandFixture.Result? {
        isStopped.store(true, ordering: .releasing)
        return finished.wait(timeout: .now() + 20) == .success ? result : nil
    }
}

/// Waits until a simulator listens at a socket of the folder.
func waitForSocket(_ name: String, in fixture: CommandFixture) throws {
    let deadline = ContinuousClock.now.advanced(by: .seconds(20))
    let path = fixture.folder.appendingPathComponent(name).path
    while ContinuousClock.now < deadline {
        let bearer = SocketBearer(address: .unix(path: path))
        if (try? bearer.open()) != nil { return }
        Thread.sleep(forTimeInterval: 0.01)
    }
    Issue.record("nobody listens at \(name)")
}
