import CPostgreSQL

/// Where a database is: `postgres://user@host:port/database?parameters`, in libpq's notation. What the address leaves
/// out libpq takes from its usual places: `PG…` variables, service files and password files.
///
/// The description names host and database only; the rest may hold a password.
package struct PostgreSQLAddress: Hashable, Sendable {
    /// The whole address. Only libpq gets to see it.
    let url: String
    /// The parts that messages must not show.
    let secrets: [String]
    private(set) var connectTimeout: Duration
    /// Host and database.
    private let name: String
    /// The servers that it names, if it names several.
    private let servers: [Place]
    /// The one of them that is meant; nil for the first that does.
    private var chosen: Place?
    private let hasSeveralServers: Bool
    /// Whether readers, too, need the server that accepts changes. The address may say otherwise.
    package let isOfPrimary: Bool

    /// One of several servers.
    private struct Place: Hashable {
        var host: String
        var port: String

        var isUsualPort: Bool { port == "5432" }
        /// Host and port; the usual port is left out.
        var name: String { isUsualPort ? host : "\(host):\(port)" }
    }

    /// The address of each server if this one names several; empty if it names one.
    ///
    /// Each is asked for at most 5 seconds, so one that is gone does not hold up the others.
    package var eachServer: [PostgreSQLAddress] {
        servers.map { place in
            var address = self
            address.chosen = place
            address.connectTimeout = min(.seconds(5), connectTimeout)
            return address
        }
    }

    /// Whether a text has the form of such an address, readable or not.
    package static func isAddress(_ text: String) -> Bool {
        text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
    }

    /// Reads an address.
    ///
    /// - Throws: ``PostgreSQLError/Kind/address`` if libpq cannot read the address or it may show a password in a wrong
    ///   place, ``PostgreSQLError/Kind/connection`` if there is not enough memory.
    package init(_ url: String) throws(PostgreSQLError) {
        guard PostgreSQLAddress.isAddress(url), !url.utf8.contains(0),
            // libpq's own message may quote any part of the address, the password included.
            let options = PQconninfoParse(url, nil)
        else { throw PostgreSQLError(.address, "the address of the database cannot be read") }
        defer { PQconninfoFree(options) }
        guard let defaults = PQconndefaults() else {
            throw PostgreSQLError(.connection, "there is not enough memory")
        }
        defer { PQconninfoFree(defaults) }
        let (given, usual) = (PostgreSQLAddress.values(options), PostgreSQLAddress.values(defaults))
        func value(_ keyword: String) -> String? { given[keyword] ?? usual[keyword] }

        self.url = url
        secrets = ["password", "sslpassword"].compactMap(value)
        let host = given["host"] ?? given["hostaddr"] ?? usual["host"] ?? usual["hostaddr"] ?? ""
        let database = value("dbname") ?? value("user") ?? ""
        // An unescaped `/` or `@` in a password moves part of it to another field, which messages would show.
        let ports = (given["port"] ?? "").split(separator: ",")
        guard !host.contains("@"), !(given["dbname"] ?? "").contains("@"), ports.allSatisfy({ UInt16($0) != nil })
        else {
            throw PostgreSQLError(
                .address,
                "the address of the database cannot be read; in a password, write / as %2F, @ as %40 and : as %3A"
            )
        }
        // A parameter behind the wrong character becomes part of a name, and messages would show a password in it.
        guard [host, given["dbname"] ?? ""].allSatisfy({ $0.allSatisfy(PostgreSQLAddress.mayStandInName) }) else {
            throw PostgreSQLError(
                .address,
                "the address of the database cannot be read: host and database have no =, &, ? and no blanks in their "
                    + "names; parameters follow one ? and are separated by &"
            )
        }
        let usualPort = usual["port"].flatMap { $0.isEmpty ? nil : $0 } ?? "5432"
        let places = PostgreSQLAddress.places(hosts: host, ports: value("port") ?? "", usualPort)
        if host.isEmpty || host.hasPrefix("/") {
            let ports = places.map(\.port).joined(separator: ",")
            let port = places.count > 1 && places.contains { !$0.isUsualPort } ? "&port=\(ports)" : ""
            name = "postgres:///\(database)" + (host.isEmpty ? "" : "?host=\(host)\(port)")
        } else {
            name = "postgres://\(places.map(\.name).joined(separator: ","))/\(database)"
        }
        let hosts = places.count
        hasSeveralServers = hosts > 1
        let wanted = given["target_session_attrs"] ?? ""
        isOfPrimary = ["", "any", "read-write", "primary"].contains(wanted)
        // With addresses of machines beside their names, libpq takes the former.
        servers = hosts > 1 && given["hostaddr"] == nil && usual["hostaddr"] == nil ? places : []
        let seconds = value("connect_timeout").flatMap { Int($0) } ?? 10
        connectTimeout = .seconds(max(hosts, 1) * (seconds > 0 ? min(seconds, 600) : 600))
        isKept = ["keepalives", "keepalives_idle", "tcp_user_timeout"].contains { value($0) != nil }
    }

    private static func mayStandInName(_ character: Character) -> Bool {
        !"=&?".contains(character) && !character.isWhitespace
            && character.unicodeScalars.allSatisfy { $0.value >= 0x20 }
    }

    /// Whether the user has set when to give up a silent connection.
    private let isKept: Bool

    /// The parameters for libpq. The address comes last, so it wins over the defaults before it.
    var parameters: [(keyword: String, value: String)] {
        var parameters = [("fallback_application_name", "meshplan"), ("client_encoding", "UTF8")]
        if !isKept {
            // This notices within half a minute that a peer has vanished.
            parameters += [
                ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
                ("tcp_user_timeout", "25000"),
            ]
        }
        // Of several servers, one that accepts changes, unless the address asks for others.
        if hasSeveralServers { parameters.append(("target_session_attrs", "read-write")) }
        parameters.append(("dbname", url))
        if let chosen { parameters += [("host", chosen.host), ("port", chosen.port), ("target_session_attrs", "any")] }
        return parameters
    }

    /// Hosts and ports as libpq pairs them: as many ports as hosts, or one for all.
    private static func places(hosts: String, ports: String, _ usual: String) -> [Place] {
        let hosts = hosts.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let ports = ports.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        return hosts.enumerated().map { index, host in
            let port = index < ports.count ? ports[index] : ports.last ?? ""
            return Place(host: host, port: port.isEmpty ? usual : port)
        }
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
    /// Host and database, without secrets.
    package var description: String { PostgreSQLError.line(name, hiding: secrets) }
    package var debugDescription: String { description }
}

extension PostgreSQLAddress: CustomReflectable {
    /// Only the description.
    package var customMirror: Mirror { Mirror(self, children: ["name": description]) }
}
