import MeshCore
import Planning
import Store
import SystemLayer

/// Shows the changes and conflicts of a merge.
struct MergeView {
    var merge: NetworkMerge
    /// Whether the user has chosen a side for conflicts.
    var isSettled: Bool

    /// Writes them as text or JSON.
    func show(in context: Context) {
        if let lines = context.json {
            for change in merge.changes {
                lines.write([
                    "type": "merge_change", "kind": change.kind.rawValue.json, "resource": change.resource.json,
                    "field": change.field?.json,
                ])
            }
            for conflict in merge.conflicts {
                lines.write([
                    "type": "merge_conflict", "resource": conflict.resource.json, "field": conflict.field.json,
                    "ours": conflict.ours?.json, "theirs": conflict.theirs?.json, "settled": .bool(isSettled),
                ])
            }
            lines.write([
                "type": "merge", "changes": .integer(merge.changes.count), "conflicts": .integer(merge.conflicts.count),
            ])
            return
        }
        let style = context.style
        for change in merge.changes {
            let (sign, dress): (String, Style.Dress) =
                switch change.kind {
                case .added: ("+", .create)
                case .changed: ("~", .update)
                case .removed: ("-", .delete)
                }
            let field = change.field.map { "  " + $0 } ?? ""
            context.output.line("\(style(dress, sign)) \(change.resource.printable)\(field.printable)")
        }
        for conflict in merge.conflicts {
            context.output.line("\(style(.error, "!")) \(conflict.resource.printable)  \(conflict.field.printable)")
            guard !conflict.isContradiction else { continue }
            context.output.line(
                "    ours: \((conflict.ours ?? "(not shown)").printable), theirs: \((conflict.theirs ?? "(not shown)").printable)"
            )
        }
        if merge.changes.isEmpty, merge.conflicts.isEmpty {
            context.output.line("Both are the same; nothing to merge.")
            return
        }
        context.output.line(
            "Merge: \(count(merge.changes.count, "change")), \(count(merge.conflicts.count, "conflict"))"
                + (isSettled && !merge.conflicts.isEmpty ? ", resolved as requested." : ".")
        )
    }
}
