import CYAML

/// The event stream of libyaml over octets in memory.
///
/// It owns the C parser. Events are handed out as they are, because copying each of a million scalars would cost more
/// than everything else.
struct YAMLParser: ~Copyable {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    /// The place of each event in turn.
    private let event: UnsafeMutablePointer<yaml_event_t>

    /// A parser over octets that must not move while it lives; nil if memory is short.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        parser = .allocate(capacity: 1)
        event = .allocate(capacity: 1)
        event.initialize(to: yaml_event_t())
        guard yaml_parser_initialize(parser) == 1 else {
            parser.deallocate()
            event.deallocate()
            return nil
        }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        event.deallocate()
    }

    /// Fetches the next event. It is valid only during `body`.
    ///
    /// - Throws: ``YAMLSyntaxError`` if the text is not YAML or memory runs out.
    mutating func next<Result>(_ body: (UnsafePointer<yaml_event_t>) -> Result) throws(YAMLSyntaxError) -> Result {
        guard yaml_parser_parse(parser, event) == 1 else { throw failure }
        defer { yaml_event_delete(event) }
        return body(event)
    }

    private var failure: YAMLSyntaxError {
        let parser = parser.pointee
        return YAMLSyntaxError(
            problem: parser.problem.map { String(cString: $0) } ?? "",
            context: parser.context.map { String(cString: $0) } ?? "",
            line: UInt32(clamping: parser.problem_mark.line),
            column: UInt32(clamping: parser.problem_mark.column),
            contextLine: UInt32(clamping: parser.context_mark.line),
            contextColumn: UInt32(clamping: parser.context_mark.column),
            isOutOfMemory: parser.error == YAML_MEMORY_ERROR
        )
    }
}

/// libyaml's complaint about text that is not YAML. Places count from 0.
struct YAMLSyntaxError: Error, Hashable {
    /// libyaml's words.
    var problem: String
    /// What libyaml was reading, such as "while parsing a flow mapping"; empty if it does not say.
    var context: String
    /// The line of the problem, from 0.
    var line: UInt32
    /// The column of the problem, from 0.
    var column: UInt32
    /// The line where the context starts, from 0.
    var contextLine: UInt32
    /// The column where the context starts, from 0.
    var contextColumn: UInt32
    var isOutOfMemory: Bool
}
