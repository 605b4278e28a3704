import Foundation
import MeshCore
import TestSupport
import Testing

@testable import Catalogue

@Suite("Messages from hostile senders")
struct HostileMessageTests {
    @Test("random parameters of every message are refused with an offset inside, or read and written again")
    func random() throws {
        var generator = SplitMix64(seed: 15)
        var accepted = 0
        for message in MessageCatalogue.sig.messages {
            for round in 0..<300 {
                let parameters = generator.octets(round % 41)
                guard let values = accepts(message, parameters) else { continue }
                accepted += 1
                #expect(try message.encode(values) == parameters, "\(message.name) \(parameters)")
                #expect(
                    message.texts(of: values).allSatisfy { !$0.name.isEmpty && !$0.text.isEmpty },
                    "\(message.name)"
                )
            }
        }
        #expect(accepted > 3000)
    }

    @Test("every vector cut short or with an octet more is refused, or is another form and read and written again")
    func cut() throws {
        let vectors: [MessageVector] = try resource("message-vectors")
        for vector in vectors {
            let message = try MessageCatalogue.sig.decode(vector.payload[...]).description
            let parameters = Array(vector.payload.dropFirst(message.opcode.size))
            for length in 0...parameters.count + 1 {
                let changed = length <= parameters.count ? Array(parameters.prefix(length)) : parameters + [0x55]
                guard let values = accepts(message, changed) else { continue }
                #expect(try message.encode(values) == changed, "\(message.name) \(changed)")
            }
        }
    }

    /// What the message reads; nil if it refuses the octets, with an offset among them.
    private func accepts(_ message: MessageDescription, _ parameters: [UInt8]) -> FieldValues? {
        do throws(MessageDecodeError) {
            return try message.decode(parameters)
        } catch {
            #expect((0...parameters.count).contains(error.offset), "\(message.name): \(error)")
            #expect(!error.description.isEmpty)
            return nil
        }
    }

    @Test("a message that is too short or too long says where")
    func offsets() throws {
        let set = try message("generic-onoff-set")
        #expect(throws: MessageDecodeError(offset: 1, field: "tid", reason: .truncated(needed: 1))) {
            try set.decode([1])
        }
        #expect(throws: MessageDecodeError(offset: 3, field: "delay", reason: .truncated(needed: 1))) {
            try set.decode([1, 2, 0])
        }
        #expect(throws: MessageDecodeError(offset: 4, reason: .trailing(count: 2))) {
            try set.decode([1, 2, 0, 0, 9, 9])
        }
    }

    @Test("prohibited values are refused, in both directions")
    func prohibited() throws {
        let set = try message("generic-onoff-set")
        #expect(throws: MessageDecodeError(offset: 0, field: "onoff", reason: .prohibited(2))) {
            try set.decode([2, 0])
        }
        #expect(throws: MessageDecodeError(offset: 2, field: "transition", reason: .prohibited(0x3F))) {
            try set.decode([1, 0, 0x3F, 0])
        }
        #expect(throws: MessageEncodeError.value("onoff", "0x02 is prohibited")) {
            try set.encode(["onoff": 2, "tid": 0])
        }
        // In a status the same octet means that the remaining time is unknown.
        let status = try message("generic-onoff-status").decode([0, 1, 0x3F])
        #expect(try message("generic-onoff-status").text(of: status) == "onoff=off target_onoff=on remaining=unknown")
        #expect(throws: MessageDecodeError.self) { try message("light-ctl-set").decode([0, 0, 0x1F, 3, 0, 0, 1]) }
        #expect(throws: MessageDecodeError.self) { try message("scene-recall").decode([0, 0, 1]) }
    }

    @Test("what a caller gives wrongly is named")
    func encoding() throws {
        let set = try message("light-lightness-set")
        #expect(throws: MessageEncodeError.missing("tid")) { try set.encode(["lightness": 1]) }
        #expect(throws: MessageEncodeError.missing("delay")) {
            try set.encode(["lightness": 1, "tid": 0, "transition": 1])
        }
        #expect(throws: MessageEncodeError.value("lightness", "65536 does not fit into 16 bits")) {
            try set.encode(["lightness": 65536, "tid": 0])
        }
        #expect(throws: MessageEncodeError.self) { try set.encode(["lightnes": 1, "tid": 0]) }
        #expect(throws: MessageEncodeError.self) { try set.encode(["lightness": .octets([1, 2]), "tid": 0]) }
        #expect(throws: MessageEncodeError.nameOnly) { try message("blob-transfer-get").encode([:]) }
        #expect(throws: MessageEncodeError.value("reserved", "16 does not fit into 4 bits")) {
            try message("sar-transmitter-set").encode(
                try message("sar-transmitter-set").decode([0x25, 0x72, 0x21, 0x09]).merging(["reserved": 16])
            )
        }
    }

    @Test("unknown opcodes and opcodes cut short are refused")
    func opcodes() {
        let catalogue = MessageCatalogue.sig
        #expect(throws: AccessPayloadError.opcode(.truncated(offset: 0, needed: 1))) { try catalogue.decode([]) }
        #expect(throws: AccessPayloadError.opcode(.truncated(offset: 1, needed: 1))) { try catalogue.decode([0x82]) }
        #expect(throws: AccessPayloadError.opcode(.prohibited(field: "opcode", value: 0x7F))) {
            try catalogue.decode([0x7F])
        }
        #expect(throws: AccessPayloadError.unknown(0x80AA)) { try catalogue.decode([0x80, 0xAA]) }
        #expect(throws: AccessPayloadError.unknown(0xC1_0059)) { try catalogue.decode([0xC1, 0x00, 0x59, 1]) }
    }
}
