import Foundation

/// Two real PostgreSQL servers: a primary, and a standby that follows it, both in temporary folders. They end with the
/// process, however that ends.
package final class PostgreSQLPair {
    /// One of the two.
    package enum Member: String, CaseIterable {
        case first
        case second
    }

    /// The folder of everything. Each server's socket is in a folder of its own in it.
    package let folder: String
    private let programs: String
    /// Closing these ends the servers.
    private var inputs: [Member: Int32] = [:]

    /// Starts both. The first is the primary.
    package init() throws {
        guard let programs = PostgreSQLServer.programs else {
            throw PostgreSQLServer.Failure(description: PostgreSQLServer.isNotInstalled)
        }
        self.programs = programs
        folder = "/tmp/meshplan-pair-\(getpid())-\(UUID().uuidString.prefix(4))"
        try shell(
            """
            rm -rf "$1" && mkdir -p "$1/first" "$1/second" && chmod -R 755 "$1"
            if [ -n "$as" ]; then chown -R postgres:postgres "$1"; fi
            $as "$2/initdb" -D "$1/first/data" -U meshplan -A trust -E UTF8 --no-locale --no-sync
            printf 'local all all trust\\nlocal replication all trust\\n' >"$1/first/data/pg_hba.conf"
            """
        )
        try start(.first)
        try shell(
            """
            $as "$2/pg_basebackup" -h "$1/first" -U meshplan -D "$1/second/data" -R -c fast --no-sync
            """
        )
        try start(.second)
    }

    deinit {
        for member in Member.allCases { kill(member) }
        for input in inputs.values { close(input) }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The folder of a server's socket.
    package func socket(of member: Member) -> String { folder + "/" + member.rawValue }

    /// The address of both, with the database `postgres`.
    package func address(_ members: [Member] = Member.allCases) -> String {
        let hosts = members.map { socket(of: $0).replacing("/", with: "%2F") }.joined(separator: ",")
        return "postgres://meshplan@\(hosts)/postgres"
    }

    /// Starts a server with the data that it has.
    package func start(_ member: Member) throws {
        let script = """
            as=""
            if [ "$(id -u)" = 0 ]; then as="setpriv --reuid=postgres --regid=postgres --clear-groups"; fi
            cd "$1"
            $as "$2/postgres" -D "$1/data" -k "$1" -c listen_addresses= -c fsync=off -c max_connections=120 \\
                -c dynamic_shared_memory_type=mmap -c shared_buffers=16MB -c wal_retrieve_retry_interval=100ms \\
                >>"$1/log" 2>&1 </dev/null &
            trap '' INT TERM HUP
            cat >/dev/null || true
            kill -KILL $! || true
            """
        if let input = inputs[member] { close(input) }
        let input = try SpawnedProcess.pipe()
        defer { close(input.read) }
        inputs[member] = input.write
        _ = try SpawnedProcess(["/bin/sh", "-c", script, "sh", socket(of: member), programs], input: input.read)
        try wait("\(member.rawValue) did not start") { (try? self.sql("SELECT 1", on: member)) != nil }
    }

    /// Kills a server with SIGKILL, and waits until nobody can connect to it.
    package func kill(_ member: Member) {
        let file = socket(of: member) + "/data/postmaster.pid"
        guard let line = try? String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").first,
            let number = Int32(line)
        else { return }
        _ = try? SpawnedProcess.run(["/bin/kill", "-KILL", String(number)])
        try? wait("\(member.rawValue) does not end") { (try? self.sql("SELECT 1", on: member)) == nil }
    }

    /// Makes the second server the primary.
    package func promote() throws {
        try sql("SELECT pg_promote()", on: .second)
        try wait("the second was not promoted") { (try? self.sql("SELECT pg_is_in_recovery()", on: .second)) == "f" }
    }

    /// Stops what the standby applies and receives, so it lags behind from now on, until ``promote()``.
    package func holdBack() throws {
        let position = try sql("SELECT pg_current_wal_lsn()", on: .first)
        try wait("the second lags behind") {
            (try? self.sql("SELECT pg_last_wal_replay_lsn() >= '\(position)'::pg_lsn", on: .second)) == "t"
        }
        // A standby that has no address receives nothing, and on promotion it applies only what it has received.
        try sql("ALTER SYSTEM SET primary_conninfo = ''", on: .second)
        try sql("SELECT pg_reload_conf()", on: .second)
        try wait("the second still receives") {
            (try? self.sql("SELECT count(*) FROM pg_stat_wal_receiver", on: .second)) == "0"
        }
    }

    /// Runs SQL independently of the tested code.
    @discardableResult
    package func sql(_ text: String, on member: Member) throws -> String {
        let (ending, output) = try SpawnedProcess.run([
            programs + "/psql", "-h", socket(of: member), "-U", "meshplan", "-d", "postgres", "-X", "-q", "-A", "-t",
            "-v", "ON_ERROR_STOP=1", "-c", text,
        ])
        guard ending.status == 0, !ending.wasKilled else { throw PostgreSQLServer.Failure(description: output) }
        return output.trimmingCharacters(in: .newlines)
    }

    private func shell(_ script: String) throws {
        let beginning = """
            set -eu
            as=""
            if [ "$(id -u)" = 0 ]; then as="setpriv --reuid=postgres --regid=postgres --clear-groups"; fi
            cd /tmp

            """
        let (ending, output) = try SpawnedProcess.run(["/bin/sh", "-c", beginning + script, "sh", folder, programs])
        guard ending.status == 0, !ending.wasKilled else { throw PostgreSQLServer.Failure(description: output) }
    }

    private func wait(_ failure: String, until isDone: () -> Bool) throws {
        let deadline = ContinuousClock.now.advanced(by: .seconds(60))
        while !isDone() {
            guard ContinuousClock.now < deadline else { throw PostgreSQLServer.Failure(description: failure) }
            Thread.sleep(forTimeInterval: 0.05)
        }
    }
}
