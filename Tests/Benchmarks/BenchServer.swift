import Foundation
import Store

/// A PostgreSQL server in a temporary folder, which only a socket in that folder reaches. It ends with this process,
/// however that ends.
final class BenchServer {
    /// The folder of the server's programs; nil if they are not installed.
    static let programs: String? = {
        let parent = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        let folders =
            versions.sorted { (Double($0) ?? 0) > (Double($1) ?? 0) }.map { "\(parent)/\($0)/bin" }
            + ["/opt/homebrew/opt/postgresql/bin", "/usr/local/pgsql/bin", "/usr/local/bin", "/usr/bin"]
        return folders.first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
    }()

    private let folder: String
    private let process = Process()
    /// The server stops when this is closed.
    private let input = Pipe()

    /// The server refuses to run as root; its package makes a user for it.
    private static let script = """
        set -eu
        as=""
        if [ "$(id -u)" = 0 ]; then as="setpriv --reuid=postgres --regid=postgres --clear-groups"; fi
        rm -rf "$1" && mkdir -p "$1" && chmod 755 "$1"
        if [ -n "$as" ]; then chown postgres:postgres "$1"; fi
        cd "$1"
        $as "$2/initdb" -D "$1/data" -U meshplan -A trust -E UTF8 --no-locale --no-sync >"$1/log" 2>&1 </dev/null
        $as "$2/postgres" -D "$1/data" -k "$1" -c listen_addresses= -c fsync=off -c max_connections=60 \\
            -c dynamic_shared_memory_type=mmap >>"$1/log" 2>&1 </dev/null &
        server=$!
        trap '' INT TERM HUP
        cat >/dev/null || true
        kill -INT $server || true
        wait $server || true
        rm -rf "$1"
        """

    /// Starts a server.
    ///
    /// - Throws: ``BenchmarkFailure`` if it is not installed, or does not start within a minute.
    init() throws {
        guard let programs = Self.programs else {
            throw BenchmarkFailure("this benchmark needs PostgreSQL's server (on Debian: apt-get install postgresql)")
        }
        folder = "/tmp/meshplan-bench-pg-\(getpid())"
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", Self.script, "sh", folder, programs]
        process.standardInput = input
        try process.run()
        let deadline = ContinuousClock.now.advanced(by: .seconds(60))
        while true {
            if (try? store("postgres").prepare()) != nil { return }
            guard ContinuousClock.now < deadline, process.isRunning else {
                let log = (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? ""
                stop()
                throw BenchmarkFailure("PostgreSQL did not start: \(log.suffix(400))")
            }
            Thread.sleep(forTimeInterval: 0.05)
        }
    }

    deinit { stop() }

    private func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// The address of a database; `postgres` is there from the beginning.
    func address(_ database: String) -> String {
        "postgres://meshplan@\(folder.replacing("/", with: "%2F"))/\(database)"
    }

    /// The mesh databases in a database.
    func store(_ database: String) throws -> SharedStore {
        let start = ContinuousClock.now
        let clock = StoreClock(
            now: { ContinuousClock.now - start },
            wait: {
                Thread.sleep(forTimeInterval: $0 / .seconds(1))
                return true
            }
        )
        return try SharedStore(address(database), clock: clock)
    }

    /// Makes a database with the tables for mesh databases.
    func make(_ database: String) throws {
        let create = Process()
        create.executableURL = URL(filePath: (Self.programs ?? "") + "/createdb")
        create.arguments = ["-h", folder, "-U", "meshplan", database]
        try create.run()
        create.waitUntilExit()
        guard create.terminationStatus == 0, try store(database).prepare() else {
            throw BenchmarkFailure("the database \(database) cannot be made")
        }
    }
}
