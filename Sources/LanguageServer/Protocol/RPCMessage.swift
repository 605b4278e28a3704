import SystemLayer

/// A message of JSON-RPC 2.0 as a server receives it.
enum RPCMessage: Equatable {
    /// A request, which gets one answer with its identifier.
    case request(id: RequestID, method: String, params: JSONValue)
    /// A notification, which gets none.
    case notification(method: String, params: JSONValue)
    /// An answer to a request of ours. We send one, and need not know what becomes of it.
    case response

    /// Reads a message.
    ///
    /// - Throws: ``ResponseError`` with the identifier to answer to, if one could be read.
    init(_ content: [UInt8]) throws(UnreadableMessage) {
        let value: JSONValue
        do throws(JSONError) { value = try JSONParser.parse(content) } catch {
            throw UnreadableMessage(id: nil, error: ResponseError(.parseError, "no JSON: \(error.message)"))
        }
        // The base protocol of language servers has no batches.
        guard value.isObject else {
            let what = value.items == nil ? "a message is an object, not \(value.kind)" : "batches are not supported"
            throw UnreadableMessage(id: nil, error: ResponseError(.invalidRequest, what))
        }
        let id = value["id"].flatMap(RequestID.init)
        func invalid(_ message: String) -> UnreadableMessage {
            UnreadableMessage(id: id, error: ResponseError(.invalidRequest, message))
        }
        guard value["jsonrpc"] == .string("2.0") else { throw invalid("`jsonrpc` must be \"2.0\"") }
        guard let method = value["method"] else {
            guard value["result"] != nil || value["error"] != nil else { throw invalid("`method` is missing") }
            self = .response
            return
        }
        guard let method = method.text else { throw invalid("`method` must be a text") }
        let params = value["params"] ?? .null
        guard params.isObject || params.items != nil || params == .null else {
            throw invalid("`params` must be an object or an array")
        }
        guard value["id"] != nil else {
            self = .notification(method: method, params: params)
            return
        }
        guard let id else { throw invalid("`id` must be a whole number or a text") }
        self = .request(id: id, method: method, params: params)
    }
}

/// The identifier of a request: a text or a whole number.
enum RequestID: Hashable {
    /// A whole number, as it is spelt.
    case number(String)
    case text(String)

    /// The identifier in a message; nil if it is neither.
    init?(_ value: JSONValue) {
        switch value {
        case .string(let text): self = .text(text)
        case .number(let spelling) where Int64(spelling) != nil: self = .number(spelling)
        default: return nil
        }
    }

    var json: JSONValue {
        switch self {
        case .number(let spelling): .number(spelling)
        case .text(let text): .string(text)
        }
    }
}

/// A message that cannot be taken.
struct UnreadableMessage: Error, Equatable {
    /// The identifier to answer to; nil for `null`.
    var id: RequestID?
    var error: ResponseError
}

/// An error as the answer to a request.
struct ResponseError: Error, Equatable {
    /// The codes of JSON-RPC 2.0 and of the Language Server Protocol.
    enum Code: Int {
        /// The content is no JSON.
        case parseError = -32700
        /// The content is no request, or comes at a time when none is taken.
        case invalidRequest = -32600
        case methodNotFound = -32601
        /// The parameters are not those of the method.
        case invalidParams = -32602
        /// A request before `initialize`.
        case serverNotInitialized = -32002
        /// The request is right, and what it asks for cannot be done.
        case requestFailed = -32803
        case requestCancelled = -32800
    }

    var code: Code
    /// What is wrong, for people. Never holds key material.
    var message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    var json: JSONValue { .object(["code": .integer(code.rawValue), "message": .string(message)]) }
}
