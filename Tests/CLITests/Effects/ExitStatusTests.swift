import DefinitionModel
import Execution
import MeshCore
import Planning
import Testing

@testable import MeshplanCLI

@Suite("What the process ends with after a run")
struct ExitStatusTests {
    private func status(_ ending: Recap.Ending, applied: Int) -> MeshplanCLI.ExitStatus {
        var recap = Recap()
        recap.ending = ending
        recap.applied = applied
        return MeshplanCLI.ExitStatus(recap)
    }

    @Test(
        "Trouble with the store, the link or sending is a failure before anything was applied, and partial after that",
        arguments: [
            Recap.Ending.storeFailed("the disk is full"), .linkFailed("no proxy is in reach", hint: nil),
            .sendingFailed("no sequence numbers are left"),
        ]
    )
    func trouble(ending: Recap.Ending) {
        #expect(status(ending, applied: 0) == .failure)
        #expect(status(ending, applied: 1) == .partial)
    }

    @Test("A run that is not begun ends with the reason, and an interruption as one")
    func others() throws {
        let address = try #require(UnicastAddress(rawValue: 1))
        let endings: [(Recap.Ending, MeshplanCLI.ExitStatus)] = [
            (.completed, .success), (.interrupted, .interrupted), (.refused(.foreign), .stale),
            (.refused(.stale(planned: 1, present: 2)), .stale), (.refused(.alreadyApplied), .stale),
            (.refused(.guarded([])), .refused), (.refused(.damaged(step: 1)), .invalidInput),
            (.refused(.noOwnNode), .failure),
            (.refused(.sequenceNumbers(address, needed: 2, left: 1)), .refused),
        ]
        for (ending, expected) in endings {
            #expect(status(ending, applied: 0) == expected, "\(ending)")
        }
        var recap = Recap()
        recap.notStarted = 1
        #expect(MeshplanCLI.ExitStatus(recap) == .partial)
    }

    @Test("A database without a node of our own is told with what helps")
    func noOwnNode() throws {
        let failure = try #require(Failure(ending: .refused(.noOwnNode)))
        #expect(failure.status == .failure && failure.hint == "Import the network again.")
        #expect(failure.message == "the database has no node of our own to send from")
    }
}
