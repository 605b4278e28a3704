package import DefinitionModel
import MeshCore

extension DefinitionWriter {
    /// The definition as one document in which every part that comes from a module or a repetition has a comment that
    /// says from where.
    ///
    /// - Parameter files: the files that the locations of the definition point into.
    package static func text(of definition: Definition, withOriginsIn files: SourceFiles) -> String {
        let writer = DefinitionWriter(definition)
        var text = "version: 1\n"
        for field in writer.heads { field.write(to: &text) }
        for section in writer.sections {
            text += "\n"
            let places = writer.places(in: section.key)
            switch section.value {
            case .section(let fields) where fields.count == places.count:
                text += "\(section.key):\n"
                for (field, place) in zip(fields, places) {
                    text += origin(of: place, in: files)
                    field.write(to: &text, indent: 2)
                }
            case .list(let items) where items.count == places.count:
                text += "\(section.key):\n"
                for (item, place) in zip(items, places) { text += origin(of: place, in: files) + "  - \(item.flow)\n" }
            default: section.write(to: &text)
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
