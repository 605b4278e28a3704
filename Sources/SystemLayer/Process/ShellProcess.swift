#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Starts processes of `/bin/sh`.
enum ShellProcess {
    /// Why that failed, in the system's words.
    struct Failure: Error {
        var reason: String

        init(number: Int32) {
            reason = FileError.text(ofError: number)
        }
    }

    /// Starts the shell.
    ///
    /// - Parameters:
    ///   - words: what follows `/bin/sh`.
    ///   - input: its standard input, which is empty if this is nil.
    ///   - isGroup: whether it is a process group of its own.
    static func start(
        _ words: [String],
        environment: [String: String],
        input: Int32? = nil,
        output: Int32,
        errors: Int32,
        isGroup: Bool = false
    ) throws(Failure) -> StartedProcess {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        // Where children are ignored, as some programs that start us have it, nobody is told how they ended.
        signal(SIGCHLD, SIG_DFL)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        // Otherwise it would inherit our ignored signals.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in Signals.ignored { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        if isGroup { posix_spawnattr_setpgroup(&attributes, 0) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | (isGroup ? POSIX_SPAWN_SETPGROUP : 0)))
        var arguments: [UnsafeMutablePointer<CChar>?] = (["/bin/sh"] + words).map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var process: pid_t = 0
        let error = posix_spawn(&process, "/bin/sh", &actions, &attributes, &arguments, &variables)
        guard error == 0 else { throw Failure(number: error) }
        return StartedProcess(number: process)
    }
}
