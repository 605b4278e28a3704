import DefinitionModel
import MeshCore

extension Definition {
    /// The definition with paths of files with keys and secrets relative to the working folder, not to the file that
    /// names them. A saved plan can then find them without the definition.
    func resolvingKeyFiles(in files: SourceFiles) -> Definition {
        var definition = self
        for index in definition.subnets.indices {
            definition.subnets[index].key = definition.subnets[index].key?.resolvingFile(in: files)
        }
        for index in definition.applicationKeys.indices {
            definition.applicationKeys[index].key = definition.applicationKeys[index].key?.resolvingFile(in: files)
        }
        // A network has many nodes, and few configure provisioning.
        for index in definition.nodes.indices where definition.nodes[index].provisioning != nil {
            definition.nodes[index].provisioning = definition.nodes[index].provisioning?.resolvingFiles(in: files)
        }
        return definition
    }

    /// The definition with all paths relative to the working folder, so that it can stand in a file there.
    func resolvingAllFiles(in files: SourceFiles) -> Definition {
        var definition = resolvingKeyFiles(in: files)
        for index in definition.floors.indices {
            definition.floors[index].plan = definition.floors[index].plan?.resolved(in: files)
            definition.floors[index].positions = definition.floors[index].positions?.resolved(in: files)
        }
        return definition
    }
}

extension ProvisioningSettings {
    fileprivate func resolvingFiles(in files: SourceFiles) -> ProvisioningSettings {
        var settings = self
        if let source = staticValue, case .file(let path) = source.value {
            settings.staticValue?.value = .file(files.resolving(path, namedAt: source.location))
        }
        settings.publicKeyFile = publicKeyFile?.resolved(in: files)
        return settings
    }
}

extension Located where Value == KeySource {
    fileprivate func resolvingFile(in files: SourceFiles) -> Located<KeySource> {
        guard case .file(let path) = value else { return self }
        return Located(.file(files.resolving(path, namedAt: location)), at: location)
    }
}

extension Located<String> {
    fileprivate func resolved(in files: SourceFiles) -> Located<String> {
        Located(files.resolving(value, namedAt: location), at: location)
    }
}
