import MeshCore
import TestSupport
import Testing

@testable import Execution

@Suite("The likely cause of silence")
struct NodeDiagnosisTests {
    private let node = DeviceUUID("0d5c5a0e6f5b4f0ea1a50b1f1c1f0001")
    private let relay = DeviceUUID("0d5c5a0e6f5b4f0ea1a50b1f1c1f0002")

    private func diagnosis(_ change: (inout NodeDiagnosis) -> Void) throws -> NodeDiagnosis {
        var diagnosis = NodeDiagnosis(of: try required(node))
        diagnosis.usual = .silent
        diagnosis.farthest = .silent
        let other = NodeDiagnosis.Other(node: try required(relay), reply: .answered, isRelay: true, isRelaying: true)
        diagnosis.others = [other]
        change(&diagnosis)
        return diagnosis
    }

    @Test("what weighs most decides")
    func causes() throws {
        let relay = try required(relay)
        #expect(try diagnosis { _ in }.cause == .off)
        #expect(try diagnosis { $0.usual = .answered }.cause == .none)
        #expect(try diagnosis { $0.isUnprovisioned = true }.cause == .reset)
        #expect(try diagnosis { $0.usual = .unreachable("no proxy") }.cause == .noProxy)
        #expect(try diagnosis { $0.farthest = .answered }.cause == .tooFar)
        #expect(try diagnosis { $0.application = .answered }.cause == .deviceKey)
        #expect(try diagnosis { $0.isIdentityHeard = true }.cause == .deaf)
        #expect(try diagnosis { $0.others[0].isRelaying = false }.cause == .relays([relay]))
        #expect(try diagnosis { $0.others[0].reply = .silent }.cause == .nobodyAnswers)
        let skipped = try diagnosis {
            $0.others[0].reply = .silent
            $0.afterSkipping = .answered
        }
        #expect(skipped.cause == .sequenceNumbers)
        #expect(try diagnosis { $0.others = [] }.cause == .off, "nobody else can be asked")
    }
}
