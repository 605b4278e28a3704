import Foundation
import MeshCore
import Testing

@testable import Catalogue

@Suite("The tables of models and messages")
struct MessageTableTests {
    @Test("every message of the SIG's table is known by opcode and name, and no other")
    func messages() throws {
        let facts: [MessageFact] = try resource("messages")
        #expect(facts.count == 435)
        #expect(MessageCatalogue.sig.messages.count == facts.count)
        for fact in facts {
            let message = try #require(MessageCatalogue.sig.message(opcode(fact.opcode)), "\(fact.name)")
            #expect(message.title == fact.name)
            #expect(MessageCatalogue.sig.message(named: message.name) == message)
        }
    }

    @Test("a request has the answer of the facts")
    func answers() throws {
        let facts: [MessageFact] = try resource("messages")
        let opcodes = Dictionary(uniqueKeysWithValues: try facts.map { ($0.name, try opcode($0.opcode)) })
        for fact in facts where fact.nameOnly != true {
            let message = try #require(MessageCatalogue.sig.message(opcode(fact.opcode)))
            #expect(message.answer == fact.response.flatMap { opcodes[$0] }, "\(fact.name)")
            if let answer = message.answer {
                #expect(MessageCatalogue.sig.message(answer)?.isStatus == true, "\(fact.name)")
            }
        }
    }

    @Test("only what the facts do not describe is known by its name only")
    func namesOnly() throws {
        let facts: [MessageFact] = try resource("messages")
        for fact in facts {
            let message = try #require(MessageCatalogue.sig.message(opcode(fact.opcode)))
            #expect((message.forms == nil) == (fact.nameOnly == true), "\(fact.name)")
        }
        #expect(facts.filter { $0.nameOnly == true }.count == 58)
    }

    @Test("parameters of the shortest and longest length of the facts fit, one octet less or more does not")
    func lengths() throws {
        let facts: [MessageFact] = try resource("messages")
        var checked = 0
        for fact in facts {
            guard let length = fact.length else { continue }
            let message = try #require(MessageCatalogue.sig.message(opcode(fact.opcode)))
            for count in [length[0], length[1]] {
                // Ones are allowed in every field of these messages.
                let parameters = [UInt8](repeating: 1, count: count)
                if message.name.hasPrefix("scheduler-action-s") { continue }
                #expect(throws: Never.self, "\(fact.name)") { try message.decode(parameters) }
            }
            let tooShort = [UInt8](repeating: 1, count: max(0, length[0] - 1))
            if length[0] > 0 {
                #expect(throws: MessageDecodeError.self, "\(fact.name)") { try message.decode(tooShort) }
            }
            guard !message.fields.contains(where: { $0.type.bits == nil }) else { continue }
            let tooLong = [UInt8](repeating: 1, count: length[1] + 1)
            #expect(throws: MessageDecodeError.self, "\(fact.name)") { try message.decode(tooLong) }
            checked += 1
        }
        #expect(checked > 25)
    }

    @Test("every server takes and sends what the operation tables of another stack say")
    func servers() throws {
        let facts: [ServerFact] = try resource("servers")
        #expect(facts.count == 37)
        for fact in facts {
            let server = ModelIdentifier.sig(try #require(UInt16(fact.server, radix: 16)))
            let messages = MessageCatalogue.sig.messages(of: server).filter { $0.servers.contains(server) }
            let requests = Set(messages.filter { !$0.isStatus }.map(\.opcode))
            #expect(requests == Set(try (fact.get + fact.set).map(opcode)), "\(fact.server)")
            // A setup server also answers with statuses that stand at its main server.
            let statuses = Set(messages.filter(\.isStatus).map(\.opcode))
            #expect(statuses.isSuperset(of: try fact.status.map(opcode)), "\(fact.server)")
            #expect(statuses.subtracting(try fact.status.map(opcode)).isSubset(of: Set(messages.compactMap(\.answer))))
        }
    }

    @Test("all 81 models of the SIG are there; each has messages, and servers, clients and names go together")
    func models() throws {
        struct Fact: Decodable {
            let id: String
            let name: String
        }
        let facts: [Fact] = try resource("models")
        #expect(ModelCatalogue.models.count == 81)
        #expect(facts.count == 80)
        for fact in facts {
            let identifier = ModelIdentifier.sig(try #require(UInt16(fact.id, radix: 16)))
            #expect(ModelCatalogue.model(identifier)?.title == fact.name)
        }
        #expect(ModelCatalogue.model(.sig(0x1312))?.name == "iec-62386-104-model")
        for model in ModelCatalogue.models {
            let messages = MessageCatalogue.sig.messages(of: model.identifier)
            #expect(!messages.isEmpty, "\(model.name)")
            for message in messages {
                #expect(message.servers.contains(model.identifier) != model.isClient, "\(model.name)")
            }
        }
    }

    @Test("names of fields are distinct in each form, and say nothing of their type")
    func fieldNames() {
        for message in MessageCatalogue.sig.messages {
            for form in message.forms ?? [] {
                let names = form.flatMap { part in
                    if case .records = part { [String]() } else { part.fields.map(\.name) }
                }
                #expect(Set(names).count == names.count, "\(message.name)")
                #expect(names.allSatisfy { $0.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "_" } })
            }
        }
    }

    @Test("an unacknowledged message has the fields of the acknowledged one, and no answer")
    func unacknowledged() throws {
        for message in MessageCatalogue.sig.messages where message.title.hasSuffix(" Unacknowledged") {
            let acknowledged = try acknowledgedMessage(String(message.name.dropLast("-unacknowledged".count)))
            #expect(acknowledged.forms == message.forms, "\(message.name)")
            #expect(acknowledged.servers == message.servers && acknowledged.clients == message.clients)
            #expect(acknowledged.answer != nil && message.answer == nil, "\(message.name)")
        }
    }

    private func acknowledgedMessage(_ name: String) throws -> MessageDescription { try message(name) }
}
