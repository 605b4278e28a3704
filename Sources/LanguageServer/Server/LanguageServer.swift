import SystemLayer

/// A server of the Language Server Protocol 3.17 for definitions, as a machine without input and output: octets of the
/// client and the time go in, octets for the client and the next deadline come out.
///
/// Whoever drives it hands it everything that has arrived before it asks for ``next(at:)``, so that a request that was
/// cancelled in the meantime is not worked on.
package struct LanguageServer {
    /// How far the conversation is.
    enum Phase {
        /// Before `initialize`.
        case new
        /// Between `initialize` and `shutdown`.
        case running
        /// After `shutdown`.
        case shutDown
    }

    /// An open document.
    struct OpenDocument {
        /// The address, as the client spells it.
        var uri: String
        /// The path of the file; nil for a document that is none.
        var path: String?
        /// The version that the client gave the text.
        var version: Int
        var text: TextDocument
        /// The folder of the definition that the file belongs to; nil if it belongs to none.
        var project: String?
        /// The text as an outline, once somebody asked for it.
        var outline: DefinitionOutline?
        /// What the text is, once somebody asked for it.
        var kind: FileKind?
    }

    let workshop: DefinitionWorkshop
    let textLimit: Int
    var phase = Phase.new
    var encoding = PositionEncoding.utf16
    /// Whether the client takes formatted texts in hovers, and symbols in a hierarchy.
    var clientTakesMarkdown = false
    /// Whether the client can tell when files change outside of it.
    var clientWatchesFiles = false
    /// Whether the client takes edits together with the versions of the documents that they are meant for.
    var clientTakesVersionedEdits = false
    /// The folders that the client has open.
    var folders: [String] = []
    /// The open documents, by their addresses.
    var documents: [String: OpenDocument] = [:]
    /// The definitions that open documents belong to, by their folders.
    var projects: [String: Project] = [:]
    private var framing: MessageFraming
    /// Messages that nobody has worked on yet. A slice, because the first of many is taken away again and again.
    private var waiting: ArraySlice<RPCMessage> = []
    private var waitingRequests: Set<RequestID> = []
    /// Documents that were opened and belong to no definition yet.
    var unsettled: [String] = []
    private var cancelled: Set<RequestID> = []
    private var output: [UInt8] = []
    private var notes: [String] = []

    /// How the conversation has ended; nil as long as it goes on.
    package private(set) var ending: Ending?

    /// The ways in which a conversation ends.
    package enum Ending: Hashable, Sendable {
        /// With `shutdown` and then `exit`.
        case proper
        case improper
    }

    /// A server to which nobody has spoken yet.
    ///
    /// - Parameters:
    ///   - messageLimit: the most octets of a message.
    ///   - textLimit: the most octets of all open documents.
    package init(_ workshop: DefinitionWorkshop, messageLimit: Int = 64 << 20, textLimit: Int = 32 << 20) {
        self.workshop = workshop
        self.textLimit = textLimit
        framing = MessageFraming(limit: messageLimit)
    }

    // MARK: - Input

    /// Takes octets from the client, in any pieces. The messages in them wait for ``next(at:)``.
    package mutating func receive(_ bytes: some Collection<UInt8>) {
        guard ending == nil else { return }
        for item in framing.take(bytes) {
            switch item {
            case .content(let content): receive(content: content)
            case .problem(let problem): refuse(problem)
            case .lost(let problem):
                refuse(problem)
                ending = .improper
                return
            }
        }
    }

    /// Takes the end of the input. Without `exit` before, that is no proper end.
    package mutating func endInput() {
        guard ending == nil else { return }
        if framing.isInMessage { note("the input ends within a message") }
        ending = .improper
    }

    private mutating func refuse(_ problem: String) {
        note(problem)
        answer(nil, .failure(ResponseError(.parseError, problem)))
    }

    private mutating func receive(content: [UInt8]) {
        do throws(UnreadableMessage) {
            let message = try RPCMessage(content)
            if case .notification("$/cancelRequest", let params) = message {
                // It counts for requests that still wait; the others have their answers.
                guard let id = params["id"].flatMap(RequestID.init) else { return }
                if waitingRequests.contains(id) { cancelled.insert(id) }
                return
            }
            if case .request(let id, _, _) = message { waitingRequests.insert(id) }
            waiting.append(message)
        } catch {
            note(error.error.message)
            answer(error.id, .failure(error.error))
        }
    }

    // MARK: - Work

    /// When ``next(at:)`` has something to do without further input; nil if never. In the milliseconds of the caller's
    /// clock.
    package var deadline: Int64? {
        waiting.isEmpty && unsettled.isEmpty ? projects.values.compactMap(\.due).min() : .min
    }

    /// Does one thing: handles a message, or checks a definition whose time has come.
    ///
    /// - Parameter now: the time in milliseconds, from any beginning.
    /// - Returns: whether there was something to do.
    package mutating func next(at now: Int64) -> Bool {
        guard ending == nil else { return false }
        guard let message = waiting.popFirst() else {
            if settle(at: now) { return true }
            return checkOne(at: now)
        }
        if case .request(let id, _, _) = message { waitingRequests.remove(id) }
        handle(message, at: now)
        return true
    }

    /// The octets for the client that have come together.
    package mutating func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    /// What is worth to be logged, a line each, without texts of definitions.
    package mutating func takeNotes() -> [String] {
        defer { notes = [] }
        return notes
    }

    private mutating func handle(_ message: RPCMessage, at now: Int64) {
        // Documents that are opened one after the other are checked together.
        if case .notification("textDocument/didOpen", _) = message {} else { settle(at: now) }
        switch message {
        case .response: break
        case .notification(let method, let params): handle(notification: method, params, at: now)
        case .request(let id, let method, let params):
            guard cancelled.remove(id) == nil else {
                answer(id, .failure(ResponseError(.requestCancelled, "the request was cancelled")))
                return
            }
            do throws(ResponseError) {
                answer(id, .success(try result(of: method, params, at: now)))
            } catch {
                note("\(method): \(error.message)")
                answer(id, .failure(error))
            }
        }
    }

    private mutating func handle(notification method: String, _ params: JSONValue, at now: Int64) {
        if method == "exit" {
            ending = phase == .shutDown ? .proper : .improper
            return
        }
        guard phase == .running else { return note("\(method) is left out: the server is not running") }
        switch method {
        case "initialized": watchFiles()
        case "textDocument/didOpen": open(params)
        case "textDocument/didChange": change(params, at: now)
        case "textDocument/didSave": save(params, at: now)
        case "textDocument/didClose": close(params, at: now)
        case "workspace/didChangeWatchedFiles": for folder in projects.keys { projects[folder]?.due = now }
        // Others need no answer, and no complaint: clients send what they can.
        default: break
        }
    }

    private mutating func result(
        of method: String,
        _ params: JSONValue,
        at now: Int64
    ) throws(ResponseError) -> JSONValue {
        switch phase {
        case .new:
            guard method == "initialize" else {
                throw ResponseError(.serverNotInitialized, "the first request is initialize")
            }
            return initialize(params)
        case .shutDown: throw ResponseError(.invalidRequest, "after shutdown only exit is taken")
        case .running: break
        }
        switch method {
        case "initialize": throw ResponseError(.invalidRequest, "the server is initialized already")
        case "shutdown":
            phase = .shutDown
            return .null
        default: return try feature(method, params, at: now)
        }
    }

    // MARK: - Output

    /// Sends a request whose answer says nothing.
    mutating func ask(_ id: String, _ method: String, _ params: JSONValue) {
        send(
            .object([
                "jsonrpc": .string("2.0"), "id": .string(id), "method": .string(method), "params": params,
            ])
        )
    }

    mutating func notify(_ method: String, _ params: JSONValue) {
        send(.object(["jsonrpc": .string("2.0"), "method": .string(method), "params": params]))
    }

    /// Keeps a line for the log.
    mutating func note(_ text: String) { notes.append(text) }

    private mutating func answer(_ id: RequestID?, _ result: Result<JSONValue, ResponseError>) {
        var members = [JSONMember("jsonrpc", .string("2.0")), JSONMember("id", id?.json ?? .null)]
        switch result {
        case .success(let value): members.append(JSONMember("result", value))
        case .failure(let error): members.append(JSONMember("error", error.json))
        }
        send(.object(members))
    }

    private mutating func send(_ message: JSONValue) { output += MessageFraming.message(message.line) }
}
