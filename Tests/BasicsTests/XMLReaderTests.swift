import Basics
import Testing

@Suite("XML of others")
struct XMLReaderTests {
    private func read(_ text: String) throws(XMLError) -> XMLElement { try XMLReader.read(Array(text.utf8)) }

    private func problem(_ text: String) -> String {
        do throws(XMLError) {
            _ = try read(text)
            return "none"
        } catch {
            return "\(error.line):\(error.column): \(error.message)"
        }
    }

    @Test("Elements, attributes and text are read; comments, instructions and a document type are skipped")
    func contents() throws {
        let root = try read(
            """
            \u{FEFF}<?xml version="1.0" encoding="UTF-8"?>
            <!-- a > b -->
            <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/x[>].dtd">
            <svg:svg a = 'x"y' b="&lt;&#x41;&#66;&amp;">
              <g><?no thing?>one<![CDATA[<two>]]><!-- - --></g>
              <empty/>
            </svg:svg>
            <!-- the end -->
            """
        )
        #expect(root.name == "svg:svg" && root.localName == "svg" && root.line == 4)
        #expect(root["a"] == "x\"y" && root["b"] == "<AB&")
        #expect(root.children.map(\.name) == ["g", "empty"])
        #expect(root.children[0].text == "one<two>")
        #expect(root.children[1].line == 6)
    }

    @Test(
        "What is wrong is told with its place",
        arguments: [
            ("", "1:1: the document has no element"),
            ("<a>", "1:4: the document ends within `a`"),
            ("<a>\n<b></a>", "2:4: `b` of line 2 is not closed before this"),
            ("<a x='1' x='2'/>", "1:15: `a` has the attribute `x` twice"),
            ("<a x=1/>", "1:6: the value of `x` has no quotes"),
            ("<a x='1'y='2'/>", "1:9: a space is missing here"),
            ("<a>&nbsp;</a>", "1:4: `&nbsp;` is not known here"),
            ("<a>&#0;</a>", "1:4: `&#0;` is not known here"),
            ("<a>&#x110000;</a>", "1:4: `&#x110000;` is not known here"),
            ("<a>a & b</a>", "1:6: `&` cannot stand alone; it is written `&amp;`"),
            ("<a b='<'/>", "1:7: `<` cannot stand here; it is written `&lt;`"),
            ("<a/><b/>", "1:5: something follows after the end of the document"),
            ("<1/>", "1:2: `1` cannot be a name"),
            ("<a><!-- ", "1:4: the comment does not end"),
            ("<?xml version='1.0' encoding='ISO-8859-1'?><a/>", "1:1: the document says that it is not in UTF-8"),
        ]
    )
    func problems(_ text: String, _ expected: String) {
        #expect(problem(text) == expected)
    }

    @Test("Bombs of entities, files of others, depth and size are refused")
    func hostile() {
        let bomb = """
            <!DOCTYPE a [<!ENTITY x "ha"><!ENTITY y "&x;&x;&x;"><!ENTITY z SYSTEM "file:///etc/passwd">]>
            <a>&y;</a>
            """
        #expect(problem(bomb) == "1:13: the document declares entities, which are not read")
        let deep = String(repeating: "<a>", count: 101)
        #expect(problem(deep) == "1:301: elements are nested more than 100 deep")
        let many = "<a>" + String(repeating: "<b/>", count: 200_000) + "</a>"
        #expect(problem(many).hasSuffix("the document has more than 200000 elements"))
        let attributes = "<a " + (0...200).map { "a\($0)='' " }.joined() + "/>"
        #expect(problem(attributes).hasSuffix("`a` has more than 200 attributes"))
        #expect(throws: XMLError.self) { try XMLReader.read([0xFF, 0xFE, 0x3C, 0]) }
        #expect(throws: XMLError.self) { try XMLReader.read(Array("<a>".utf8) + [0xC3, 0x28] + Array("</a>".utf8)) }
        #expect(throws: XMLError.self) { try XMLReader.read(Array(repeating: 0x20, count: XMLReader.maximumSize + 1)) }
    }

    @Test("Every beginning of a document, and every altered octet, is read or refused")
    func altered() throws {
        let text = Array("<?xml version='1.0'?><a b='&#65;'>x<![CDATA[y]]><c/><!--d--></a>".utf8)
        for end in text.indices { #expect(throws: XMLError.self) { try XMLReader.read(Array(text[..<end])) } }
        for place in text.indices {
            for byte: UInt8 in [0, 0x0A, 0x22, 0x26, 0x27, 0x3C, 0x3E, 0x5B, 0x80, 0xFF] {
                var other = text
                other[place] = byte
                _ = try? XMLReader.read(other)
            }
        }
    }
}
