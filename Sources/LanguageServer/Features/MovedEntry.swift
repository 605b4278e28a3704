/// The entry under `moved` that lets a thing keep what it is on the mesh under another name, and where it is written.
struct MovedEntry {
    /// The octet before which it is written.
    let place: Int
    let text: String

    /// The entry for a file. It continues the section `moved` of the document that holds an octet, or else a new one
    /// that ends the document.
    init(_ file: TextDocument, near octet: Int, from: String, to: String) {
        let outline = DefinitionOutline(file.bytes)
        let entry = "{ from: \(from), to: \(to) }"
        let lineEnd = file.bytes.contains(UInt8(ascii: "\r")) ? "\r\n" : "\n"
        let document = outline.documents.last { outline.nodes[$0].start <= octet }
        let section = document.flatMap { outline.child("moved", of: $0) }
        guard let section, let last = outline.nodes[section].children.last else {
            let next = outline.documents.first { outline.nodes[$0].start > octet }
            place = Self.end(of: file, before: next.map { outline.nodes[$0].start } ?? file.bytes.count)
            text = lineEnd + "moved:" + lineEnd + "  - " + entry
            return
        }
        guard !outline.nodes[section].isFlow else {
            place = outline.nodes[last].end
            text = ", " + entry
            return
        }
        let start = outline.nodes[last].start
        let column = start - file.line(file.lineNumber(of: start)).lowerBound
        place = file.line(file.lineNumber(of: max(outline.nodes[last].end - 1, start))).upperBound
        text = lineEnd + String(repeating: " ", count: column) + "- " + entry
    }

    /// The end of the last line before an octet that is neither empty nor the mark between documents.
    private static func end(of file: TextDocument, before octet: Int) -> Int {
        var number = file.lineNumber(of: octet)
        if octet < file.bytes.count { number -= 1 }
        while number > 0 {
            let line = file.bytes[file.line(number)]
            let isMark = line.starts(with: "---".utf8) || line.starts(with: "...".utf8)
            guard isMark || line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else { break }
            number -= 1
        }
        return file.line(max(number, 0)).upperBound
    }
}
