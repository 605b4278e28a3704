import DefinitionModel
import MeshCore
import Planning
import SystemLayer

/// From which instances of modules and repetitions the resources of a plan come.
struct PlanOrigins {
    private var nodes: [DeviceUUID: SourceLocation] = [:]
    private var resources: [String: SourceLocation] = [:]
    private let files: SourceFiles

    /// - Parameters:
    ///   - definition: the definition that was planned.
    ///   - files: the files that its locations point into.
    init(_ definition: Definition, _ files: SourceFiles) {
        self.files = files
        func isInstance(_ location: SourceLocation) -> Bool { files.instances[location.file] != nil }
        for node in definition.nodes where isInstance(node.name.location) {
            nodes[node.uuid.value] = node.name.location
        }
        let named: [(String, Located<String>)] =
            definition.subnets.map { ("subnet", $0.name) } + definition.groups.map { ("group", $0.name) }
            + definition.applicationKeys.map { ("application_key", $0.name) }
        for (noun, name) in named where isInstance(name.location) { resources["\(noun).\(name.value)"] = name.location }
    }

    /// The place and instance of a node; nil if it comes from none.
    func place(of node: DeviceUUID) -> JSONValue? { nodes[node].map(place) }

    /// The place and instance of what a change is about; nil if it comes from none.
    func place(of change: Change) -> JSONValue? {
        if let node = change.node { return place(of: node) }
        return (resources[change.address] ?? change.previousAddress.flatMap { resources[$0] }).map(place)
    }

    private func place(_ location: SourceLocation) -> JSONValue {
        .object([
            "file": files.path(of: location).json, "line": .integer(Int(location.line)),
            "column": .integer(Int(location.column)), "instance": files.instances.title(of: location)?.json,
        ])
    }
}
