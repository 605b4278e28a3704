import DefinitionModel
import Execution
import MeshCore
import Planning
import SystemLayer
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

    @Test("An error about a file below .meshplan names it as the user knows it")
    func shortPaths() {
        let failure = Failure(
            explaining: FileError(
                .write,
                "/home/u/house/.meshplan/hq.meshdb.spill",
                .other("the disk is gone", hint: nil)
            )
        )
        #expect(failure.message.contains(" .meshplan/hq.meshdb.spill: the disk is gone"), "\(failure.message)")
        #expect(!failure.message.contains("/home"))
        let elsewhere = Failure(explaining: FileError(.write, "/srv/x.json", .other("the disk is gone", hint: nil)))
        #expect(elsewhere.message.contains("/srv/x.json"))
    }

    @Test("What an export leaves out is told in the right number")
    func missingDevices() {
        #expect(
            ExportCommand.missing(1) == "1 device that may have become a node is not in it; its addresses are excluded."
        )
        #expect(
            ExportCommand.missing(2)
                == "2 devices that may have become nodes are not in it; their addresses are excluded."
        )
    }

    @Test("A database without a node of our own is told with what helps")
    func noOwnNode() throws {
        let failure = try #require(Failure(ending: .refused(.noOwnNode)))
        #expect(failure.status == .failure && failure.hint == "Import the network again.")
        #expect(failure.message == "the database has no node of our own to send from")
    }
}
