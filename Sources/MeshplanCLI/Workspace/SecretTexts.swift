import DefinitionModel
import Execution
import SystemLayer

/// Reads files and variables with keys and secrets, each once: a run uses the octets that its plan was shown and
/// approved with, whatever stands in the file by then. Errors never contain a secret.
final class SecretTexts {
    private let context: Context
    private var known: [Key: Result<String, ExecutionContext.KeyError>] = [:]

    private struct Key: Hashable {
        var source: SecretSource
        var isSecret: Bool
    }

    init(_ context: Context) { self.context = context }

    /// The text of a source. Paths are relative to the working folder.
    ///
    /// - Parameter isSecret: whether to refuse a file that others than its owner may use.
    /// - Throws: the reason why there is none.
    func text(of source: SecretSource, isSecret: Bool = true) throws(ExecutionContext.KeyError) -> String {
        let key = Key(source: source, isSecret: isSecret)
        if let result = known[key] { return try result.get() }
        let result = Result { () throws(ExecutionContext.KeyError) in try read(source, isSecret: isSecret) }
        known[key] = result
        return try result.get()
    }

    private func read(_ source: SecretSource, isSecret: Bool) throws(ExecutionContext.KeyError) -> String {
        switch source {
        case .file(let path):
            do {
                let bytes = try context.read(
                    path,
                    inside: [context.repository(of: path)],
                    limit: 4096,
                    isSecret: isSecret
                )
                if isSecret { FailureView(context).show(GitIgnore.keepOut(path, context)) }
                return String(decoding: bytes, as: UTF8.self)
            } catch {
                throw ExecutionContext.KeyError(error.message)
            }
        case .environment(let name):
            guard let text = context.environment[name] else {
                throw ExecutionContext.KeyError("the environment variable \(name) is not set")
            }
            return text
        }
    }
}

extension SecretSource {
    /// What it is, for messages.
    var title: String {
        switch self {
        case .file(let path): "the file \(path)"
        case .environment(let name): "the environment variable \(name)"
        }
    }
}

extension KeySource {
    /// Where the key stands; nil if it is generated, or stands in the database.
    var text: SecretSource? {
        switch self {
        case .file(let path): .file(path)
        case .environment(let name): .environment(name)
        case .generated, .formerNetKey, .formerAppKey: nil
        }
    }
}
