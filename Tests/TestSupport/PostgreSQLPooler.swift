import Foundation

/// PgBouncer in front of the server of the tests, in transaction mode: each transaction gets one of two connections to the
/// server, whichever is free, so what a client sets in its session others find, and it itself does not.
package final class PostgreSQLPooler: Sendable {
    /// The program's path; nil if it is not installed.
    package static let program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }
    /// The reason for skipping tests without it.
    package static let isNotInstalled = "PgBouncer is not installed (on Debian: apt-get install pgbouncer)"

    private static let started = Result { try PostgreSQLPooler(of: .shared) }

    /// The pooler of this process, started at the first use.
    package static var shared: PostgreSQLPooler {
        get throws { try started.get() }
    }

    /// The folder of its socket.
    package let folder: String

    private init(of server: PostgreSQLServer) throws {
        guard let program = PostgreSQLPooler.program else {
            throw PostgreSQLServer.Failure(description: PostgreSQLPooler.isNotInstalled)
        }
        folder = server.folder + "/pooler"
        let script = """
            set -eu
            as=""
            if [ "$(id -u)" = 0 ]; then as="setpriv --reuid=postgres --regid=postgres --clear-groups"; fi
            mkdir -p "$1" && cd "$1"
            printf '"meshplan" ""\\n' >users
            cat >settings <<END
            [databases]
            * = host=$3
            [pgbouncer]
            listen_addr =
            listen_port = 5432
            unix_socket_dir = $1
            auth_type = trust
            auth_file = $1/users
            pool_mode = transaction
            default_pool_size = 2
            max_client_conn = 100
            END
            if [ -n "$as" ]; then chown -R postgres:postgres "$1"; fi
            $as "$2" "$1/settings" >"$1/log" 2>&1 </dev/null &
            pooler=$!
            trap '' INT TERM HUP
            cat >/dev/null || true
            kill -KILL $pooler || true
            """
        // The writing end is never closed here: the system closes it when this process ends.
        let input = try SpawnedProcess.pipe()
        defer { close(input.read) }
        let process = try SpawnedProcess(
            ["/bin/sh", "-c", script, "sh", folder, program, server.folder],
            input: input.read
        )
        let deadline = ContinuousClock.now.advanced(by: .seconds(20))
        while !FileManager.default.fileExists(atPath: folder + "/.s.PGSQL.5432") {
            guard ContinuousClock.now < deadline, process.isRunning else {
                let log = (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? ""
                throw PostgreSQLServer.Failure(description: "PgBouncer did not start: \(log.suffix(400))")
            }
            Thread.sleep(forTimeInterval: 0.05)
        }
    }

    /// Runs SQL through it, independently of the tested code.
    package static func sql(_ text: String, in database: String) throws -> String {
        let (ending, output) = try SpawnedProcess.run([
            (PostgreSQLServer.programs ?? "") + "/psql", "-h", try shared.folder, "-U", "meshplan", "-d", database,
            "-X",
            "-q", "-A", "-t", "-c", text,
        ])
        guard ending.status == 0 else { throw PostgreSQLServer.Failure(description: output) }
        return output.trimmingCharacters(in: .newlines)
    }
}
