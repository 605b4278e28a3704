import Catalogue
import DefinitionModel
import MeshCore
import Testing

@testable import Definitions

@Suite("States of models: read and written")
struct ModelStateRoundTripTests {
    /// Every model of the catalogue under which a definition can declare states.
    private static let models = ModelCatalogue.models.map(\.identifier).filter {
        !DeclarableStates(of: $0, in: .sig).states.isEmpty
    }

    @Test("Every lasting state of the catalogue that can be set can be declared")
    func everyState() {
        let declarable = Set(
            Self.models.flatMap { DeclarableStates(of: $0, in: .sig).states }
                .flatMap { [$0.description.name] + ($0.instances ?? []).map(\.name) }
        )
        let expected = StateCatalogue.states.filter { $0.isLasting && $0.setMessage != nil }.map(\.name)
        #expect(declarable == Set(expected))
        #expect(expected.count > 40)
    }

    @Test("What is read is written so that it reads the same", arguments: models)
    func roundTrip(_ model: ModelIdentifier) throws {
        for state in DeclarableStates(of: model, in: .sig).states {
            for values in try samples(of: state) {
                let setting = try state.setting(values)
                let place = SourceLocation(file: 0, line: 1, column: 1)
                var definition = Definition(network: Located("hq", at: place))
                var node = NodeDefinition(
                    name: Located("a", at: place),
                    uuid: Located(DeviceUUID(rawValue: Octets16(high: 1, low: 1)), at: place)
                )
                var declared = ModelDefinition(identifier: Located(model, at: place))
                declared.states = Located([Located(setting, at: place)], at: place)
                node.settings.elements[0] = ElementDefinition(location: place, models: [declared])
                definition.nodes = [node]
                let text = DefinitionWriter.text(of: definition)
                let (read, problems) = definitions(text)
                #expect(problems == [], "\(text)")
                let states = read.first?.nodes.first?.settings.elements[0]?.models.first?.states?.value.map(\.value)
                #expect(states == [setting], "\(text)")
                guard let definition = read.first else { continue }
                #expect(DefinitionWriter.text(of: definition) == text)
            }
        }
    }

    @Test("A state shows itself in the status that a node answers with, and no other value does")
    func shown() throws {
        for model in Self.models {
            for state in DeclarableStates(of: model, in: .sig).states {
                let samples = try samples(of: state)
                let status = state.description.statusMessage
                for values in samples {
                    var answer = values
                    for name in answer.names where status.field(named: name) == nil { answer[name] = nil }
                    for field in status.fields where answer[field.name] == nil && field.type.bits != nil {
                        answer[field.name] = .integer(field.type.ordinaryValues?.lowerBound ?? 0)
                    }
                    for field in status.fields where answer[field.name] == nil && field.type.notation == .propertyValue
                    {
                        answer[field.name] = .octets([1])
                    }
                    if let octets = try? status.encode(answer) {
                        let setting = try state.setting(values)
                        #expect(setting.state.isShown(by: octets), "\(state.name)")
                        let states = DeclarableStates(of: model, in: .sig)
                        if status.fields.allSatisfy({ $0.type.notation != .propertyValue || values[$0.name] != nil }) {
                            #expect(states.setting(of: setting.state.form, shownBy: octets) == setting, "\(state.name)")
                        }
                        #expect(try state.setting(values).state.form.instance.match(octets), "\(state.name)")
                        for other in samples where other != values {
                            let shown = try state.setting(other).state
                            #expect(!shown.isShown(by: octets), "\(state.name) \(values) \(other)")
                        }
                    } else {
                        Issue.record("\(state.name): the status cannot be written: \(answer)")
                    }
                }
            }
        }
    }

    /// Some distinct values of a state, whose fields all differ.
    private func samples(of state: DeclarableState) throws -> [FieldValues] {
        let message = try #require(state.description.setMessage)
        return try (message.forms ?? []).flatMap { form in
            try (0..<3).map { round in
                var values = FieldValues()
                for field in form.flatMap(\.fields) {
                    values[field.name] = try value(of: field, round, of: state, in: values)
                }
                return values
            }
        }
    }

    private func value(
        of field: MessageDescription.Field,
        _ round: Int,
        of state: DeclarableState,
        in values: FieldValues
    ) throws -> FieldValue {
        if let fixed = field.fixed { return .integer(fixed) }
        if field.type.notation == .property {
            if let instances = state.instances { return try #require(instances[round].fixedKeys[field.name]) }
            let names = ["present-ambient-light-level", "present-ambient-temperature", "input-voltage-statistics"]
            return .integer(Int64(try #require(DeviceProperty.identifier(named: names[round]))))
        }
        if field.type.notation == .propertyValue {
            let property = try #require(FieldWords.property(of: values).flatMap(DeviceProperty.property))
            var parts = FieldValues()
            for part in property.fields { parts[part.name] = try value(of: part, round, of: state, in: [:]) }
            return .octets(try property.encode(parts))
        }
        if field.type.layout == .float { return .integer(Int64((Float(round) + 0.25).bitPattern)) }
        if case .text(let count) = field.type.layout {
            return .octets(Array(repeating: 0x61 + UInt8(round), count: count - 1) + [0])
        }
        if case .octets(let count) = field.type.layout { return .octets(Array(repeating: UInt8(round), count: count)) }
        if field.type.notation == .set { return .integer([field.type.allWords, 1, 5][round]) }
        let words = field.type.words.keys.sorted()
        guard let limits = field.type.ordinaryValues else { return .integer(words[min(round, words.count - 1)]) }
        let step = (limits.upperBound - limits.lowerBound) / 3
        // The ends, so that ranges are in order: a minimum is lower than its maximum in every round.
        let raw = limits.lowerBound + Int64(round) * step + (field.name.hasSuffix("maximum") ? step : 0)
        return .integer(field.type.permits(raw) ? raw : limits.lowerBound + Int64(round))
    }
}
