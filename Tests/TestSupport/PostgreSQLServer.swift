import Foundation

/// A real PostgreSQL server in a temporary folder. Only a Unix socket in the folder reaches it, so it collides with
/// nothing. One server serves all tests of a process, and ends with the process, however that ends.
package final class PostgreSQLServer: Sendable {
    /// The folder of the server's programs; nil if they are not installed.
    package static let programs: String? = {
        let parent = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        let folders =
            versions.sorted { (Double($0) ?? 0) > (Double($1) ?? 0) }.map { "\(parent)/\($0)/bin" }
            + ["/opt/homebrew/opt/postgresql/bin", "/usr/local/pgsql/bin", "/usr/local/bin", "/usr/bin"]
        return folders.first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
    }()

    /// Whether tests can have a server.
    package static var isInstalled: Bool { programs != nil }
    /// The reason for skipping tests without a server.
    package static let isNotInstalled = "PostgreSQL is not installed (on Debian: apt-get install postgresql)"

    private static let started = Result { try PostgreSQLServer() }

    /// The server of this process, started at the first use.
    package static var shared: PostgreSQLServer {
        get throws { try started.get() }
    }

    /// The folder of the socket, with a path short enough for a socket's address.
    package let folder: String
    /// A role that needs a password, and the password.
    package static let guarded = (user: "guarded", password: "s3cr%t")

    /// Why the server cannot be used.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        init(description: String) {
            self.description = description
        }
    }

    private init() throws {
        guard let programs = PostgreSQLServer.programs else {
            throw Failure(description: PostgreSQLServer.isNotInstalled)
        }
        folder = "/tmp/meshplan-pg-\(getpid())"
        // The server refuses to run as root; its package creates a user for it. A shell starts the server and waits for
        // the end of its standard input, which comes when this process ends. It then stops the server and removes the
        // folder.
        let script = """
            set -eu
            as=""
            if [ "$(id -u)" = 0 ]; then as="setpriv --reuid=postgres --regid=postgres --clear-groups"; fi
            rm -rf "$1" && mkdir -p "$1" && chmod 755 "$1"
            if [ -n "$as" ]; then chown postgres:postgres "$1"; fi
            cd "$1"
            $as "$2/initdb" -D "$1/data" -U meshplan -A trust -E UTF8 --no-locale --no-sync >"$1/log" 2>&1 </dev/null
            printf 'local all guarded scram-sha-256\\nlocal all all trust\\n' >"$1/data/pg_hba.conf"
            $as "$2/postgres" -D "$1/data" -k "$1" -c listen_addresses= -c fsync=off -c max_connections=120 -c dynamic_shared_memory_type=mmap \\
                -c shared_buffers=16MB >>"$1/log" 2>&1 </dev/null &
            server=$!
            trap '' INT TERM HUP
            cat >/dev/null || true
            kill -INT $server || true
            wait $server || true
            rm -rf "$1"
            """
        // The writing end is never closed here: the system closes it when this process ends.
        let input = try SpawnedProcess.pipe()
        defer { close(input.read) }
        let process = try SpawnedProcess(["/bin/sh", "-c", script, "sh", folder, programs], input: input.read)
        let deadline = ContinuousClock.now.advanced(by: .seconds(60))
        while (try? sql("SELECT 1", in: "postgres")) == nil {
            guard ContinuousClock.now < deadline, process.isRunning else {
                let log = (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? ""
                throw Failure(description: "PostgreSQL did not start: \(log.suffix(400))")
            }
            Thread.sleep(forTimeInterval: 0.05)
        }
        _ = try sql(
            "CREATE ROLE \(PostgreSQLServer.guarded.user) LOGIN PASSWORD '\(PostgreSQLServer.guarded.password)'",
            in: "postgres"
        )
    }

    /// The address of a database.
    ///
    /// - Parameters:
    ///   - user: the user as in the address, possibly with a password.
    ///   - folder: the folder of another socket that leads to the server; nil for the server's own.
    package func address(_ database: String, user: String = "meshplan", through folder: String? = nil) -> String {
        let host = (folder ?? self.folder).replacing("/", with: "%2F")
        return "postgres://\(user)@\(host)/\(database)"
    }

    /// A database that is empty at first, and removed with the last reference to it.
    package final class Database: Sendable {
        /// Its name.
        package let name: String
        private let server: PostgreSQLServer

        fileprivate init(_ server: PostgreSQLServer) throws {
            name = "t" + UUID().uuidString.lowercased().replacing("-", with: "").prefix(20)
            self.server = server
            try server.sql("CREATE DATABASE \(name)", in: "postgres")
        }

        deinit {
            _ = try? server.sql("DROP DATABASE \(name) WITH (FORCE)", in: "postgres")
        }
    }

    /// Creates an empty database.
    package func newDatabase() throws -> Database { try Database(self) }

    /// Runs SQL independently of the tested code.
    ///
    /// - Returns: one line per row, with columns separated by `|`.
    @discardableResult
    package func sql(_ text: String, in database: String) throws -> String {
        let (ending, output) = try SpawnedProcess.run([
            (PostgreSQLServer.programs ?? "") + "/psql", "-h", folder, "-U", "meshplan", "-d", database, "-X", "-q",
            "-A",
            "-t", "-v", "ON_ERROR_STOP=1", "-c", text,
        ])
        guard ending.status == 0, !ending.wasKilled else { throw Failure(description: output) }
        return output.trimmingCharacters(in: .newlines)
    }
}
