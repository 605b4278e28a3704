package import Catalogue
package import DefinitionModel
import MeshCore

/// What the files of a definition say.
package struct DefinitionReading: Sendable {
    /// One definition for each network, in the order of first mention.
    package let definitions: [Definition]
    /// The vendor models that the files describe; they serve all networks.
    package let vendorModels: [VendorModel]
    /// All problems, arranged for display. If one is an error, the definitions lack what could not be read and must not
    /// be used for planning.
    package var diagnostics: [Diagnostic]
    /// The files that the locations point into: the given ones, then files with vendor models and products that they
    /// name.
    package let files: SourceFiles
    /// What the definitions name or hold beside networks.
    let surroundings: DefinitionSurroundings
}

/// Reads definitions: files → YAML events → trees → fragments → one definition for each network, checked.
///
/// It is pure: the same files give the same definitions and diagnostics; whoever calls it loads the files with vendor
/// models that others name. Hostile files produce diagnostics within bounded memory and time.
package enum DefinitionReader {
    /// Reads all files as one run.
    ///
    /// - Parameter toleratesEmptySelectors: whether a selector that selects no node is only a warning. This is for text
    ///   that was applied before and cannot be edited; the planner has a guard for such selectors.
    /// - Returns: one definition for each network, in the order of first mention, and all problems, arranged for
    ///   display. If a diagnostic is an error, the definitions lack what could not be read and must not be used for
    ///   planning.
    package static func read(
        files: SourceFiles,
        toleratesEmptySelectors: Bool = false
    ) -> (definitions: [Definition], diagnostics: [Diagnostic]) {
        read(files: files, limits: ReadingLimits(), toleratesEmptySelectors: toleratesEmptySelectors)
    }

    /// Reads all files as one run, with the files with vendor models that they name.
    ///
    /// - Parameters:
    ///   - toleratesEmptySelectors: whether a selector that selects no node is only a warning.
    ///   - parsed: what was parsed at earlier readings of the same definition, and is kept for later ones.
    ///   - admits: whether a path lies where definitions may take files from that they include.
    ///   - load: gives the files at a path, which starts from the same folder as those of `files`: the file, or the
    ///     files of a folder; nothing if nothing is there, which is reported.
    package static func reading<Failure: Error>(
        _ files: SourceFiles,
        toleratesEmptySelectors: Bool = false,
        reusing parsed: ParsedFiles? = nil,
        admits: @escaping (String) -> Bool = { _ in true },
        loading load: @escaping (String) throws(Failure) -> [SourceFiles.File]
    ) throws(Failure) -> DefinitionReading {
        try reading(
            files,
            limits: ReadingLimits(),
            toleratesEmptySelectors: toleratesEmptySelectors,
            reusing: parsed,
            DocumentPass.Loading(load: load, admits: admits)
        )
    }

    /// Reads all files within given limits.
    static func read(
        files: SourceFiles,
        limits: ReadingLimits,
        toleratesEmptySelectors: Bool = false
    ) -> (definitions: [Definition], diagnostics: [Diagnostic]) {
        let none = { (path: String) throws(Never) -> [SourceFiles.File] in [] }
        let reading = reading(
            files,
            limits: limits,
            toleratesEmptySelectors: toleratesEmptySelectors,
            DocumentPass.Loading(load: none) { _ in true }
        )
        return (reading.definitions, reading.diagnostics)
    }

    /// Reads all files within given limits, with those that they name.
    static func reading<Failure: Error>(
        _ files: SourceFiles,
        limits: ReadingLimits,
        toleratesEmptySelectors: Bool = false,
        reusing parsed: ParsedFiles? = nil,
        _ loading: DocumentPass.Loading<Failure>
    ) throws(Failure) -> DefinitionReading {
        let decoder = DocumentDecoder(
            limits: limits,
            symbols: parsed?.symbols ?? SymbolTable(),
            known: parsed.map { KnownTrees($0.files) }
        )
        var pass = DocumentPass(decoder, files: files, limits: limits)
        try pass.read(loading)
        var missing: [Located<String>] = []
        let admitted = pass.admitted(pass.decoder.productFiles, loading)
        let products = try NamedFiles(admitted, among: pass.files, loading: loading.load)
        let areAmongFiles = products.places.contains { $0 < files.files.count }
        if pass.decoder.usesVendorModels || areAmongFiles {
            // Only now the names of the models are known that all documents may use, also those before, and which files
            // hold nothing but products.
            let admitted = pass.admitted(pass.decoder.modelFiles, loading)
            let named = try NamedFiles(admitted, among: products.files, loading: loading.load)
            missing = named.missing
            let lacksModels = !missing.isEmpty || admitted.count < pass.decoder.modelFiles.count
            pass = try pass.again(with: named, lacksModels, products: products.places, limits: limits, loading)
        } else {
            pass.append(products.files.files.dropFirst(pass.files.files.count))
        }
        pass.reportOutside(pass.decoder.productFiles + pass.decoder.modelFiles, loading)
        let described = pass.readProducts(products)
        if let known = pass.decoder.known { parsed?.keep(known, pass.decoder.symbols) }
        for name in missing {
            pass.decoder.diagnostics.report(
                "there is no YAML file \(quoted(name.value)) with vendor models",
                at: name.location,
                length: name.value.utf8.count,
                hint: "paths start from the folder of the file that names them and end in .yaml or .yml; "
                    + "a folder stands for its YAML files"
            )
        }
        let models = pass.decoder.vendorModels.resolved(into: &pass.decoder.diagnostics)
        var networks = FragmentMerge.merge(pass.fragments, into: &pass.decoder.diagnostics)
        let assignments = Self.assignments(pass.files, limits: limits, into: &pass.decoder.diagnostics)
        for index in networks.indices {
            let network = networks[index].definition.network.value
            AssignmentMerge.merge(assignments[network] ?? [], into: &networks[index], &pass.decoder.diagnostics)
            networks[index].definition.modelNames = pass.decoder.modelNames
            networks[index].definition.vendorModels = models
            networks[index].definition.products = described
            // Selectors of `defaults` are used before all others: to find the tags, and then by tags.
            let work = SelectionWork(limits)
            let ofDefaults = networks[index].definition.defaults.compactMap(\.nodes)
            guard work.allows(ofDefaults, networks[index], &pass.decoder.diagnostics) else { continue }
            guard networks[index].definition.inheritTags(atMost: limits.inheritedTags) else {
                pass.decoder.diagnostics.report(
                    "nodes inherit more than \(limits.inheritedTags) tags in all",
                    at: networks[index].definition.network.location,
                    hint: "give profiles and entries of `defaults` only the tags that selectors ask for"
                )
                continue
            }
            guard work.allows(ofDefaults, networks[index], &pass.decoder.diagnostics) else { continue }
            networks[index].definition.inheritPolicies()
            let entries = pass.entriesForTags(of: network)
            pass.decoder.decodeEntriesForTags(entries, into: &networks[index])
        }
        var diagnostics = pass.decoder.diagnostics
        // What was expanded in part only has many mistakes that say nothing.
        for network in networks where !pass.decoder.expansion.isExhausted {
            guard SelectionWork(limits).allows(network.definition.selectors, network, &diagnostics) else { continue }
            Checks.run(network, toleratesEmptySelectors: toleratesEmptySelectors, into: &diagnostics)
        }
        var files = pass.files
        files.instances = diagnostics.instances
        return DefinitionReading(
            definitions: networks.map(\.definition),
            vendorModels: models,
            diagnostics: diagnostics.finished(),
            files: files,
            surroundings: DefinitionSurroundings(of: pass.decoder, files)
        )
    }
}

extension DefinitionReader {
    /// The assignments among the files, by network.
    private static func assignments(
        _ files: SourceFiles,
        limits: ReadingLimits,
        into diagnostics: inout DiagnosticCollector
    ) -> [String: [AssignmentsFile.Assignment]] {
        var assignments: [String: [AssignmentsFile.Assignment]] = [:]
        for (index, file) in files.files.enumerated() {
            guard let network = AssignmentsFile.network(ofFile: file.path) else { continue }
            let read = AssignmentsFile(
                file.bytes,
                file: UInt32(clamping: index),
                limits: limits,
                into: &diagnostics
            )
            assignments[network, default: []] += read.assignments
        }
        return assignments
    }
}

extension DocumentPass {
    /// The same way with the names of the vendor models that this one and the named files declare.
    fileprivate func again<Failure: Error>(
        with named: NamedFiles,
        _ lacksModels: Bool,
        products: Set<Int>,
        limits: ReadingLimits,
        _ loading: Loading<Failure>
    ) throws(Failure) -> DocumentPass {
        var scout = DocumentPass(DocumentDecoder(limits: limits), files: named.files, limits: limits)
        scout.read(onlyModelFiles: named.places)
        // The trees of both ways refer to the same symbols.
        var decoder = DocumentDecoder(limits: limits, symbols: self.decoder.symbols, known: self.decoder.known)
        // A file that is named and is also one of the definition has declared its models in this pass already.
        let all = VendorModelDeclarations(models: scout.decoder.vendorModels.models + self.decoder.vendorModels.models)
        decoder.modelNames = all.names
        // What is wrong with them is reported when the models of all files are resolved, at the end.
        var unused = DiagnosticCollector(limit: 0)
        decoder.knownModels = KnownModels(all.resolved(into: &unused))
        decoder.brokenModels = scout.decoder.brokenModels.union(self.decoder.brokenModels)
        decoder.lacksModels = lacksModels || scout.decoder.diagnostics.hasErrors
        var pass = DocumentPass(decoder, files: named.files, limits: limits)
        try pass.read(modelFiles: named.places, productFiles: products, loading)
        return pass
    }
}

extension DocumentDecoder {
    /// Whether the documents describe vendor models, or name files that do.
    fileprivate var usesVendorModels: Bool {
        !modelFiles.isEmpty || !vendorModels.models.isEmpty || !brokenModels.isEmpty
    }
}
