import DefinitionModel
import MeshCore

extension DefinitionWriter {
    /// A check under its name.
    func check(_ check: CheckDefinition) -> Field {
        var fields = check.nodes.isAll && !check.nodes.mayBeEmpty ? [] : selection(check.nodes)
        if let tag = check.forEach { fields.append(Field("for_each", .text(tag.value))) }
        if !check.requirement.isEmpty { fields.append(Field("have", requirement(check.requirement))) }
        if let count = check.count { fields.append(Field("count", self.count(count.value))) }
        if check.isWarning { fields.append(Field("severity", .word("warning"))) }
        return Field(Value.text(check.name.value).flow, .fields(fields))
    }

    private func requirement(_ required: CheckRequirement) -> Value {
        var fields: [Field] = []
        if !required.tags.isEmpty { fields.append(Field("tags", checkedTags(required.tags))) }
        if !required.profiles.isEmpty { fields.append(Field("profile", oneOrSeveral(required.profiles.map(\.value)))) }
        let features = [("relay", required.relay), ("proxy", required.proxy), ("friend", required.friend)]
            .compactMap { name, isOn in isOn.map { Field(name, .state($0.value)) } }
        if !features.isEmpty { fields.append(Field("features", .fields(features))) }
        if let model = required.model { fields.append(Field("model", .word(model.value.name))) }
        if !required.keys.isEmpty { fields.append(Field("keys", oneOrSeveral(required.keys.map(\.value)))) }
        for (key, groups) in [("subscribe", required.subscribe), ("publish", required.publish)] where !groups.isEmpty {
            fields.append(Field(key, oneOrSeveral(groups.map(\.value.text))))
        }
        return .fields(fields)
    }

    private func checkedTags(_ tags: [CheckedTag]) -> Value {
        guard tags.contains(where: { !$0.values.isEmpty }) else { return oneOrSeveral(tags.map(\.name.value)) }
        return .fields(
            tags.map { tag in
                let values = tag.values.isEmpty ? ["*"] : tag.values.map(\.value)
                return Field(Value.quotedIfNeeded(tag.name.value), oneOrSeveral(values))
            }
        )
    }

    private func oneOrSeveral(_ texts: [String]) -> Value {
        texts.count == 1 ? .text(texts[0]) : .texts(texts)
    }

    private func count(_ count: CheckCount) -> Value {
        if let exactly = count.exactly { return .word("\(exactly)") }
        let limits = [("at_least", count.atLeast), ("at_most", count.atMost)]
        return .fields(limits.compactMap { key, number in number.map { Field(key, .word("\($0)")) } })
    }
}
