import DefinitionModel
import MeshCore
import Planning
import TestSupport
import Testing

@Suite("Keys that nodes have and the database does not know")
struct UnknownKeyTests {
    private let strangeNetKey = NetKeyIndex(rawValue: 2)
    private let strangeAppKey = AppKeyIndex(rawValue: 2)

    /// The office after it was read back: both lamps have an AppKey of somebody else, lamp-2 a NetKey, too.
    private func office() throws -> Office {
        let (netKey, appKey) = (try #require(strangeNetKey), try #require(strangeAppKey))
        var office = try Office()
        try office.change("lamp-1") { $0.appKeys.append(NodeKey(index: appKey)) }
        try office.change("lamp-2") { node in
            node.netKeys.append(NodeKey(index: netKey))
            node.appKeys.append(NodeKey(index: appKey))
        }
        return office
    }

    private func plan(_ office: Office, _ nodes: String, _ definition: String = Office.definition) throws -> Plan {
        try #require(try office.result(definition + nodes).plan)
    }

    @Test("A plan tells of them and what can be done, with the names of the definition")
    func notes() throws {
        let notes = try plan(try office(), Office.nodes().replacing("lamp-2:", with: "lamp-two:")).notes.map(\.text)
        #expect(
            notes == [
                "lamp-two has NetKey index 2, which the database does not know. To use it, import a database that has it, or "
                    + "declare a subnet with `index: 2` and its `key`; to have it deleted, list the `subnets` of the node "
                    + "without it.",
                "lamp-1 and lamp-two have AppKey index 2, which the database does not know. To use it, import a database "
                    + "that has it, or declare an application key with `index: 2` and its `key`; to have it deleted, list "
                    + "the `application_keys` of these nodes without it: this works only for nodes with a single "
                    + "NetKey, because otherwise it is unknown which NetKey the key is bound to.",
            ]
        )
        let drift = DriftReport.make(of: try office().network, definition: nil)
        #expect(drift.isEmpty && drift.notes.count == 2)
        #expect(drift.notes[0].hasPrefix("lamp-2 has NetKey index 2"))
    }

    @Test("Several are told in the order of their indexes")
    func order() throws {
        var office = try Office()
        for index: UInt16 in 2...6 {
            let netKey = try #require(NetKeyIndex(rawValue: index))
            let appKey = try #require(AppKeyIndex(rawValue: index))
            try office.change("lamp-2") { node in
                node.netKeys.append(NodeKey(index: netKey))
                node.appKeys.append(NodeKey(index: appKey))
            }
        }
        let starts = try plan(office, Office.nodes()).notes.map { String($0.text.prefix { $0 != "," }) }
        let netKeys = (2...6).map { "lamp-2 has NetKey index \($0)" }
        let appKeys = (2...6).map { "lamp-2 has AppKey index \($0)" }
        #expect(starts == netKeys + appKeys)
    }

    @Test("Lists delete them; of which NetKey an AppKey is, is known where there is one")
    func deletion() throws {
        var office = try office()
        let lists = "subnets: [building], application_keys: [lighting]"
        let first = try plan(office, Office.nodes(lamp1: lists, lamp2: lists))
        let text = PlanDebugText.text(first)
        #expect(text.contains("lamp-1: delete AppKey 2"), "\(text)")
        #expect(text.contains("lamp-2: delete NetKey 2"), "\(text)")
        // What takes no message is no change.
        #expect(!text.contains("node.lamp-2.application_key"), "\(text)")
        #expect(first.notes.count == 1 && first.notes[0].hasPrefix("lamp-2 has AppKey index 2"), "\(first.notes)")
        try office.apply(Office.definition + Office.nodes(lamp1: lists, lamp2: lists))
        let second = try plan(office, Office.nodes(lamp1: lists, lamp2: lists))
        #expect(PlanDebugText.text(second).hasSuffix("0 lamp-2: delete AppKey 2"))
        #expect(second.notes == [])
        try office.apply(Office.definition + Office.nodes(lamp1: lists, lamp2: lists))
        #expect(try plan(office, Office.nodes(lamp1: lists, lamp2: lists)).steps == [])
    }

    @Test("New keys do not get their indexes, unless these are declared")
    func indexes() throws {
        let office = try office()
        let more = Office.definition.replacing("guests: {}", with: "guests: {}, third: {}")
            .replacing("sensing: { subnet: guests }", with: "sensing: { subnet: guests }, fourth: { subnet: building }")
        let created = try plan(office, Office.nodes(), more).steps.compactMap { step -> UInt16? in
            switch step.work {
            case .edit(.createNetKey(let index, name: _, source: _)): index.rawValue
            case .edit(.createAppKey(let index, name: _, boundTo: _, source: _)): index.rawValue
            default: nil
            }
        }
        #expect(created == [3, 3])
        let declared = Office.definition.replacing(
            "sensing: { subnet: guests }",
            with: "sensing: { subnet: guests }, fourth: { subnet: building, index: 2, key: { env: FOURTH } }"
        )
        let adopted = try plan(office, Office.nodes(), declared)
        #expect(PlanDebugText.text(adopted).contains("application_key.fourth"))
        #expect(!adopted.notes.contains { $0.contains("AppKey index 2") })
        let remade = try office.result(declared.replacing(", key: { env: FOURTH }", with: "") + Office.nodes())
        #expect(remade.plan == nil)
        #expect(
            remade.diagnostics.map(\.message) == [
                "application key `fourth` would be created, but node `lamp-1` and one more node already have a key "
                    + "with index 2 that the database does not know"
            ]
        )
    }
}
