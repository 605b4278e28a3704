import DefinitionModel
import MeshCore
import Planning

/// Shows which line of the definition sets each value of a node, or what uses a part of the network.
struct ExplanationView {
    /// The files that locations point into.
    var files: SourceFiles
    var style: Style

    /// The columns from which values are broken at their commas.
    private static let valueWidth = 34
    /// The columns from which a model's undeclared values are broken.
    private static let undeclaredWidth = 72
    /// The most nodes named in one line.
    private static let nodesShown = 4

    /// A row of the table, or a heading within it.
    private enum Line {
        case heading(String)
        case row([String])
    }

    func render(_ node: NodeExplanation) -> String {
        var text = style(.bold, "Node \(node.name.printable)") + "  \(node.address?.description ?? "no address yet")"
        text += "  \(position(node.location))\n"
        if node.uuid == nil {
            text += "It is a place that awaits its device.\n"
        } else if !node.isRecorded {
            text += "It is not in the database yet; apply provisions it.\n"
        }
        var lines: [Line] = [.row(["  VALUE OF", "VALUE", "SET BY", "WHERE", "BECAUSE OF"])]
        var place: ExplainedValue.Place?
        for value in node.values {
            if value.place != place, let next = value.place {
                place = next
                let name = next.name.printable
                let place = next.element.map { "Element \($0), \(name)" } ?? "Any element with \(name)"
                lines += [.heading(""), .heading(place)]
            }
            lines += self.lines(of: value)
        }
        text += "\n" + render(lines)
        guard !node.undeclared.isEmpty else { return text }
        return text + "\n" + style(.bold, "Not declared") + ", as recorded\n" + undeclared(node.undeclared)
    }

    /// Values that no line sets: states of the node and a line per model, with a note at those that apply removes.
    private func undeclared(_ values: [UndeclaredValue]) -> String {
        var table = Table()
        var model: ModelAddress?
        for value in values {
            let dropped = value.isDropped ? "no line declares it any more, so apply removes it" : ""
            guard let place = value.model, let prefix = value.modelPath, !value.isDropped else {
                model = nil
                table.rows.append([value.path.printable, value.value.printable, dropped])
                continue
            }
            let name = String(value.path.dropFirst(prefix.count + 1)).printable
            if model == place, let last = table.rows.indices.last {
                if (table.rows[last][1] + name).displayWidth <= Self.undeclaredWidth {
                    table.rows[last][1] += ", " + name
                } else {
                    table.rows.append(["", name])
                }
            } else {
                table.rows.append([prefix.printable, name])
            }
            model = place
        }
        return table.render(style, indent: "  ")
    }

    /// The explanation of a subnet, application key or group.
    func render(_ resource: ResourceExplanation) -> String {
        var text = style(.bold, resource.path.printable) + "  \(position(resource.location))\n\n"
        text += render(
            [.row(["  VALUE OF", "VALUE", "SET BY", "WHERE", "BECAUSE OF"])] + resource.values.flatMap(lines)
        )
        if !resource.references.isEmpty {
            var table = Table()
            table.rows = resource.references.map { [$0.path.printable, position($0.location)] }
            text += "\n" + style(.bold, "Named by") + "\n" + table.render(style, indent: "  ")
        }
        guard !resource.uses.isEmpty else { return text + "\nNo node of the definition uses it.\n" }
        var table = Table(["USED AS", "SET BY", "WHERE", "NODES", "BECAUSE OF"])
        for use in resource.uses {
            table.rows.append([
                use.path.printable, use.source.way.text.printable, use.source.location.map(position) ?? "",
                nodes(use.nodes), use.source.need?.printable ?? "",
            ])
        }
        if resource.uses.allSatisfy({ $0.source.need == nil }) { table.header?.removeLast() }
        return text + "\n" + table.render(style, indent: "  ")
    }

    private func nodes(_ names: [String]) -> String {
        if names.count <= Self.nodesShown { return names.map(\.printable).joined(separator: ", ") }
        let shown = names.prefix(Self.nodesShown - 1).map(\.printable).joined(separator: ", ")
        return "\(shown) and \(names.count - Self.nodesShown + 1) more"
    }

    private func lines(of value: ExplainedValue) -> [Line] {
        var lines: [Line] = []
        let source = value.sources.first
        let parts = broken(value.value?.printable ?? "none")
        let location = source?.location.map(position) ?? ""
        var need = source?.need?.printable ?? ""
        let more = value.sources.count - 1
        if more > 0 { need += (need.isEmpty ? "and " : ", and ") + count(more, "other line") }
        lines.append(.row(["  " + value.name.printable, parts[0], source?.way.text.printable ?? "", location, need]))
        lines += parts.dropFirst().map { .row(["", $0]) }
        if value.isLeftOut {
            lines.append(
                .row(["", value.value == "off" ? "which the node lacks anyway" : "left out: the node lacks it"])
            )
        }
        for other in value.overridden {
            let parts = broken("over " + (other.value?.printable ?? "none"))
            lines.append(
                .row(["", parts[0], other.source.way.text.printable, other.source.location.map(position) ?? ""])
            )
            lines += parts.dropFirst().map { .row(["", $0]) }
        }
        if case .differs(let recorded) = value.record, !value.isLeftOut {
            let parts = broken("recorded: " + (recorded?.printable ?? "none"))
            lines += parts.map { .row(["", $0]) }
        }
        return lines
    }

    /// The lines of one table. Headings stand between its rows and do not widen its columns.
    private func render(_ lines: [Line]) -> String {
        var table = Table()
        for case .row(let cells) in lines { table.rows.append(cells) }
        if table.rows.dropFirst().allSatisfy({ $0.count < 5 || $0[4].isEmpty }) { table.rows[0].removeLast() }
        var rendered = table.groups(style).makeIterator()
        return lines.enumerated().map { position, line in
            switch line {
            case .heading(let text): style(.bold, text) + "\n"
            case .row:
                (rendered.next() ?? []).map { (position == 0 ? style(.faint, $0) : $0) + "\n" }.joined()
            }
        }.joined()
    }

    /// The lines of a value, broken at commas if it is long.
    private func broken(_ value: String) -> [String] {
        guard value.displayWidth > Self.valueWidth else { return [value] }
        var lines: [String] = []
        for part in value.split(separator: ", ") {
            if let last = lines.last, last.displayWidth + part.count + 2 <= Self.valueWidth {
                lines[lines.count - 1] = "\(last), \(part)"
            } else {
                lines.append(String(part))
            }
        }
        return lines
    }

    private func position(_ location: SourceLocation) -> String {
        let place = "\(files.path(of: location).printable):\(location.line):\(location.column)"
        return files.instances.title(of: location).map { "\(place) \($0.printable)" } ?? place
    }
}
