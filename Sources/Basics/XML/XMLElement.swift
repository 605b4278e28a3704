/// An element of an XML document.
package struct XMLElement: Hashable, Sendable {
    /// Its name as it is written, with its prefix.
    package var name: String
    /// Its attributes in their order, each once.
    package var attributes: [Attribute] = []
    package var children: [XMLElement] = []
    /// The text in it, without that of its children.
    package var text: String = ""
    /// The line of its beginning, from 1.
    package var line: Int = 1

    /// An attribute.
    package struct Attribute: Hashable, Sendable {
        /// Its name as it is written, with its prefix.
        package var name: String
        /// Its value without escapes.
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The name without its prefix.
    package var localName: Substring { name.split(separator: ":").last ?? "" }

    /// The value of an attribute; nil if there is none.
    package subscript(_ attribute: String) -> String? { attributes.first { $0.name == attribute }?.value }
}

/// Why a text is no XML document that is read here.
package struct XMLError: Error, Hashable, Sendable {
    /// The line, from 1.
    package var line: Int
    /// The column in octets, from 1.
    package var column: Int
    /// What is wrong, without a full stop.
    package var message: String
    /// What to do about it; nil if there is nothing to say.
    package var hint: String?
}
