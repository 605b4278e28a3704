import CPostgreSQL

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A connection to a server. Nothing else calls libpq.
///
/// Parameters and results travel in binary. It never waits longer than its patience for a silent server. After an error
/// of kind ``PostgreSQLError/Kind/connection`` it cannot be used any more. It belongs to one thread.
package final class PostgreSQLConnection {
    private let handle: OpaquePointer
    private let secrets: [String]
    private let patience: Duration
    /// A descriptor that ends all waiting when it becomes readable.
    package var interrupt: Int32?
    /// Whether it broke or was left in the middle of an exchange.
    package private(set) var isBroken = false

    /// Connects.
    ///
    /// - Parameters:
    ///   - address: where the server is.
    ///   - patience: how long a server may stay silent during an exchange.
    ///   - interrupt: a descriptor that ends all waiting when it becomes readable.
    /// - Throws: ``PostgreSQLError/Kind/connection``, with the server's reason if it gave one.
    package init(
        _ address: PostgreSQLAddress,
        patience: Duration = .seconds(30),
        interrupt: Int32? = nil
    ) throws(PostgreSQLError) {
        let parameters = address.parameters
        guard let handle = PostgreSQLConnection.start(parameters) else {
            throw PostgreSQLError(.connection, "there is not enough memory")
        }
        self.handle = handle
        secrets = address.secrets
        self.patience = patience
        self.interrupt = interrupt
        cpostgresql_ignore_notices(handle)
        // Only with this setting do errors during connecting show the server's reason.
        _ = PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        try establish(within: address.connectTimeout)
        _ = PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
        guard PQsetnonblocking(handle, 1) == 0 else { throw broken() }
        if let password = PQpass(handle).map({ String(cString: $0) }), !password.isEmpty,
            !secrets.contains(password)
        {
            storedPassword = password
        }
    }

    /// A password that libpq found outside the address.
    private var storedPassword: String?

    deinit {
        PQfinish(handle)
    }

    /// Whether it can be used for something else: it is not broken, and no transaction is open.
    package var isIdle: Bool { !isBroken && PQtransactionStatus(handle) == PQTRANS_IDLE }

    private static func start(_ parameters: [(keyword: String, value: String)]) -> OpaquePointer? {
        let keywords = parameters.map { strdup($0.keyword) }
        let values = parameters.map { strdup($0.value) }
        defer { for text in keywords + values { free(text) } }
        let constantKeywords = keywords.map { UnsafePointer($0) } + [nil]
        let constantValues = values.map { UnsafePointer($0) } + [nil]
        return PQconnectStartParams(constantKeywords, constantValues, 1)
    }

    private func establish(within timeout: Duration) throws(PostgreSQLError) {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        guard PQstatus(handle) != CONNECTION_BAD else { throw unconnected() }
        var events = Int16(POLLOUT)
        while true {
            let rest = ContinuousClock.now.duration(to: deadline)
            guard rest > .zero, try wait(for: events, atMost: rest) else {
                throw PostgreSQLError(.connection, "the server does not answer")
            }
            let status = PQstatus(handle)
            let state = PQconnectPoll(handle)
            if state == PGRES_POLLING_OK { return }
            guard state == PGRES_POLLING_READING || state == PGRES_POLLING_WRITING else {
                throw unconnected(isTaken: PostgreSQLConnection.takenStates.contains(status.rawValue))
            }
            events = Int16(state == PGRES_POLLING_READING ? POLLIN : POLLOUT)
        }
    }

    /// The states of libpq in which somebody has taken the connection, but no server has spoken.
    private static let takenStates = [
        CONNECTION_MADE.rawValue, CONNECTION_AWAITING_RESPONSE.rawValue, CONNECTION_SSL_STARTUP.rawValue,
    ]

    /// Runs statements one after the other, all in one round trip.
    ///
    /// After an error the remaining statements are not run, and an open transaction is rolled back.
    ///
    /// - Returns: as many results as there are statements.
    /// - Throws: ``PostgreSQLError/Kind/refused`` if the server refused a statement,
    ///   ``PostgreSQLError/Kind/connection`` if it is not known what the server did.
    package func run(_ statements: [SQLStatement]) throws(PostgreSQLError) -> [SQLResult] {
        try outcome(try pipeline(statements))
    }

    /// Runs statements one after the other as ``run(_:)`` does, all in one round trip, and calls `body` with each row
    /// of one of them as it arrives, so all rows are never in memory together. If `body` throws, or the server fails in
    /// the middle of the rows, the connection cannot be used any more.
    ///
    /// - Parameters:
    ///   - before: the statements before it.
    ///   - query: the query whose rows are visited.
    ///   - after: the statements behind it.
    /// - Returns: the results of all but the query, and the error that `body` threw; nil if it threw none.
    /// - Throws: ``PostgreSQLError/Kind/refused`` if the server refused a statement,
    ///   ``PostgreSQLError/Kind/connection`` if the connection broke.
    package func run<Failure: Error>(
        _ before: [SQLStatement] = [],
        forEachRow query: SQLStatement,
        _ after: [SQLStatement] = [],
        _ body: (SQLRow) throws(Failure) -> Void
    ) throws(PostgreSQLError) -> (results: [SQLResult], failure: Failure?) {
        try send(before + [query] + after)
        var answers = Answers()
        for _ in before { try collect(&answers) }
        if answers.failure == nil {
            guard PQsetSingleRowMode(handle) == 1 else { throw broken() }
            while let result = try nextResult() {
                defer { PQclear(result) }
                let rows = try contents(result, isPartOfRows: true).rows
                do throws(Failure) {
                    for row in rows { try body(row) }
                } catch {
                    isBroken = true
                    return (answers.results, error)
                }
            }
        } else {
            try collect(&answers)
        }
        for _ in after { try collect(&answers) }
        try end()
        return (try outcome(answers), nil)
    }

    /// The answers to the statements of a round trip so far.
    private struct Answers {
        var results: [SQLResult] = []
        /// Why the server refused one. Then it runs no later ones.
        var failure: PostgreSQLError?
    }

    private func pipeline(_ statements: [SQLStatement]) throws(PostgreSQLError) -> Answers {
        try send(statements)
        var answers = Answers()
        for _ in statements { try collect(&answers) }
        try end()
        return answers
    }

    private func send(_ statements: [SQLStatement]) throws(PostgreSQLError) {
        guard !isBroken, PQenterPipelineMode(handle) == 1 else { throw broken() }
        for statement in statements { try send(statement) }
        guard PQpipelineSync(handle) == 1 else { throw broken() }
    }

    /// Takes the answer to the next statement.
    private func collect(_ answers: inout Answers) throws(PostgreSQLError) {
        guard let result = try nextResult() else { throw broken() }
        defer { PQclear(result) }
        if answers.failure == nil {
            do throws(PostgreSQLError) {
                answers.results.append(try contents(result))
            } catch {
                answers.failure = error
            }
        }
        guard try nextResult() == nil else { throw broken() }
    }

    /// Takes the end of the answers.
    private func end() throws(PostgreSQLError) {
        guard let end = try nextResult() else { throw broken() }
        defer { PQclear(end) }
        guard PQresultStatus(end) == PGRES_PIPELINE_SYNC, PQexitPipelineMode(handle) == 1 else {
            throw broken()
        }
    }

    /// The results. If the server refused a statement, an open transaction is rolled back.
    private func outcome(_ answers: Answers) throws(PostgreSQLError) -> [SQLResult] {
        guard let failure = answers.failure else { return answers.results }
        if PQtransactionStatus(handle) != PQTRANS_IDLE { _ = try pipeline([SQLStatement("ROLLBACK")]) }
        throw failure
    }

    // MARK: Sending and receiving

    private func send(_ statement: SQLStatement) throws(PostgreSQLError) {
        let types = statement.parameters.map { Oid($0.type) }
        let values = statement.parameters.map(\.encoded)
        guard values.allSatisfy({ $0.count <= Int(Int32.max) }) else {
            throw PostgreSQLError(.refused, "a value is larger than two gigabytes")
        }
        // All values are in one buffer, so their addresses stay valid during the call.
        let octets = values.flatMap(\.self) + [0]
        let lengths = values.map { Int32($0.count) }
        let formats = [Int32](repeating: 1, count: values.count)
        let isSent = octets.withUnsafeBytes { buffer in
            var start = 0
            let pointers: [UnsafePointer<CChar>?] = values.map { value in
                defer { start += value.count }
                return buffer.baseAddress?.advanced(by: start).assumingMemoryBound(to: CChar.self)
            }
            return PQsendQueryParams(
                handle,
                statement.sql,
                Int32(values.count),
                types,
                pointers,
                lengths,
                formats,
                1
            ) == 1
        }
        guard isSent else { throw broken() }
    }

    private func nextResult() throws(PostgreSQLError) -> OpaquePointer? {
        while true {
            let unsent = PQflush(handle)
            guard unsent >= 0 else { throw broken() }
            if unsent == 0, PQisBusy(handle) == 0 { return PQgetResult(handle) }
            let events = Int16(unsent == 0 ? POLLIN : POLLIN | POLLOUT)
            guard try wait(for: events, atMost: patience) else {
                isBroken = true
                throw PostgreSQLError(.connection, "the server does not answer any more")
            }
            guard PQconsumeInput(handle) == 1 else { throw broken() }
        }
    }

    /// The result as values.
    ///
    /// - Parameter isPartOfRows: whether it is one of the results of a query that returns row by row.
    private func contents(
        _ result: OpaquePointer,
        isPartOfRows: Bool = false
    ) throws(PostgreSQLError) -> SQLResult {
        let status = PQresultStatus(result)
        switch status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE:
            let count = PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
            return SQLResult(rows: (0..<PQntuples(result)).map { SQLRow(result, row: $0) }, count: count)
        case PGRES_PIPELINE_ABORTED:
            throw PostgreSQLError(.refused, "a statement before it failed")
        default:
            let state = cpostgresql_sqlstate(result).map { String(cString: $0) }
            let text =
                cpostgresql_primary_message(result) ?? PQresultErrorMessage(result).map { UnsafePointer($0) }
            let message = line(text.map { String(cString: $0) } ?? "")
            // 08: connection exceptions; 57P01…: the server shuts down; 40003: the server itself does not know what was
            // done.
            let isLost =
                state == nil || PQstatus(handle) == CONNECTION_BAD || state?.hasPrefix("08") == true
                || ["57P01", "57P02", "57P03", "57P05", "25P03", "40003"].contains(state)
            if isLost || isPartOfRows { isBroken = true }
            throw PostgreSQLError(isLost ? .connection : .refused, state: state, message)
        }
    }

    /// Waits until the socket is ready; false if that takes too long.
    private func wait(for events: Int16, atMost limit: Duration) throws(PostgreSQLError) -> Bool {
        let deadline = ContinuousClock.now.advanced(by: limit)
        while true {
            let rest = ContinuousClock.now.duration(to: deadline)
            let milliseconds = rest.components.seconds * 1000 + rest.components.attoseconds / 1_000_000_000_000_000
            var polled = [pollfd(fd: PQsocket(handle), events: events, revents: 0)]
            if let interrupt { polled.append(pollfd(fd: interrupt, events: Int16(POLLIN), revents: 0)) }
            let ready = poll(&polled, nfds_t(polled.count), Int32(clamping: max(milliseconds, 0)))
            if ready < 0, errno == EINTR { continue }
            guard ready >= 0 else { throw broken() }
            if polled.count > 1, polled[1].revents != 0 {
                isBroken = true
                throw PostgreSQLError(.connection, "interrupted")
            }
            if polled[0].revents != 0 { return true }
            if milliseconds <= 0 { return false }
        }
    }

    // MARK: Errors

    private func line(_ text: String) -> String {
        PostgreSQLError.line(text, hiding: secrets + [storedPassword].compactMap(\.self))
    }

    private func broken() -> PostgreSQLError {
        isBroken = true
        let message = line(PQerrorMessage(handle).map { String(cString: $0) } ?? "")
        return PostgreSQLError(.connection, message.isEmpty ? "the connection was lost" : message)
    }

    /// Why there is no connection. The server's own words come as `severity:  SQLSTATE: message`, then lines of detail.
    ///
    /// - Parameter isTaken: whether somebody had taken the connection.
    private func unconnected(isTaken: Bool = false) -> PostgreSQLError {
        isBroken = true
        let text = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
        guard let mark = text.firstRange(of: #/:  ([0-9A-Z]{5}): /#) else {
            // Lines that begin with a tab are questions to the user.
            let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("\t") }.joined(separator: "; ")
            var error = PostgreSQLError(.connection, line(lines.isEmpty ? "the server cannot be reached" : lines))
            error.isDropped = isTaken
            return error
        }
        let state = String(text[mark].dropFirst(3).prefix(5))
        let message = text[mark.upperBound...].prefix { !$0.isNewline }
        return PostgreSQLError(.connection, state: state, line(String(message)))
    }
}
