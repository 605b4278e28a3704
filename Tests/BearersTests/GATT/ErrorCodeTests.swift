import MeshCore
import Testing

@testable import Bearers

@Suite("Error codes in plain words")
struct ErrorCodeTests {
    @Test("every assigned code of the attribute protocol has words of its own, and every other some")
    func attributeProtocol() {
        let assigned = Array(0x01...0x14) + [0xFC, 0xFD, 0xFE, 0xFF] as [UInt8]
        let texts = assigned.map { ATTErrorCode(rawValue: $0).text }
        #expect(Set(texts).count == assigned.count)
        let rest = Set(texts + ["for a reason that is not assigned"])
        for code in 0x80...0x9F { #expect(ATTErrorCode(rawValue: UInt8(code)).text == "the application refuses it") }
        for code in 0xE0...0xFB { #expect(!rest.contains(ATTErrorCode(rawValue: UInt8(code)).text)) }
        for code in [0x00, 0x15, 0x7F, 0xA0, 0xDF] as [UInt8] {
            #expect(ATTErrorCode(rawValue: code).text == "for a reason that is not assigned")
        }
        #expect(
            ATTErrorCode(rawValue: 0x05).description == "it wants an authenticated connection (ATT error 0x05)"
        )
    }

    @Test("every code of the controller has words of its own")
    func controller() {
        // Core Vol 1 Part F 1.3; 0x2B, 0x31, 0x33 and 0x3F are reserved or were withdrawn.
        let assigned = (0x00...0x48).filter { ![0x2B, 0x31, 0x33, 0x3F].contains($0) }.map { UInt8($0) }
        let texts = assigned.map { HCIErrorCode(rawValue: $0).description }
        #expect(Set(texts).count == assigned.count)
        for text in texts { #expect(!text.contains("an unknown error")) }
        for code in [0x2B, 0x3F, 0x49, 0xFF] as [UInt8] {
            #expect(HCIErrorCode(rawValue: code).description.contains("an unknown error"))
        }
        #expect(
            HCIErrorCode.notEstablished.description
                == "the device was heard, but the connection could not be established (Bluetooth error 0x3E)"
        )
        #expect(HCIErrorCode.connectionTimeout.hint == "move closer to the device and check that it has power")
    }

    @Test("all failures are sentences without a full stop")
    func sentences() {
        var failures: [GATTFailure] = [.servicesChanged]
        for step in GATTStep.allCases {
            failures += [
                .unanswered(step, after: .seconds(10)), .tooSlow(step, after: .seconds(20)),
                .refused(step, .invalidPDU), .malformed(step, .length(3)), .mismatched(step, opcode: 0x0B),
                .astray(step), .endless(step),
            ]
        }
        for service in MeshService.allCases {
            failures += [
                .noService(service, hasOther: true), .noService(service, hasOther: false), .notWritable(service),
                .notNotifying(service), .noCharacteristic(service, service.dataIn),
                .noCharacteristic(service, service.dataOut),
            ]
        }
        #expect(Set(failures.map(\.message)).count == failures.count)
        for failure in failures {
            #expect(!failure.message.hasSuffix("."))
            #expect(failure.hint?.hasSuffix(".") != true)
        }
    }
}
