import DefinitionModel
import Definitions
import MeshCore
import SystemLayer

/// Looks at the files with keys and static values that definitions name, without reading them. A file that is not there
/// may be on another machine, and is no mistake.
struct SecretFiles {
    private let context: Context

    init(_ context: Context) { self.context = context }

    /// An error for each file that `apply` would refuse.
    func problems(of reading: DefinitionReading) -> [Diagnostic] {
        var seen: Set<String> = []
        return reading.definitions.flatMap { definition in
            Self.paths(in: definition.resolvingKeyFiles(in: reading.files)).compactMap { path in
                seen.insert(path.value).inserted ? problem(path) : nil
            }
        }
    }

    private static func paths(in definition: Definition) -> [Located<String>] {
        let keys = definition.subnets.compactMap(\.key) + definition.applicationKeys.compactMap(\.key)
        var paths = keys.compactMap { key -> Located<String>? in
            guard case .file(let path) = key.value else { return nil }
            return Located(path, at: key.location)
        }
        for node in definition.nodes {
            guard let source = node.provisioning?.staticValue, case .file(let path) = source.value else { continue }
            paths.append(Located(path, at: source.location))
        }
        return paths
    }

    private func problem(_ path: Located<String>) -> Diagnostic? {
        do throws(FileError) {
            try Files.checkReadable(
                context.absolute(path.value),
                as: path.value.printable,
                inside: [context.repository(of: path.value)],
                isSecret: true
            )
            return nil
        } catch {
            guard !error.isMissing else { return nil }
            return Diagnostic(
                .error,
                error.message,
                at: path.location,
                hint: error.hint.map { Advice($0) }
            )
        }
    }
}
