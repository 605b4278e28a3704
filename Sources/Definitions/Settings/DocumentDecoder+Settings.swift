import DefinitionModel

extension DocumentDecoder {
    /// A file of settings: a mapping of ``SettingsFile/Key`` to values.
    mutating func decodeSettings(
        into settings: inout SettingsFile,
        _ check: (SettingsFile.Key, String) throws(SettingsFile.Problem) -> Void
    ) {
        guard !tree.nodes.isEmpty else { return }
        for field in entries(0, "a mapping of settings, such as `via: gatt`") ?? [] {
            let name = symbols.text(field.symbol)
            guard let key = SettingsFile.Key(rawValue: name) else {
                reportUnknownSetting(name, at: field.key)
                continue
            }
            var values: [Located<String>] = []
            if key.isList, tree.nodes[field.value].kind == .sequence {
                for item in list(field.value, key.title) ?? ListEntries() {
                    if let value = setting(key, item, check) { values.append(value) }
                }
            } else if let value = setting(key, field.value, check) {
                values.append(value)
            }
            if !values.isEmpty { settings.values[key] = values }
        }
    }

    private mutating func setting(
        _ key: SettingsFile.Key,
        _ node: Int,
        _ check: (SettingsFile.Key, String) throws(SettingsFile.Problem) -> Void
    ) -> Located<String>? {
        scalar(node, key.title) { (text) throws(ScalarProblem) in
            guard !text.isEmpty else { throw ScalarProblem("\(key.title) is expected here, not nothing") }
            do throws(SettingsFile.Problem) {
                try check(key, text)
            } catch {
                throw ScalarProblem(error.message, hint: error.hint)
            }
            return text
        }
    }

    private mutating func reportUnknownSetting(_ name: String, at node: Int) {
        // A search for each key would cost too much in a file of unknown keys.
        guard diagnostics.wants(.error) else { return diagnostics.drop(.error) }
        let allowed = SettingsFile.Key.allCases.map(\.rawValue)
        report(
            "there is no setting \(quoted(name))",
            at: node,
            hint: Suggestion.hint(for: name, among: allowed, are: "there are")
        )
    }
}
