import CYAML

/// A token of YAML text: what the scanner of libyaml finds before any structure is made of it. Comments, blank lines
/// and spaces lie between the tokens.
struct YAMLToken {
    /// What it is.
    enum Kind {
        /// `%YAML` or `%TAG`.
        case directive
        /// `---`.
        case documentStart
        /// `...`.
        case documentEnd
        /// A list begins whose entries have lines of their own. It has no text.
        case blockSequenceStart
        /// A mapping begins whose entries have lines of their own. It has no text.
        case blockMappingStart
        /// A list or mapping of lines ends. It has no text.
        case blockEnd
        /// `-`.
        case blockEntry
        /// `[`.
        case listStart
        /// `]`.
        case listEnd
        /// `{`.
        case mappingStart
        /// `}`.
        case mappingEnd
        /// `,`.
        case comma
        /// A key follows. It has a text, `?`, only if the key is of the long form.
        case key
        /// `:`.
        case value
        /// `*name`.
        case alias
        /// `&name`.
        case anchor
        /// `!tag`.
        case tag
        /// Text without quotes.
        case plain
        case singleQuoted
        case doubleQuoted
        /// Text behind `|` or `>`, up to the end of its last line.
        case block
        /// The end of the file. It has no text.
        case end
    }

    /// What it is.
    let kind: Kind
    // A large file has millions of tokens, and none has more octets than these numbers can tell.
    private let first: UInt32
    private let behind: UInt32
    private let position: UInt32

    /// A token from its place in the text.
    init(kind: Kind, start: Int, end: Int, column: Int) {
        self.kind = kind
        first = UInt32(start)
        behind = UInt32(end)
        position = UInt32(column)
    }

    /// Where it begins, in octets.
    var start: Int { Int(first) }
    /// Where it ends, in octets.
    var end: Int { Int(behind) }
    /// Where it begins on its line, in characters from 0.
    var column: Int { Int(position) }

    /// Whether nothing of the text belongs to it.
    var isEmpty: Bool { start == end }
    var isClosing: Bool { kind == .listEnd || kind == .mappingEnd }
}

extension YAMLToken {
    /// The tokens of a text without byte order mark; nil if it is not YAML.
    static func tokens(of text: UnsafeBufferPointer<UInt8>) -> [YAMLToken]? {
        var parser = yaml_parser_t()
        guard yaml_parser_initialize(&parser) == 1 else { return nil }
        defer { yaml_parser_delete(&parser) }
        yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(&parser, text.baseAddress, text.count)
        // libyaml counts characters.
        let starts = text.contains { $0 >= 0x80 } ? text.indices.filter { text[$0] & 0xC0 != 0x80 } : nil
        func offset(_ mark: yaml_mark_t) -> Int {
            guard let starts else { return min(mark.index, text.count) }
            return mark.index < starts.count ? starts[mark.index] : text.count
        }
        var tokens: [YAMLToken] = []
        while true {
            var token = yaml_token_t()
            guard yaml_parser_scan(&parser, &token) == 1 else { return nil }
            defer { yaml_token_delete(&token) }
            if let kind = kind(of: token) {
                tokens.append(
                    YAMLToken(
                        kind: kind,
                        start: offset(token.start_mark),
                        end: offset(token.end_mark),
                        column: token.start_mark.column
                    )
                )
            }
            if token.type == YAML_STREAM_END_TOKEN || token.type == YAML_NO_TOKEN { return tokens }
        }
    }

    private static func kind(of token: yaml_token_t) -> Kind? {
        switch token.type {
        case YAML_VERSION_DIRECTIVE_TOKEN, YAML_TAG_DIRECTIVE_TOKEN: .directive
        case YAML_DOCUMENT_START_TOKEN: .documentStart
        case YAML_DOCUMENT_END_TOKEN: .documentEnd
        case YAML_BLOCK_SEQUENCE_START_TOKEN: .blockSequenceStart
        case YAML_BLOCK_MAPPING_START_TOKEN: .blockMappingStart
        case YAML_BLOCK_END_TOKEN: .blockEnd
        case YAML_BLOCK_ENTRY_TOKEN: .blockEntry
        case YAML_FLOW_SEQUENCE_START_TOKEN: .listStart
        case YAML_FLOW_SEQUENCE_END_TOKEN: .listEnd
        case YAML_FLOW_MAPPING_START_TOKEN: .mappingStart
        case YAML_FLOW_MAPPING_END_TOKEN: .mappingEnd
        case YAML_FLOW_ENTRY_TOKEN: .comma
        case YAML_KEY_TOKEN: .key
        case YAML_VALUE_TOKEN: .value
        case YAML_ALIAS_TOKEN: .alias
        case YAML_ANCHOR_TOKEN: .anchor
        case YAML_TAG_TOKEN: .tag
        case YAML_SCALAR_TOKEN: kind(of: token.data.scalar.style)
        case YAML_STREAM_END_TOKEN: .end
        default: nil
        }
    }

    private static func kind(of style: yaml_scalar_style_t) -> Kind {
        switch style {
        case YAML_SINGLE_QUOTED_SCALAR_STYLE: .singleQuoted
        case YAML_DOUBLE_QUOTED_SCALAR_STYLE: .doubleQuoted
        case YAML_LITERAL_SCALAR_STYLE, YAML_FOLDED_SCALAR_STYLE: .block
        default: .plain
        }
    }
}
