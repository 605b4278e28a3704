/// Selects the files of a folder that make up a definition.
package enum DefinitionPaths {
    /// The names that belong to a definition, among file names without their folder: those that end in `.yaml` or
    /// `.yml` and do not start with a dot, without the lock file and the list of a fleet, in the order of their octets.
    package static func definitionFiles(among names: some Sequence<String>) -> [String] {
        names.filter { name in
            !name.hasPrefix(".") && name != StateLock.fileName && name != FleetFile.fileName
                && (name.hasSuffix(".yaml") || name.hasSuffix(".yml"))
        }
        .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
