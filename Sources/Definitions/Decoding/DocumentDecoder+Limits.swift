import DefinitionModel
import MeshCore

extension DocumentDecoder {
    /// `limits` at the top level: from how many of the managed nodes one plan may take something away.
    mutating func decodeLimits(_ field: MappingEntry) -> Located<Int>? {
        guard let fields = fields(field.value, .limits, "limits of plans", blamed: field.key) else { return nil }
        var removals: Located<Int>?
        for field in fields where field.keyword == .removals {
            removals = scalar(field.value, "a share of the nodes", Percentages.percentage)
        }
        return removals
    }
}
