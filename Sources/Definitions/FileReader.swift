import DefinitionModel
import MeshCore

/// Reads the documents of one file.
struct FileReader {
    private let file: UInt32
    private let limits: ReadingLimits

    /// A reader for the file with that index.
    init(file: UInt32, limits: ReadingLimits) {
        self.file = file
        self.limits = limits
    }

    /// Calls `decodeDocument` for each document, once it is the decoder's tree. After something that is not YAML, the
    /// rest of the file is skipped. What the decoder knows of the file already is not parsed again.
    func read(
        _ file: SourceFiles.File,
        with decoder: inout DocumentDecoder,
        _ decodeDocument: (inout DocumentDecoder) -> Void
    ) {
        if let known = decoder.known?.file(file.path),
            let parsed = known.updated(to: file.bytes, symbols: &decoder.symbols, limits: limits)
        {
            decoder.known?.keep(parsed, of: file.path)
            for tree in parsed.trees {
                decoder.tree = tree
                decode(with: &decoder, decodeDocument)
            }
            decoder.tree = DocumentTree()
            return
        }
        let parsed = file.bytes.withUnsafeBufferPointer { bytes in
            parse(bytes, with: &decoder, keepsTrees: decoder.known != nil, decodeDocument)
        }
        decoder.known?.keep(
            parsed.map { ParsedFile(bytes: file.bytes, trees: $0.trees, isSeparable: $0.isSeparable) },
            of: file.path
        )
    }

    /// Calls `decodeDocument` for each document of a text that was never read before.
    func read(
        _ bytes: UnsafeBufferPointer<UInt8>,
        with decoder: inout DocumentDecoder,
        _ decodeDocument: (inout DocumentDecoder) -> Void
    ) {
        _ = parse(bytes, with: &decoder, keepsTrees: false, decodeDocument)
    }

    /// Parses a text, and calls `decodeDocument` for each document.
    ///
    /// - Parameter keepsTrees: whether the trees are wanted as well.
    /// - Returns: the trees; nil if they are not wanted, or if something was reported, which would have to be reported
    ///   again.
    private func parse(
        _ bytes: UnsafeBufferPointer<UInt8>,
        with decoder: inout DocumentDecoder,
        keepsTrees: Bool,
        _ decodeDocument: (inout DocumentDecoder) -> Void
    ) -> (trees: [DocumentTree], isSeparable: Bool)? {
        guard bytes.count <= limits.fileSize else {
            report("the file has \(bytes.count) octets", to: &decoder) {
                $0.hint = "no file may be larger than \(limits.fileSize >> 20) MiB; split the definition"
            }
            return nil
        }
        if let problem = TextScan.firstProblem(bytes) {
            report(problem.message, to: &decoder, line: problem.line, column: problem.column) {
                $0.hint = problem.hint.map { Advice($0) }
                $0.concealsSource = problem.isForeign
            }
            return nil
        }
        let markLength = TextScan.byteOrderMarkLength(bytes)
        if markLength > 0 {
            report("the file starts with a byte order mark", to: &decoder, severity: .note) {
                $0.hint = "UTF-8 needs none"
            }
        }
        let text = UnsafeBufferPointer(rebasing: bytes[markLength...])
        guard var parser = YAMLParser(text) else {
            report("there is not enough memory to read the file", to: &decoder) { _ in }
            return nil
        }
        var builder = TreeBuilder(file: file, limits: limits)
        swap(&builder.tree, &decoder.tree)
        // About as many nodes as a file of that size has, so the list need not move while it grows. Unused memory is
        // never touched.
        builder.tree.nodes.reserveCapacity(min(text.count / 10, limits.nodes))
        var documents = 0
        var trees: [DocumentTree]? = keepsTrees && markLength == 0 ? [] : nil
        do {
            while true {
                let reports = decoder.diagnostics.reports
                let progress = try parser.next { event in
                    builder.take(event, symbols: &decoder.symbols, diagnostics: &decoder.diagnostics)
                }
                if decoder.diagnostics.reports > reports { trees = nil }
                switch progress {
                case .unfinished: continue
                case .document:
                    documents += 1
                    guard documents <= limits.documents else {
                        reportDocuments(at: builder.tree, to: &decoder)
                        trees = nil
                        break
                    }
                    trees?.append(builder.tree)
                    swap(&builder.tree, &decoder.tree)
                    decode(with: &decoder, decodeDocument)
                    swap(&builder.tree, &decoder.tree)
                    continue
                case .end:
                    if documents == 0 {
                        warnEmpty(at: nil, to: &decoder)
                        trees = nil
                    }
                case .failed: break
                }
                break
            }
        } catch {
            reportSyntax(error, in: text, to: &decoder)
            trees = nil
        }
        swap(&builder.tree, &decoder.tree)
        return trees.map { ($0, builder.isSeparable) }
    }

    private func decode(with decoder: inout DocumentDecoder, _ decodeDocument: (inout DocumentDecoder) -> Void) {
        decoder.file = file
        if decoder.tree.nodes.count == 1, decoder.isNull(0) {
            warnEmpty(at: decoder.location(0), to: &decoder)
            return
        }
        decoder.beginDocument()
        decodeDocument(&decoder)
    }

    private func reportDocuments(at tree: DocumentTree, to decoder: inout DocumentDecoder) {
        let start = tree.nodes.first
        report(
            "the file has more than \(limits.documents) documents",
            to: &decoder,
            line: start?.line ?? 1,
            column: start?.column ?? 1
        ) { $0.hint = "put what belongs together into one document, or split the file" }
    }

    private func warnEmpty(at location: SourceLocation?, to decoder: inout DocumentDecoder) {
        report(
            "the document is empty",
            to: &decoder,
            line: location?.line ?? 1,
            column: location?.column ?? 1,
            severity: .warning
        ) { _ in }
    }

    private func reportSyntax(
        _ error: YAMLSyntaxError,
        in text: UnsafeBufferPointer<UInt8>,
        to decoder: inout DocumentDecoder
    ) {
        if let marks = mergeMarks(in: text) {
            report("both sides of a merge stand here", to: &decoder, line: marks) {
                $0.hint = "keep one of them, and take the lines with <<<<<<<, ======= and >>>>>>> away"
            }
            return
        }
        let next = octet(line: error.line, column: error.column, in: text)
        let place = place(of: error, in: text)
        let words = error.words(next: next, isLong: isLong(from: place, in: text))
        report(words.message, to: &decoder, line: place.line, column: place.column) {
            $0.hint = words.hint.map { Advice($0) }
            guard let opening = error.opening else { return }
            let place = SourceLocation(file: file, line: error.contextLine + 1, column: error.contextColumn + 1)
            $0.related = [Diagnostic.Related(message: "\(opening) that was opened", location: place)]
        }
    }

    /// The number, from 1, of a line where a git merge has left both sides; nil if there is none.
    private func mergeMarks(in text: UnsafeBufferPointer<UInt8>) -> UInt32? {
        let marks = [Array("<<<<<<< ".utf8), Array("=======\n".utf8), Array(">>>>>>> ".utf8)]
        var found: [UInt32] = []
        var line: UInt32 = 1
        var start = text.startIndex
        while start < text.endIndex, found.count < marks.count {
            if text[start...].starts(with: marks[found.count]) { found.append(line) }
            guard let end = text[start...].firstIndex(of: 0x0A) else { break }
            start = end + 1
            line += 1
        }
        return found.count == marks.count ? found[0] : nil
    }

    /// The place at which to show the error, from 1. libyaml behaves as if every file ended with a line break. If the
    /// file does not, an error behind its end is shown at the end of the last line.
    private func place(of error: YAMLSyntaxError, in text: UnsafeBufferPointer<UInt8>) -> (line: UInt32, column: UInt32)
    {
        let end = TextScan.place(of: text.count, in: text)
        let place = (line: error.place.line + 1, column: error.place.column + 1)
        return place.line > end.line ? end : place
    }

    /// Whether a line continues after a place, counted from 1, for more octets than a key may have.
    private func isLong(from place: (line: UInt32, column: UInt32), in text: UnsafeBufferPointer<UInt8>) -> Bool {
        var offset = 0
        for _ in 1..<max(place.line, 1) {
            guard let lineBreak = text[offset...].firstIndex(of: 0x0A) else { return false }
            offset = lineBreak + 1
        }
        let (start, overflow) = offset.addingReportingOverflow(Int(place.column))
        guard !overflow, start < text.count else { return false }
        let end = text[start...].firstIndex(of: 0x0A) ?? text.count
        return end - start > YAMLSyntaxError.longestKey
    }

    /// The octet at a line and column, both from 0; nil past the end of the line.
    private func octet(line: UInt32, column: UInt32, in text: UnsafeBufferPointer<UInt8>) -> UInt8? {
        var offset = 0
        for _ in 0..<line {
            guard let lineBreak = text[offset...].firstIndex(of: 0x0A) else { return nil }
            offset = lineBreak + 1
        }
        var characters: UInt32 = 0
        while offset < text.count, text[offset] != 0x0A {
            if text[offset] & 0xC0 != 0x80 {
                if characters == column { return text[offset] }
                characters += 1
            }
            offset += 1
        }
        return nil
    }

    private func report(
        _ message: String,
        to decoder: inout DocumentDecoder,
        line: UInt32 = 1,
        column: UInt32 = 1,
        severity: Diagnostic.Severity = .error,
        _ complete: (inout Diagnostic) -> Void
    ) {
        let location = SourceLocation(file: file, line: line, column: column)
        decoder.diagnostics.report(severity) {
            var diagnostic = Diagnostic(severity, message, at: location)
            complete(&diagnostic)
            return diagnostic
        }
    }
}
