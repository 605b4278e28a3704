package import DefinitionModel
import MeshCore

/// A subnet, application key or group of a definition: what it is, who uses it, and which lines say so.
package struct ResourceExplanation: Hashable, Sendable {
    /// Another resource of the network that names it.
    package struct Reference: Hashable, Sendable {
        /// Its address as in plans: `application_key.lighting`.
        package var path: String
        package var location: SourceLocation
    }

    /// The uses that one line brings to nodes.
    package struct Use: Hashable, Sendable {
        /// The address of the user, as in plans, without the node.
        package var path: String
        package var source: ValueSource
        /// The names of the nodes, in the order of the definition; never empty.
        package var nodes: [String]
    }

    /// Its address as in plans: `group.kitchen`.
    package var path: String
    package var location: SourceLocation
    package var values: [ExplainedValue]
    /// Other resources of the network that name it.
    package var references: [Reference]
    /// The nodes that use it, in the order in which the definition first says so.
    package var uses: [Use]
    /// Whether nodes were not looked at because there are too many.
    package var isCut = false
}

extension Explainer {
    /// Explains the subnet, application key or group that `subnet.NAME`, `key.NAME`, `application_key.NAME` or
    /// `group.NAME` names; nil if the definition does not contain it.
    ///
    /// - Parameter limit: the most nodes that are looked at, of those that may use it. Explaining ten thousand takes
    ///   seconds.
    package func resource(_ text: String, lookingAt limit: Int = .max) -> ResourceExplanation? {
        guard let dot = text.firstIndex(of: ".") else { return nil }
        let name = String(text[text.index(after: dot)...])
        switch text[..<dot] {
        case "subnet": return subnet(name, limit)
        case "key", "application_key": return applicationKey(name, limit)
        case "group": return group(name, limit)
        default: return nil
        }
    }

    /// The addresses that ``resource(_:)`` and ``node(_:)`` can explain.
    package var paths: [String] {
        nodeNames.map { "node." + $0 } + definition.subnets.map { "subnet." + $0.name.value }
            + definition.applicationKeys.map { "key." + $0.name.value }
            + definition.groups.map { "group." + $0.name.value }
    }

    private func subnet(_ name: String, _ limit: Int) -> ResourceExplanation? {
        guard let declared = definition.subnets.first(where: { $0.name.value == name }),
            let desired = state.subnets.first(where: { $0.name.value == name })
        else { return nil }
        let index = given("index", "\(desired.index)", at: declared.index?.location, isRecorded(desired.recordedName))
        let (uses, isCut) = uses(of: .netKey(desired.index), limit)
        return ResourceExplanation(
            path: "subnet." + name,
            location: declared.name.location,
            values: [
                index, key(declared.key, isRecorded(desired.recordedName)),
                protection(declared.isProtected, desired.wasProtected),
            ],
            references: definition.applicationKeys.filter { $0.subnet.value == name }.map {
                ResourceExplanation.Reference(path: "application_key." + $0.name.value, location: $0.subnet.location)
            },
            uses: uses,
            isCut: isCut
        )
    }

    private func applicationKey(_ name: String, _ limit: Int) -> ResourceExplanation? {
        guard let declared = definition.applicationKeys.first(where: { $0.name.value == name }),
            let desired = state.applicationKeys.first(where: { $0.name.value == name })
        else { return nil }
        let index = given("index", "\(desired.index)", at: declared.index?.location, isRecorded(desired.recordedName))
        let subnet = value("subnet", declared.subnet.value, at: declared.subnet.location, false)
        let (uses, isCut) = uses(of: .appKey(desired.index), limit)
        return ResourceExplanation(
            path: "application_key." + name,
            location: declared.name.location,
            values: [
                index, subnet, key(declared.key, isRecorded(desired.recordedName)),
                protection(declared.isProtected, desired.wasProtected),
            ],
            references: [],
            uses: uses,
            isCut: isCut
        )
    }

    private func group(_ name: String, _ limit: Int) -> ResourceExplanation? {
        guard let declared = definition.groups.first(where: { $0.name.value == name }),
            let desired = state.groups.first(where: { $0.group.name == name })
        else { return nil }
        let address = desired.group.address
        var values = [given("address", address.description, at: declared.address?.location, desired.recorded != nil)]
        if let parent = declared.parent {
            values.append(value("parent", parent.value, at: parent.location, false))
        } else if let parent = desired.group.parent {
            values.append(value("parent", names.group(parent), at: nil, true))
        }
        values.append(protection(declared.isProtected, desired.recorded?.isProtected ?? false))
        let (uses, isCut) = uses(of: .group(address), limit)
        return ResourceExplanation(
            path: "group." + name,
            location: declared.name.location,
            values: values,
            references: definition.groups.compactMap { child in
                guard let parent = child.parent, parent.value == name else { return nil }
                return ResourceExplanation.Reference(path: "group." + child.name.value, location: parent.location)
            },
            uses: uses,
            isCut: isCut
        )
    }

    /// A value that is assigned if no line sets it.
    private func given(
        _ name: String,
        _ text: String,
        at location: SourceLocation?,
        _ isRecorded: Bool
    ) -> ExplainedValue {
        var value = value(name, text, at: location, isRecorded)
        if location == nil, !isRecorded { value.sources = [ValueSource(way: .plan)] }
        return value
    }

    private func isRecorded(_ name: String?) -> Bool { name != nil }

    private func value(
        _ name: String,
        _ text: String,
        at location: SourceLocation?,
        _ isRecorded: Bool
    ) -> ExplainedValue {
        let way: ValueSource.Way = location != nil ? .network : isRecorded ? .database : .builtIn
        return ExplainedValue(name: name, value: text, sources: [ValueSource(way: way, location: location)])
    }

    /// The source of a key's octets; never the octets.
    private func key(_ source: Located<KeySource>?, _ isRecorded: Bool) -> ExplainedValue {
        let text: String
        switch source?.value ?? .generated {
        case .generated: text = isRecorded ? "in the database" : "generated at apply"
        case .file(let path): text = "file \(path)"
        case .environment(let name): text = "environment variable \(name)"
        case .formerNetKey(_, let serial), .formerAppKey(_, let serial): text = "as it was at serial \(serial)"
        }
        return value("key", text, at: source?.location, isRecorded)
    }

    private func protection(_ declared: Located<Bool>?, _ wasProtected: Bool) -> ExplainedValue {
        value("protect", ValueText.state(declared?.value ?? wasProtected), at: declared?.location, wasProtected)
    }

    /// The uses of a resource by nodes, merged if one line brings them to many.
    private func uses(of resource: NetworkResource, _ limit: Int) -> ([ResourceExplanation.Use], isCut: Bool) {
        struct Cause: Hashable {
            var path: String
            var source: ValueSource
        }
        var places: [Cause: Int] = [:]
        var uses: [ResourceExplanation.Use] = []
        var looked = 0
        for number in definition.nodes.indices where mayUse(number, resource) {
            guard looked < limit else { return (uses, true) }
            looked += 1
            guard let node = explanation(ofNode: number) else { continue }
            for value in node.values where value.value != nil && !value.isLeftOut && value.uses.contains(resource) {
                var needs: Set<String> = []
                for source in value.sources {
                    // What follows from a use is not another use. Of a subnet's keys, each is listed once.
                    if let need = source.need {
                        guard case .netKey = resource, needs.insert(need).inserted else { continue }
                    }
                    let cause = Cause(path: value.path, source: source)
                    if let index = places[cause] {
                        uses[index].nodes.append(node.name)
                    } else {
                        places[cause] = uses.count
                        uses.append(
                            ResourceExplanation.Use(path: value.path, source: source, nodes: [node.name])
                        )
                    }
                }
            }
        }
        return (uses, false)
    }

    /// Whether a node may use a resource. Most groups belong to a few nodes, which can be told without explaining all.
    private func mayUse(_ number: Int, _ resource: NetworkResource) -> Bool {
        guard case .group(let group) = resource, let index = resolver.desiredNumbers[number] else { return true }
        // What rules add to a model depends on what the node is made of.
        guard subscriptionRules[number] == nil, publicationRules[number] == nil else { return true }
        guard state.nodes[index].settings.states.isEmpty, state.nodes[index].settings.bridgingTable == nil else {
            return true
        }
        return state.nodes[index].models.contains { model in
            model.subscriptions?.value.contains(group) == true || model.publication?.value?.target.group == resource
        }
    }
}
