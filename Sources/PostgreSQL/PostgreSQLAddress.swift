internal import CPostgreSQL

/// Where a database is: `postgres://user@host:port/database?parameters`, as libpq takes it. What it leaves out libpq takes
/// from its usual places: `PG…` variables, service and password files.
///
/// Its description names host and database only; the rest may hold a password.
package struct PostgreSQLAddress: Hashable, Sendable {
    /// For libpq alone.
    let url: String
    /// What must not be seen in messages.
    let secrets: [String]
    /// How long connecting may take.
    let connectTimeout: Duration
    /// Host and database.
    private let name: String

    /// Whether a text has the form of such an address, readable or not.
    package static func isAddress(_ text: String) -> Bool {
        text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
    }

    /// Reads an address.
    ///
    /// - Throws: ``PostgreSQLError/Kind/address``.
    package init(_ url: String) throws(PostgreSQLError) {
        guard PostgreSQLAddress.isAddress(url), !url.utf8.contains(0),
            // What libpq says of it may quote any part of it, the password too.
            let options = PQconninfoParse(url, nil)
        else { throw PostgreSQLError(.address, "the address of the database cannot be read") }
        defer { PQconninfoFree(options) }
        guard let defaults = PQconndefaults() else { throw PostgreSQLError(.connection, "there is not enough memory") }
        defer { PQconninfoFree(defaults) }
        let (given, usual) = (PostgreSQLAddress.values(options), PostgreSQLAddress.values(defaults))
        func value(_ keyword: String) -> String? { given[keyword] ?? usual[keyword] }

        self.url = url
        secrets = ["password", "sslpassword"].compactMap(value)
        let host = given["host"] ?? given["hostaddr"] ?? usual["host"] ?? usual["hostaddr"] ?? ""
        let database = value("dbname") ?? value("user") ?? ""
        // A password with a `/` or `@` in it that is not escaped ends up elsewhere, and would be shown there.
        let ports = (given["port"] ?? "").split(separator: ",")
        guard !host.contains("@"), !(given["dbname"] ?? "").contains("@"), ports.allSatisfy({ UInt16($0) != nil })
        else {
            throw PostgreSQLError(
                .address,
                "the address of the database cannot be read; in a password, write / as %2F, @ as %40 and : as %3A"
            )
        }
        let port = value("port").flatMap { $0 == "5432" || !$0.contains(where: \.isNumber) ? nil : ":" + $0 } ?? ""
        if host.isEmpty || host.hasPrefix("/") {
            name = "postgres:///\(database)" + (host.isEmpty ? "" : "?host=\(host)")
        } else {
            name = "postgres://\(host)\(port)/\(database)"
        }
        let hosts = host.split(separator: ",").count
        let seconds = value("connect_timeout").flatMap { Int($0) } ?? 10
        connectTimeout = .seconds(max(hosts, 1) * (seconds > 0 ? min(seconds, 600) : 600))
        isKept = ["keepalives", "keepalives_idle", "tcp_user_timeout"].contains { value($0) != nil }
    }

    /// Whether the user has said when a silent connection is given up.
    private let isKept: Bool

    /// What libpq is given: the address wins over what stands before it.
    var parameters: [(keyword: String, value: String)] {
        var parameters = [("fallback_application_name", "meshplan"), ("client_encoding", "UTF8")]
        if !isKept {
            // A peer that has vanished without a word is noticed within half a minute.
            parameters += [
                ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
                ("tcp_user_timeout", "25000"),
            ]
        }
        return parameters + [("dbname", url)]
    }

    private static func values(_ options: UnsafePointer<PQconninfoOption>) -> [String: String] {
        var values: [String: String] = [:]
        var next = options
        while let keyword = next.pointee.keyword {
            if let value = next.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            next += 1
        }
        return values
    }
}

extension PostgreSQLAddress: CustomStringConvertible, CustomDebugStringConvertible {
    /// Host and database.
    package var description: String { PostgreSQLError.line(name, hiding: secrets) }
    /// Host and database.
    package var debugDescription: String { description }
}

extension PostgreSQLAddress: CustomReflectable {
    /// Nothing more than the description.
    package var customMirror: Mirror { Mirror(self, children: ["name": description]) }
}
