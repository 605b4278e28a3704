package import DefinitionModel
import MeshCore

extension DefinitionWriter {
    /// Definitions as one text, a document for each network, in which every part that comes from a module or a
    /// repetition has a comment that says from where. The files with vendor models and products that they name are
    /// named again.
    ///
    /// - Parameters:
    ///   - definitions: those of `reading`, with paths from the working folder.
    ///   - reading: what the files of the definitions say.
    package static func text(of definitions: [Definition], withOriginsIn reading: DefinitionReading) -> String {
        let surroundings = reading.surroundings
        var documents = definitions.enumerated().map { position, definition in
            DefinitionWriter(definition).document(position == 0 ? surroundings.sections : [], reading.files)
        }
        if let models = surroundings.ownSection {
            var text = ""
            models.write(to: &text)
            documents.append(escaped(text))
        }
        return documents.joined(separator: "---\n")
    }

    private func document(_ surroundings: [Field], _ files: SourceFiles) -> String {
        var text = "version: 1\n"
        for field in heads { Self.write(field, to: &text) }
        for section in surroundings + sections {
            text += "\n"
            let places = places(in: section.key)
            switch section.value {
            case .section(let fields) where fields.count == places.count:
                text += "\(section.key):\n"
                for (field, place) in zip(fields, places) {
                    text += Self.origin(of: place, in: files)
                    Self.write(field, to: &text, indent: 2, in: section.key)
                }
            case .list(let items) where items.count == places.count:
                text += "\(section.key):\n"
                for (item, place) in zip(items, places) {
                    text += Self.origin(of: place, in: files) + "  - \(Self.escaped(item.flow, in: section.key))\n"
                }
            default: Self.write(section, to: &text, in: section.key)
            }
        }
        return text
    }

    /// Where the entries of a section stand, in their order; empty for a section whose entries are not marked.
    private func places(in section: String) -> [SourceLocation] {
        switch Keyword(rawValue: section) {
        case .subnets: definition.subnets.map(\.name.location)
        case .applicationKeys: definition.applicationKeys.map(\.name.location)
        case .groups: definition.groups.map(\.name.location)
        case .profiles: definition.profiles.map(\.name.location)
        case .nodes: definition.nodes.map(\.name.location)
        case .subscriptions: definition.subscriptions.map(\.location)
        case .publications: definition.publications.map(\.location)
        case .checks: definition.checks.map(\.name.location)
        case .tests: definition.tests.map(\.name.location)
        default: []
        }
    }

    private static func origin(of place: SourceLocation, in files: SourceFiles) -> String {
        guard let title = files.instances.title(of: place) else { return "" }
        return "  " + comment(["\(files.path(of: place)):\(place.line), \(title)"])
    }
}
