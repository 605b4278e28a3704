import Foundation
import MeshCore
import Testing

@Suite("ModelCatalogue")
struct ModelCatalogueTests {
    struct Facts: Decodable {
        struct Model: Decodable {
            let id: String
            let name: String
            let supportsPublication: Bool
            let supportsSubscription: Bool
            let supportsAppKeyBinding: Bool?
            let extends: [String]?
            let extendsAll: [String]?
        }
        let models: [Model]
    }

    struct Companies: Decodable {
        struct Company: Decodable {
            let id: String
            let name: String
        }
        let companies: [Company]
    }

    @Test("every model of the table is in the catalogue with the table's properties, and no other")
    func agreesWithTable() throws {
        let facts = try decodeResource("models", as: Facts.self)
        // The facts leave out the model of IEC 62386-104, of which only name and identifier are known.
        let dali = try #require(ModelCatalogue.model(.sig(0x1312)))
        #expect(dali.name == "iec-62386-104-model" && dali.abilities == nil && dali.supportsAppKeyBinding == nil)
        #expect(ModelCatalogue.models.count == facts.models.count + 1)
        for fact in facts.models {
            let identifier = ModelIdentifier.sig(try #require(UInt16(fact.id, radix: 16)))
            let model = try #require(ModelCatalogue.model(identifier), "\(fact.name)")
            #expect(model.identifier == identifier)
            #expect(model.title == fact.name)
            #expect(model.supportsPublication == fact.supportsPublication, "\(fact.name)")
            #expect(model.supportsSubscription == fact.supportsSubscription, "\(fact.name)")
            #expect(model.supportsAppKeyBinding == fact.supportsAppKeyBinding, "\(fact.name)")
            #expect(model.extends == (fact.extends ?? []).compactMap { UInt16($0, radix: 16) }.map { .sig($0) })
            let all = Set((fact.extendsAll ?? []).compactMap { UInt16($0, radix: 16) }.map { ModelIdentifier.sig($0) })
            #expect(transitiveBases(of: model) == all, "\(fact.name)")
            #expect(ModelCatalogue.model(named: model.name) == model)
            #expect(ModelCatalogue.abilities(of: identifier) == model.abilities)
        }
    }

    @Test("every number that is not in the table is unknown, and so is every vendor model")
    func unknown() {
        let known = Set(ModelCatalogue.models.map(\.identifier))
        for number in 0...UInt16.max where !known.contains(.sig(number)) {
            #expect(ModelCatalogue.model(.sig(number)) == nil)
        }
        #expect(ModelCatalogue.model(.vendor(company: 0, model: 0x1000)) == nil)
        #expect(ModelCatalogue.abilities(of: .vendor(company: 0x0059, model: 0)) == nil)
    }

    @Test("names of files stand beside those of the catalogue, and never for another model")
    func names() {
        let exit = ModelIdentifier.vendor(company: 0x0059, model: 1)
        let sign = ModelIdentifier.vendor(company: 0x0059, model: 2)
        let names = ModelNames([
            (identifier: exit, name: "exit-light"), (identifier: exit, name: "again"),
            (identifier: sign, name: "exit-light"), (identifier: sign, name: "generic-onoff-server"),
            (identifier: sign, name: "0x1000"),
        ])
        #expect(names.name(of: exit) == "exit-light" && names.model(named: "exit-light") == exit)
        #expect(names.model(named: "0x0059:0x0001") == exit && names.model(named: "again") == nil)
        #expect(names.name(of: sign) == "0x0059:0x0002")
        #expect(names.name(of: .healthServer) == "health-server" && names.model(named: "0x1000") == .sig(0x1000))
        #expect(names.all.contains("exit-light") && names.all.count == ModelCatalogue.models.count + 1)
        #expect(ModelNames([(identifier: ModelIdentifier, name: String)]()) == ModelNames())
    }

    @Test("models are sorted by identifier, each once")
    func isSorted() {
        let identifiers = ModelCatalogue.models.map(\.identifier)
        #expect(zip(identifiers, identifiers.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test(
        "names are those that definitions write",
        arguments: [
            (UInt16(0x0000), "configuration-server"), (0x0002, "health-server"),
            (0x000C, "on-demand-private-proxy-server"), (0x1000, "generic-onoff-server"),
            (0x1300, "light-lightness-server"), (0x130C, "light-xyl-server"), (0x1400, "blob-transfer-server"),
        ]
    )
    func names(identifier: UInt16, name: String) {
        #expect(ModelIdentifier.sig(identifier).name == name)
        #expect(ModelIdentifier(name: name) == .sig(identifier))
    }

    @Test("a model that the catalogue lacks is named by its numbers, and the name reads back")
    func unknownModels() {
        #expect(ModelIdentifier.sig(0x1234).name == "0x1234")
        #expect(ModelIdentifier.vendor(company: 0x0059, model: 0x0001).name == "0x0059:0x0001")
        #expect(ModelIdentifier.vendor(company: 0, model: 0x1000).name == "0x0000:0x1000")
        for identifier in [ModelIdentifier.sig(0x1234), .vendor(company: 0, model: 0x1000), .sig(0xFFFF)] {
            #expect(ModelIdentifier(name: identifier.name) == identifier)
        }
    }

    @Test("a SIG model may be written by number, in any number of digits up to four and either case")
    func numbers() {
        #expect(ModelIdentifier(name: "0x1000") == .sig(0x1000))
        #expect(ModelIdentifier(name: "0x130a") == ModelIdentifier(name: "light-hsl-hue-server"))
        #expect(ModelIdentifier(name: "0x2") == .healthServer)
        #expect(ModelIdentifier(name: "0x59:0xA") == .vendor(company: 0x59, model: 0xA))
    }

    @Test(
        "anything else is no model",
        arguments: [
            "", "generic-onoff", "Generic-OnOff-Server", "1000", "0x", "0x10000", "0x+100", "0x-1", "0X1000", ":",
            "0x0059:", ":0x0001", "0x0059:0x0001:0x0002", "0x0059:0001", "0x0059:generic-onoff-server", " 0x1000",
            "0x10 0", "0x１０００",
        ]
    )
    func refusedNames(name: String) {
        #expect(ModelIdentifier(name: name) == nil)
    }

    @Test("models that extend each other on one element share a subscription list")
    func sharedSubscriptionLists() {
        let lightness = ["light-lightness-server", "generic-power-onoff-server", "generic-onoff-server"]
        let names = ["configuration-server", "generic-onoff-server", "sensor-server"] + lightness + ["0x0059:0x0001"]
        let groups = ModelCatalogue.subscriptionListGroups(of: names.compactMap { ModelIdentifier(name: $0) })
        #expect(
            groups.map { $0.map(\.name) } == [
                ["configuration-server"],
                ["generic-onoff-server", "light-lightness-server", "generic-power-onoff-server"],
                ["sensor-server"],
                ["0x0059:0x0001"],
            ]
        )
        // Lightness and OnOff are connected only through Power OnOff.
        let apart = [ModelIdentifier.sig(0x1300), .sig(0x1000)]
        #expect(ModelCatalogue.subscriptionListGroups(of: apart) == apart.map { [$0] })
        #expect(ModelCatalogue.subscriptionListGroups(of: []) == [])
    }

    @Test("common companies have names, others none")
    func companies() throws {
        for company in try decodeResource("company-ids", as: Companies.self).companies {
            let identifier = try #require(UInt16(company.id, radix: 16))
            let name = try #require(CompanyCatalogue.name(of: identifier))
            #expect(company.name.hasPrefix(name))
        }
        #expect(CompanyCatalogue.name(of: 0xFFFF) == nil)
    }

    private func transitiveBases(of model: CatalogueModel) -> Set<ModelIdentifier> {
        var bases: Set<ModelIdentifier> = []
        var pending = model.extends
        while let base = pending.popLast() {
            if bases.insert(base).inserted { pending += ModelCatalogue.model(base)?.extends ?? [] }
        }
        return bases
    }

    private func decodeResource<Value: Decodable>(_ name: String, as type: Value.Type) throws -> Value {
        let url = try #require(Bundle.module.url(forResource: "Resources/\(name)", withExtension: "json"))
        return try JSONDecoder().decode(type, from: Data(contentsOf: url))
    }
}
