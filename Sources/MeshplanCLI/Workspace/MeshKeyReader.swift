import DefinitionModel
import Execution
import MeshCore
import Store

/// Generates keys, or reads them from the sources that a definition names. Errors never contain a key.
struct MeshKeyReader {
    var context: Context
    /// The files and variables.
    var texts: SecretTexts
    /// The source of former keys; nil if no plan is carried out.
    var database: MeshDatabase?

    /// The key from a source. Paths are relative to the working folder.
    ///
    /// - Throws: the reason why the source has no usable key.
    func key(from source: KeySource) throws(ExecutionContext.KeyError) -> KeyMaterial {
        switch source {
        case .generated:
            var generator = context.randomNumbers
            return .random(using: &generator)
        case .file(let path): return try key(texts.text(of: .file(path)), of: "the file \(path)")
        case .environment(let name):
            return try key(texts.text(of: .environment(name)), of: "the environment variable \(name)")
        case .formerNetKey(let index, let serial):
            let key = try former(serial).netKeys.first { $0.index == index }
            guard let key else { throw ExecutionContext.KeyError("at serial \(serial) there was no NetKey \(index)") }
            return key.key
        case .formerAppKey(let index, let serial):
            let key = try former(serial).appKeys.first { $0.index == index }
            guard let key else { throw ExecutionContext.KeyError("at serial \(serial) there was no AppKey \(index)") }
            return key.key
        }
    }

    private func former(_ serial: UInt64) throws(ExecutionContext.KeyError) -> MeshNetwork {
        guard let database else { throw ExecutionContext.KeyError("there is no database to take a former key from") }
        do {
            return try database.snapshot(at: serial).network
        } catch {
            throw ExecutionContext.KeyError(error.message)
        }
    }

    private func key(_ text: String, of place: String) throws(ExecutionContext.KeyError) -> KeyMaterial {
        guard let octets = Octets16(hexadecimal: text.trimmed) else {
            throw ExecutionContext.KeyError("\(place) does not hold a key of 32 hexadecimal digits")
        }
        return KeyMaterial(octets)
    }
}
