import DefinitionModel
import MeshCore
import Planning

/// Shows the YAML to write into a definition so that it agrees with the nodes, with comments that say where it belongs.
struct AdoptionView {
    var adoption: DriftAdoption
    var files: SourceFiles

    func render() -> String {
        guard !adoption.nodes.isEmpty || !adoption.groups.isEmpty else {
            return "# Nothing was read that others have changed; there is nothing to adopt.\n"
        }
        var text = "# Lines that make the definition agree with the nodes. No file was changed.\n"
        if !adoption.groups.isEmpty {
            text += "\n# Beside the other groups:\ngroups:\n"
            for line in adoption.groups { text += "  \(line.printable)\n" }
        }
        let written = adoption.nodes.filter { !$0.lines.isEmpty }
        if !written.isEmpty { text += "\nnodes:\n" }
        for node in written {
            text += "  # \(place(node.location)): in place of what this node says of the same\n"
            text += "  \(node.name.printable):\n"
            for line in node.lines { text += "    \(line.printable)\n" }
        }
        let noted = adoption.nodes.filter { !$0.notes.isEmpty }
        if !noted.isEmpty { text += "\n# By hand:\n" }
        for node in noted {
            for note in node.notes {
                let start = note.location.map { place($0) + ": " } ?? ""
                text += "# \(node.name.printable): \(start)\(note.text.worded.printable)\n"
            }
        }
        return text
    }

    private func place(_ location: SourceLocation?) -> String {
        guard let location else { return "in the definition" }
        return "\(files.path(of: location).printable):\(location.line)"
    }
}
