extension ControlGraph {
    /// The graph in Graphviz' DOT language.
    package func dot() -> String {
        var lines = [
            "digraph \(quoted(network)) {", "  rankdir=LR;",
            "  node [shape=box, style=rounded, fontname=\"sans-serif\"];",
        ]
        for (number, box) in boxes.enumerated() {
            var attributes = ["label=\(quoted(caption(box).joined(separator: "\n")))"]
            if box.kind == .group { attributes.append("shape=ellipse") }
            if let colour = Palette.colour(box.mark) { attributes.append("color=\(quoted(colour))") }
            if box.mark == .missing { attributes.append("style=\"rounded,dashed\"") }
            lines.append("  b\(number) [\(attributes.joined(separator: ", "))];")
        }
        for arrow in arrows {
            let label = (arrow.models + arrow.keys.map { "key \($0)" }).joined(separator: "\n")
            lines.append("  b\(arrow.from) -> b\(arrow.to) [label=\(quoted(label)), fontsize=9];")
        }
        return lines.joined(separator: "\n") + "\n}\n"
    }

    /// The graph in Mermaid's language, which many hosts of git repositories draw in Markdown.
    package func mermaid() -> String {
        var lines = ["flowchart LR"]
        for (number, box) in boxes.enumerated() {
            let caption = caption(box).map { mermaidText($0) }.joined(separator: "<br/>")
            lines.append("  b\(number)" + (box.kind == .group ? "([\"\(caption)\"])" : "[\"\(caption)\"]"))
            if let colour = Palette.colour(box.mark) {
                let dashes = box.mark == .missing ? ",stroke-dasharray:5 3" : ""
                lines.append("  style b\(number) stroke:\(colour),stroke-width:2px\(dashes)")
            }
        }
        for arrow in arrows {
            let label = arrow.keys.map { mermaidText($0) }.joined(separator: ", ")
            lines.append("  b\(arrow.from) -->" + (label.isEmpty ? "" : "|\"\(label)\"|") + " b\(arrow.to)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// What stands in a box, line by line.
    private func caption(_ box: Box) -> [String] {
        let roles = (box.isRelay ? ["relay"] : []) + (box.isProxy ? ["proxy"] : [])
        let title = box.mark.sign.isEmpty ? box.title : "\(box.mark.sign) \(box.title)"
        return [title, box.detail, roles.joined(separator: ", ")].filter { !$0.isEmpty }
    }

    /// A string of DOT: backslashes and quotes are escaped, and a line break is `\n`.
    private func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar.value < 0x20 ? "\u{FFFD}" : scalar)
            }
        }
        return result + "\""
    }

    /// Text between quotes in Mermaid, which knows no escapes but entities.
    private func mermaidText(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "#quot;"
            case "#": result += "#35;"
            case "&": result += "#amp;"
            case "<": result += "#lt;"
            case ">": result += "#gt;"
            default: result.unicodeScalars.append(scalar.value < 0x20 ? "\u{FFFD}" : scalar)
            }
        }
        return result
    }
}
