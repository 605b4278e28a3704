import MeshCore

extension NodeExplainer {
    /// The AppKeys of the node: those in its lists and those that its models need. If there is a list, it is complete,
    /// and other keys are removed.
    mutating func applicationKeys() -> [ExplainedValue] {
        let said = layers.compactMap { layer in layer.template.settings.applicationKeys.map { (layer.way, $0) } }
        let values = keys(
            said,
            needs: appKeyNeeds,
            recorded: node.appKeys.map(\.index),
            prefix: "application_key",
            name: names.appKey,
            record: { record(of: .appKey($0)) },
            use: { .appKey($0) }
        )
        for value in values where value.value != nil {
            for case .appKey(let key) in value.uses {
                guard let subnet = explainer.boundNetKeys[key] else { continue }
                need(subnet, by: value.path, value.sources)
            }
        }
        return values
    }

    /// The NetKeys of the node: those in its lists, and those of its AppKeys and states.
    func subnets() -> [ExplainedValue] {
        let said = layers.compactMap { layer in layer.template.settings.subnets.map { (layer.way, $0) } }
        var needs = netKeyNeeds
        if let order = desired.order, needs[order.netKeyIndex] == nil,
            said.first?.1.value.contains(order.netKeyIndex) != true
        {
            // A device that needs no subnet is provisioned into the lowest one.
            needs[order.netKeyIndex] = [ValueSource(way: .builtIn)]
        }
        return keys(
            said,
            needs: needs,
            recorded: node.netKeys.map(\.index),
            prefix: "subnet",
            name: names.netKey,
            record: { record(of: .netKey($0)) },
            use: { .netKey($0) }
        )
    }

    private func keys<Index: KeyIndex>(
        _ said: [(way: ValueSource.Way, declared: Declared<[Index]>)],
        needs: [Index: [ValueSource]],
        recorded: [Index],
        prefix: String,
        name: (Index) -> String,
        record: (Index) -> ExplainedValue.Record,
        use: (Index) -> NetworkResource
    ) -> [ExplainedValue] {
        var values: [ExplainedValue] = []
        let listed = said.first?.declared
        let listSource = said.first.map { ValueSource(way: $0.way, location: $0.declared.location) }
        let wanted = (needs.keys + (listed?.value ?? [])).sortedUnique()
        for index in wanted {
            var sources: [ValueSource] = []
            if listed?.value.contains(index) == true, let listSource { sources.append(listSource) }
            sources += needs[index] ?? []
            values.append(
                ExplainedValue(
                    name: "\(prefix).\(name(index))",
                    value: "index \(index)",
                    sources: sources,
                    record: record(index),
                    uses: [use(index)]
                )
            )
        }
        guard let listSource else { return values }
        let others = said.dropFirst().flatMap(\.declared.value)
        for index in ((isRecorded ? recorded : []) + others).sortedUnique() where !wanted.contains(index) {
            // AppKeys that are left alone keep their subnet.
            let record = record(index)
            if case .agrees = record, recorded.contains(index) { continue }
            let askers = said.dropFirst().filter { $0.declared.value.contains(index) }
            values.append(
                ExplainedValue(
                    name: "\(prefix).\(name(index))",
                    value: nil,
                    sources: [listSource],
                    overridden: askers.map {
                        OverriddenValue(
                            value: "index \(index)",
                            source: ValueSource(way: $0.way, location: $0.declared.location)
                        )
                    },
                    record: record
                )
            )
        }
        return values
    }
}
