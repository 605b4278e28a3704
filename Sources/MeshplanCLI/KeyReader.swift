internal import Execution
internal import MeshCore

/// Makes keys and reads them from where the definition says; no key stands in an error.
struct KeyReader {
    /// The effects.
    var context: Context

    /// The key of a source; paths start from the working folder.
    func key(from source: KeySource) throws(ExecutionContext.KeyError) -> KeyMaterial {
        switch source {
        case .generated:
            var generator = context.randomNumbers
            return .random(using: &generator)
        case .file(let path):
            let bytes: [UInt8]
            do {
                bytes = try Files.read(context.absolute(path), as: path, limit: 4096)
            } catch {
                throw ExecutionContext.KeyError(error.message)
            }
            return try key(String(decoding: bytes, as: UTF8.self), of: "the file \(path)")
        case .environment(let name):
            guard let text = context.environment[name] else {
                throw ExecutionContext.KeyError("the environment variable \(name) is not set")
            }
            return try key(text, of: "the environment variable \(name)")
        }
    }

    private func key(_ text: String, of place: String) throws(ExecutionContext.KeyError) -> KeyMaterial {
        guard let octets = Octets16(hexadecimal: text.trimmed) else {
            throw ExecutionContext.KeyError("\(place) does not hold a key of 32 hexadecimal digits")
        }
        return KeyMaterial(octets)
    }
}

extension Definition {
    /// The definition with the paths of key files made relative to the working folder instead of the file that names
    /// them, so that a saved plan knows them without the definition.
    func resolvingKeyFiles(in files: SourceFiles) -> Definition {
        var definition = self
        for index in definition.subnets.indices {
            definition.subnets[index].key = definition.subnets[index].key?.resolvingFile(in: files)
        }
        for index in definition.applicationKeys.indices {
            definition.applicationKeys[index].key = definition.applicationKeys[index].key?.resolvingFile(in: files)
        }
        return definition
    }
}

extension Located where Value == KeySource {
    fileprivate func resolvingFile(in files: SourceFiles) -> Located<KeySource> {
        guard case .file(let path) = value, !path.hasPrefix("/") else { return self }
        let file = files.path(of: location)
        guard let slash = file.lastIndex(of: "/") else { return self }
        return Located(.file(file[...slash] + path), at: location)
    }
}
