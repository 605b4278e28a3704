/// Reads XML documents of others: elements, attributes and text (XML 1.0, 5th edition), strictly and within bounds.
///
/// A document that declares entities is refused, and nothing is ever loaded: neither bombs of entities nor files of
/// others get in this way. Comments and processing instructions are skipped. Namespaces are not resolved.
package struct XMLReader {
    /// The most octets of a document.
    package static let maximumSize = 16 << 20
    /// The deepest nesting of elements.
    package static let maximumDepth = 100
    /// The most elements of a document.
    package static let maximumElements = 200_000
    /// The most attributes of an element.
    package static let maximumAttributes = 200

    private let bytes: [UInt8]
    private var place = 0
    private var elements = 0

    /// The outermost element of a document.
    ///
    /// - Throws: ``XMLError`` with its line and column, if it is no XML, has entities of its own or is too large.
    package static func read(_ bytes: [UInt8]) throws(XMLError) -> XMLElement {
        guard bytes.count <= maximumSize else {
            throw XMLError(line: 1, column: 1, message: "the document has more than \(maximumSize >> 20) MiB")
        }
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
            throw XMLError(line: 1, column: 1, message: "the document is in UTF-16", hint: "save it as UTF-8")
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw XMLError(line: 1, column: 1, message: "the document is not in UTF-8", hint: "save it as UTF-8")
        }
        var reader = XMLReader(bytes)
        return try reader.document()
    }

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
    }

    // MARK: The document

    private mutating func document() throws(XMLError) -> XMLElement {
        if starts("<?xml") { try declaration() }
        try skipMiscellaneous(allowsType: true)
        guard !isAtEnd else { throw error("the document has no element") }
        guard byte == UInt8(ascii: "<") else { throw error("an element is expected here") }
        let root = try tree()
        try skipMiscellaneous(allowsType: false)
        guard isAtEnd else { throw error("something follows after the end of the document") }
        return root
    }

    private mutating func declaration() throws(XMLError) {
        let start = place
        try skip(past: "?>", of: "the declaration")
        let text = String(decoding: bytes[start..<place], as: UTF8.self).lowercased()
        guard let encoding = text.firstRange(of: "encoding") else { return }
        let name = text[encoding.upperBound...].drop { $0 == "=" || $0 == " " }.dropFirst()
        guard name.hasPrefix("utf-8") || name.hasPrefix("us-ascii") else {
            place = start
            throw error("the document says that it is not in UTF-8", hint: "save it as UTF-8")
        }
    }

    private mutating func skipMiscellaneous(allowsType: Bool) throws(XMLError) {
        while true {
            skipSpace()
            if starts("<!--") {
                try skip(past: "-->", of: "the comment")
            } else if starts("<?") {
                try skip(past: "?>", of: "the instruction")
            } else if allowsType, starts("<!DOCTYPE") {
                try skipType()
            } else {
                return
            }
        }
    }

    /// Skips a document type. The file that it names is not loaded.
    private mutating func skipType() throws(XMLError) {
        var quote: UInt8?
        while !isAtEnd {
            let byte = bytes[place]
            if let open = quote {
                if byte == open { quote = nil }
            } else {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
                case UInt8(ascii: "["):
                    throw error(
                        "the document declares entities, which are not read",
                        hint: "save it again without them, as plain SVG for example"
                    )
                case UInt8(ascii: ">"):
                    place += 1
                    return
                default: break
                }
            }
            place += 1
        }
        throw error("the document type does not end")
    }

    // MARK: Elements

    /// An element and all that is in it, without recursion.
    private mutating func tree() throws(XMLError) -> XMLElement {
        var open: [XMLElement] = []
        while true {
            if starts("<!--") {
                try skip(past: "-->", of: "the comment")
            } else if starts("<![CDATA[") {
                let start = place + 9
                try skip(past: "]]>", of: "the section")
                if let last = open.indices.last {
                    open[last].text += String(decoding: bytes[start..<(place - 3)], as: UTF8.self)
                }
            } else if starts("<?") {
                try skip(past: "?>", of: "the instruction")
            } else if starts("</") {
                let start = place
                place += 2
                let name = try self.name()
                skipSpace()
                guard let element = open.popLast() else { throw error("nothing is open here") }
                guard element.name == name, !isAtEnd, byte == UInt8(ascii: ">") else {
                    place = start
                    throw error("`\(element.name)` of line \(element.line) is not closed before this")
                }
                place += 1
                if open.isEmpty { return element }
                open[open.count - 1].children.append(element)
            } else if !isAtEnd, byte == UInt8(ascii: "<") {
                guard open.count < Self.maximumDepth else {
                    throw error("elements are nested more than \(Self.maximumDepth) deep")
                }
                let (element, isEmpty) = try tag()
                guard isEmpty else {
                    open.append(element)
                    continue
                }
                if open.isEmpty { return element }
                open[open.count - 1].children.append(element)
            } else {
                guard !isAtEnd, let last = open.indices.last else {
                    throw error("the document ends within `\(open.last?.name ?? "")`")
                }
                open[last].text += try text(until: UInt8(ascii: "<"))
            }
        }
    }

    /// The beginning of an element, and whether it is its end, too.
    private mutating func tag() throws(XMLError) -> (element: XMLElement, isEmpty: Bool) {
        elements += 1
        guard elements <= Self.maximumElements else {
            throw error("the document has more than \(Self.maximumElements) elements")
        }
        let start = place
        place += 1
        var element = XMLElement(name: try name(), line: line(of: start))
        while true {
            let before = place
            skipSpace()
            guard !isAtEnd else { throw error("`\(element.name)` does not end") }
            if starts("/>") {
                place += 2
                return (element, true)
            }
            if byte == UInt8(ascii: ">") {
                place += 1
                return (element, false)
            }
            guard place > before else { throw error("a space is missing here") }
            guard element.attributes.count < Self.maximumAttributes else {
                throw error("`\(element.name)` has more than \(Self.maximumAttributes) attributes")
            }
            let attribute = try self.attribute()
            guard element[attribute.name] == nil else {
                throw error("`\(element.name)` has the attribute `\(attribute.name)` twice")
            }
            element.attributes.append(attribute)
        }
    }

    private mutating func attribute() throws(XMLError) -> XMLElement.Attribute {
        let name = try self.name()
        skipSpace()
        guard !isAtEnd, byte == UInt8(ascii: "=") else { throw error("`=` is missing after `\(name)`") }
        place += 1
        skipSpace()
        guard !isAtEnd, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else {
            throw error("the value of `\(name)` has no quotes")
        }
        let quote = byte
        place += 1
        let value = try text(until: quote)
        guard !isAtEnd else { throw error("the value of `\(name)` does not end") }
        place += 1
        return XMLElement.Attribute(name: name, value: value)
    }

    // MARK: Parts

    private mutating func name() throws(XMLError) -> String {
        let start = place
        while !isAtEnd, Self.isInName(byte) { place += 1 }
        guard place > start else { throw error("a name is expected here") }
        let name = String(decoding: bytes[start..<place], as: UTF8.self)
        guard let first = name.first, !first.isNumber, first != "-", first != "." else {
            place = start
            throw error("`\(name)` cannot be a name")
        }
        return name
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "-"),
            UInt8(ascii: "."), 0x80...:
            true
        default: false
        }
    }

    /// Text with its escapes resolved, up to an octet or the end.
    private mutating func text(until end: UInt8) throws(XMLError) -> String {
        var result: [UInt8] = []
        while !isAtEnd, byte != end {
            switch byte {
            case UInt8(ascii: "&"): result += Array(String(try reference()).utf8)
            case UInt8(ascii: "<"): throw error("`<` cannot stand here; it is written `&lt;`")
            case 0..<0x20 where byte != 0x09 && byte != 0x0A && byte != 0x0D:
                throw error("a control character cannot stand in XML")
            default:
                result.append(byte)
                place += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// `&amp;`, `&#38;` and the like; no others exist in a document that declares none.
    private mutating func reference() throws(XMLError) -> Character {
        let start = place
        guard let end = bytes[place...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
            throw error("`&` cannot stand alone; it is written `&amp;`")
        }
        let name = String(decoding: bytes[(place + 1)..<end], as: UTF8.self)
        place = end + 1
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        let digits = name.dropFirst(name.hasPrefix("#x") ? 2 : 1)
        let isNumber = name.hasPrefix("#") && digits.allSatisfy { $0.isASCII && $0.isHexDigit }
        if isNumber, let value = UInt32(digits, radix: name.hasPrefix("#x") ? 16 : 10),
            value >= 0x20 || value == 0x09 || value == 0x0A || value == 0x0D,
            let scalar = Unicode.Scalar(value)
        {
            return Character(scalar)
        }
        place = start
        throw error("`&\(name);` is not known here")
    }

    // MARK: Octets

    private var isAtEnd: Bool { place >= bytes.count }
    private var byte: UInt8 { bytes[place] }

    private func starts(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard place + count <= bytes.count else { return false }
        return text.withUTF8Buffer { bytes[place..<(place + count)].elementsEqual($0) }
    }

    private mutating func skipSpace() {
        while !isAtEnd, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { place += 1 }
    }

    private mutating func skip(past end: StaticString, of what: String) throws(XMLError) {
        let start = place
        while !isAtEnd {
            if starts(end) {
                place += end.utf8CodeUnitCount
                return
            }
            place += 1
        }
        place = start
        throw error("\(what) does not end")
    }

    /// The line of an offset. Elements are read in order, so counting goes on from the last one.
    private mutating func line(of offset: Int) -> Int {
        while counted < offset {
            if bytes[counted] == 0x0A { lines += 1 }
            counted += 1
        }
        return lines
    }
    private var counted = 0
    private var lines = 1

    private func error(_ message: String, hint: String? = nil) -> XMLError {
        let end = min(place, bytes.count)
        let start = bytes[..<end].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let line = bytes[..<end].reduce(1) { $0 + ($1 == 0x0A ? 1 : 0) }
        return XMLError(line: line, column: end - start + 1, message: message, hint: hint)
    }
}
