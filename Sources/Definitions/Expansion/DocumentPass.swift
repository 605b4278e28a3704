package import DefinitionModel
import MeshCore

/// One way through the documents of all files. Documents that use modules, variables or other files are held until all
/// documents have been read, since a module may be declared anywhere; all others are decoded at once.
struct DocumentPass {
    /// A document that waits until all have been read.
    struct HeldDocument {
        var tree: DocumentTree
        var file: Int
        /// Its fragment; nil if it is only included by others.
        var fragment: Int?
        /// The files that it includes, with the places that say so.
        var includes: [(file: Int, name: Located<String>)] = []
    }

    /// The decoder, with everything that the documents declare beside fragments.
    var decoder: DocumentDecoder
    /// What the documents declare, in the order of files.
    var fragments: [Fragment] = []
    /// The files, with those that documents name.
    var files: SourceFiles
    let limits: ReadingLimits
    private var fragmentFiles: [Int] = []
    /// The networks of all fragments, also of those that were taken out since others include their files.
    private var networks: [String] = []
    var held: [HeldDocument] = []
    /// The held documents of files that others include.
    var included: [Int: [Int]] = [:]

    init(_ decoder: DocumentDecoder, files: SourceFiles, limits: ReadingLimits) {
        self.decoder = decoder
        self.files = files
        self.limits = limits
    }

    /// How an outsider gives what documents name.
    struct Loading<Failure: Error> {
        var load: (String) throws(Failure) -> [SourceFiles.File]
        /// Whether a path lies where definitions may take files from.
        var admits: (String) -> Bool
    }

    /// Reads the documents of all files, and of those that they include, and expands them.
    ///
    /// - Parameters:
    ///   - modelFiles: the files with nothing but vendor models, by their indexes.
    ///   - productFiles: the files with nothing but products, which are read later, by their indexes.
    mutating func read<Failure: Error>(
        modelFiles: Set<Int> = [],
        productFiles: Set<Int> = [],
        _ loading: Loading<Failure>
    ) throws(Failure) {
        for (index, file) in files.files.enumerated() where !file.path.hasSuffix(RowsTable.ending) {
            guard AssignmentsFile.network(ofFile: file.path) == nil, !productFiles.contains(index) else { continue }
            read(index, isIncluded: false, isOfModels: modelFiles.contains(index))
        }
        try readIncluded(loading)
        breakCircles()
        // A file of the run that another one includes belongs to that one's network.
        let taken = Set(held.flatMap(\.includes).map(\.file))
        for index in held.indices where taken.contains(held[index].file) { held[index].fragment = nil }
        try readRows(loading)
        expand()
        let onlyNetwork = onlyNetwork
        networks = fragments.map { $0.network?.value ?? onlyNetwork }
        fragments = zip(fragments, fragmentFiles).filter { !taken.contains($0.1) }.map(\.0)
    }

    /// Adds files that are read otherwise.
    mutating func append(_ further: some Sequence<SourceFiles.File>) { files.files += further }

    /// Reads only files with vendor models.
    mutating func read(onlyModelFiles modelFiles: Set<Int>) {
        for index in files.files.indices where modelFiles.contains(index) {
            read(index, isIncluded: false, isOfModels: true)
        }
    }

    mutating func readDevices(_ index: Int, into declarations: inout DeviceDeclarations) {
        let reader = FileReader(file: UInt32(clamping: index), limits: limits)
        reader.read(files.files[index], with: &decoder) { $0.decodeDevices(into: &declarations) }
    }

    mutating func read(_ index: Int, isIncluded: Bool, isOfModels: Bool = false) {
        let reader = FileReader(file: UInt32(clamping: index), limits: limits)
        reader.read(files.files[index], with: &decoder) { decoder in
            if isOfModels { return decoder.decodeModelsFile() }
            guard isIncluded || decoder.needsExpansion else {
                fragments.append(decoder.decodeFragment())
                fragmentFiles.append(index)
                return
            }
            var document = HeldDocument(tree: DocumentTree(), file: index)
            swap(&document.tree, &decoder.tree)
            if isIncluded {
                included[index, default: []].append(held.count)
            } else {
                document.fragment = fragments.count
                let start = document.tree.nodes[0]
                fragments.append(
                    Fragment(location: SourceLocation(file: UInt32(index), line: start.line, column: start.column))
                )
                fragmentFiles.append(index)
            }
            held.append(document)
        }
    }

    // MARK: - Expansion

    private mutating func expand() {
        guard !held.isEmpty else { return }
        let path = VariableValues.environmentPath
        decoder.expansion.environmentFile = files.files.firstIndex { $0.path == path }.map { UInt32($0) }
        for index in held.indices where held[index].tree.hasReferences {
            held[index].tree.findConstants(decoder.symbols)
        }
        for document in held {
            decoder.reading(document.tree, of: UInt32(document.file)) { decoder in
                decoder.beginDocument()
                decoder.declareForExpansion()
            }
        }
        decoder.settleVariables()
        for index in held.indices {
            if let fragment = held[index].fragment { decode(index, into: fragment) }
        }
        var uses: [(document: Int, fragment: Int)] = []
        var seen: Set<Inclusion> = []
        let onlyNetwork = onlyNetwork
        for index in held.indices {
            guard let fragment = held[index].fragment else { continue }
            uses.append((index, fragment))
            include(from: index, into: fragment, of: fragments[fragment].network?.value ?? onlyNetwork, &seen, &uses)
        }
        for (place, fragment) in uses {
            decoder.expansion.fragment = fragment
            swap(&decoder.fragment, &fragments[fragment])
            let origin = UInt32(held[place].file)
            decoder.decodeUses(
                of: DocumentDecoder.Body(source: held[place].tree, node: 0),
                at: DocumentDecoder.EmissionPlace(scope: decoder.expansion.globalScope, origin: origin)
            )
            swap(&decoder.fragment, &fragments[fragment])
        }
    }

    private struct Inclusion: Hashable {
        var network: String
        var file: Int
    }

    /// Decodes the files that a document includes, and those that these include, each once for a network.
    ///
    /// It does not call itself: in a folder, a chain of files may be as long as there are files.
    private mutating func include(
        from index: Int,
        into fragment: Int,
        of network: String,
        _ seen: inout Set<Inclusion>,
        _ uses: inout [(document: Int, fragment: Int)]
    ) {
        // What to take next stands at the end.
        enum Next {
            case file(Int)
            case document(Int)
        }
        var pending = held[index].includes.reversed().map { Next.file($0.file) }
        while let next = pending.popLast() {
            switch next {
            case .file(let file):
                guard seen.insert(Inclusion(network: network, file: file)).inserted else { continue }
                pending += (included[file] ?? []).reversed().map { .document($0) }
            case .document(let document):
                if let name = held[document].tree.value(of: .network, in: 0) {
                    let node = held[document].tree.nodes[name]
                    decoder.reportNode(
                        "a file that others include belongs to their network",
                        at: node,
                        origin: UInt32(held[document].file),
                        hint: "take `network` out of it"
                    )
                    continue
                }
                decode(document, into: fragment)
                uses.append((document, fragment))
                pending += held[document].includes.reversed().map { .file($0.file) }
            }
        }
    }

    /// The network of documents that name none.
    private var onlyNetwork: String { fragments.lazy.compactMap(\.network).first?.value ?? "" }

    /// Decodes a document without the instances of modules in it.
    private mutating func decode(_ index: Int, into fragment: Int) {
        let document = held[index]
        let origin = UInt32(document.file)
        decoder.expansion.fragment = fragment
        swap(&decoder.fragment, &fragments[fragment])
        var tree = document.tree
        if tree.hasReferences, tree.nodes[0].kind == .mapping {
            var nothing = Overrides()
            tree = decoder.expanded(
                DocumentDecoder.Body(source: document.tree, node: 0),
                at: DocumentDecoder.EmissionPlace(scope: decoder.expansion.globalScope, origin: origin),
                overrides: &nothing
            )
        }
        decoder.reading(tree, of: origin) { decoder in
            decoder.beginDocument()
            decoder.decodeDefinition(0)
        }
        swap(&decoder.fragment, &fragments[fragment])
    }

    /// The entries that are repeated for every value of a tag, for one network.
    func entriesForTags(of network: String) -> [EntryForTag] {
        decoder.expansion.entriesForTags.filter { networks[$0.fragment] == network }
    }
}

/// Values for variables from outside of the definition. They are files of the run with a section `values`, so whoever
/// keeps the files keeps the values.
package enum VariableValues {
    /// The path of the file with values from the environment. It may hold values for other definitions, too.
    package static let environmentPath = "(environment)"

    package static func file(_ path: String, _ values: [(name: String, value: String)]) -> SourceFiles.File {
        let lines = values.map { name, value in
            "  \(DefinitionValue.quotedIfNeeded(name)): \(DefinitionValue.quotedIfNeeded(value))\n"
        }
        return SourceFiles.File(path: path, bytes: Array(("values:\n" + lines.joined()).utf8))
    }
}
