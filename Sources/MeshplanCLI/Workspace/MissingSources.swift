import DefinitionModel
import MeshCore
import Planning
import SystemLayer

/// Finds keys whose files or environment variables are missing.
///
/// Only `apply` reads them, and they may exist on another machine. So the definition is not wrong, but the user is
/// told.
struct MissingSources {
    /// The start of relative paths of key files.
    enum Base {
        case ofWorkingFolder
        /// The file that names the path.
        case ofDefinition(SourceFiles)
    }

    private let context: Context
    private let base: Base

    init(_ context: Context, paths base: Base) {
        self.context = context
        self.base = base
    }

    func notes(of definition: Definition) -> [Diagnostic] {
        keys(of: definition).compactMap { key in
            missing(key.source).map {
                Diagnostic(
                    .note,
                    "the key of \(key.title) comes from \($0); only apply needs it",
                    at: key.source.location,
                    resource: key.resource
                )
            }
        }
    }

    /// A warning for each key that a plan creates and whose source is missing.
    func warnings(of plan: Plan, _ definition: Definition) -> [Diagnostic] {
        let made = Set(plan.changes.lazy.filter { $0.action == .create && $0.node == nil }.map(\.address))
        guard !made.isEmpty else { return [] }
        return keys(of: definition).filter { made.contains($0.resource) }.compactMap { key in
            missing(key.source).map {
                Diagnostic(
                    .warning,
                    "the key of \(key.title) comes from \($0): apply could not make it",
                    at: key.source.location,
                    resource: key.resource,
                    hint: "Put it there before the apply, with 32 hexadecimal digits in it"
                )
            }
        }
    }

    private typealias Key = (title: String, resource: String, source: Located<KeySource>)

    private func keys(of definition: Definition) -> [Key] {
        let subnets = definition.subnets.compactMap { subnet -> Key? in
            subnet.key.map { ("subnet `\(subnet.name.value)`", "subnet.\(subnet.name.value)", $0) }
        }
        return subnets
            + definition.applicationKeys.compactMap { key -> Key? in
                key.key.map {
                    ("application key `\(key.name.value)`", "application_key.\(key.name.value)", $0)
                }
            }
    }

    private func missing(_ source: Located<KeySource>) -> String? {
        switch source.value {
        case .file(let path):
            let resolved = resolved(path, at: source.location)
            return Files.kind(context.absolute(resolved)) == nil
                ? "the file \(resolved.printable), which is not there" : nil
        case .environment(let name):
            return context.environment[name] == nil ? "the variable \(name.printable), which is not set" : nil
        case .generated, .formerNetKey, .formerAppKey: return nil
        }
    }

    private func resolved(_ path: String, at location: SourceLocation) -> String {
        guard case .ofDefinition(let files) = base else { return path }
        return files.resolving(path, namedAt: location)
    }
}
