package import DefinitionModel
package import MeshCore

/// A definition as text in which parts that repeat with a number are modules, and the devices of their nodes
/// assignments.
///
/// Whoever writes it to files reads it again first, and compares: the reader alone decides what a name means in a
/// module.
package struct FoldedDefinition {
    package let text: String
    /// The devices of the nodes of modules, by name.
    package let devices: [String: DeviceUUID]
    package let moduleCount: Int

    private typealias Value = DefinitionValue
    private typealias Field = DefinitionValue.Field

    /// Folds a definition.
    ///
    /// - Parameters:
    ///   - definition: each of its nodes has a device, and its rules select nodes by name.
    ///   - header: lines before it, as comments.
    ///   - footer: lines after it, as comments.
    /// - Returns: nil if nothing in it repeats.
    package init?(_ definition: Definition, header: [String] = [], footer: [String] = []) {
        guard var search = UnitSearch(definition) else { return nil }
        let found = search.found()
        guard !found.isEmpty else { return nil }
        let units = found.flatMap(\.units)
        var devices: [String: DeviceUUID] = [:]
        for index in units.flatMap(\.nodes) {
            devices[definition.nodes[index].name.value] = definition.nodes[index].uuid.value
        }
        var rest = definition
        rest.groups.leaveOut(units.flatMap(\.groups))
        rest.nodes.leaveOut(units.flatMap(\.nodes))
        rest.subscriptions.leaveOut(units.flatMap(\.subscriptions))
        rest.publications.leaveOut(units.flatMap(\.publications))
        var names: Set<String> = []
        let modules = found.map { repeated in
            let name = Self.name(of: repeated, mark: search.mark, besides: &names)
            return (name: name, repeated: repeated)
        }
        var sections = DefinitionWriter(rest).sections
        let later: Set<String> = ["nodes", "subscriptions", "publications", "moved", "checks"]
        let index = sections.firstIndex { later.contains($0.key) } ?? sections.count
        sections.insert(
            contentsOf: [
                Field("modules", .section(modules.map { Field($0.name, Self.module($0.repeated)) })),
                Field(
                    "use",
                    .list(modules.flatMap { Self.uses(of: $0.name, $0.repeated) })
                ),
            ],
            at: index
        )
        var text = DefinitionWriter.text(DefinitionWriter(rest).heads, sections, header: header, footer: footer)
        for module in modules {
            for (position, title) in module.repeated.titles.enumerated() {
                text = text.replacing(title.mark, with: "$(\(Self.titleParameter(position)))")
            }
        }
        self.text = text.replacing(search.mark, with: "$(\(Self.parameter))")
        self.devices = devices
        moduleCount = modules.count
    }

    private static let parameter = "n"

    private static func titleParameter(_ position: Int) -> String { position == 0 ? "title" : "title-\(position + 1)" }

    private static func module(_ repeated: RepeatedUnits) -> Value {
        let writer = DefinitionWriter(repeated.template)
        let names = [parameter] + repeated.titles.indices.map(titleParameter)
        return .section([Field("parameters", .fields(names.map { Field($0, .word("text")) }))] + writer.sections)
    }

    /// What asks for the units: ranges of them, or one by one if each has titles of its own.
    private static func uses(of name: String, _ repeated: RepeatedUnits) -> [Value] {
        func use(_ key: String, _ fields: [Field]) -> Value {
            .fields([Field("module", .word(name)), Field(key, .fields(fields))])
        }
        guard !repeated.titles.isEmpty else {
            return repeated.repetitions.map { use("for", [Field(parameter, $0)]) }
        }
        return repeated.units.enumerated().map { index, unit in
            let titles = repeated.titles.enumerated().map { position, title in
                Field(titleParameter(position), .text(title.values[index]))
            }
            return use("with", [Field(parameter, .word(unit.number))] + titles)
        }
    }

    /// What the first group of a unit is called without the number, or else its first node: `room`.
    private static func name(of repeated: RepeatedUnits, mark: String, besides names: inout Set<String>) -> String {
        let first = repeated.template.groups.first?.name.value ?? repeated.template.nodes.first?.name.value ?? ""
        let words = first.replacing(mark, with: "-").split { "-_.".contains($0) }.prefix(2)
        let letters = words.joined(separator: "-")
        let isName = letters.utf8.first.map { !Numbers.isDigit($0) } ?? false
        let name = isName && DefinitionValue.quotedIfNeeded(letters) == letters ? letters : "unit"
        var candidate = name
        var number = 1
        while !names.insert(candidate).inserted {
            number += 1
            candidate = "\(name)-\(number)"
        }
        return candidate
    }
}

extension Array {
    fileprivate mutating func leaveOut(_ positions: [Int]) {
        let left = Set(positions)
        self = enumerated().lazy.filter { !left.contains($0.offset) }.map(\.element)
    }
}
