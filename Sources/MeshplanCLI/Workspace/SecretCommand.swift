import MeshCore
import Store
import SystemLayer

/// Runs the command that prints a secret, as `/bin/sh -c` does, with the environment and without standard input. Passes
/// on its standard error while it runs, because the command may ask for a token or a finger.
///
/// The command comes from the command line or the environment, never from a database: a file that somebody else can
/// write must not be able to name a program to run. Neither the command nor its output is ever shown.
struct SecretCommand {
    var context: Context

    /// The secret that the command prints.
    ///
    /// - Parameter command: the command line for the shell.
    /// - Throws: ``Failure`` if it cannot be run, fails, takes longer than ``Context/keyCommandTimeout``, or prints too
    ///   much; ``StoreError`` if it does not print a secret.
    func key(_ command: String) throws -> DatabaseSecret {
        guard !command.trimmed.isEmpty else {
            throw Failure(.usage, "the key command is empty", hint: "Name the command that prints the secret.")
        }
        let shell = ShellCommand(
            environment: context.environment,
            timeout: context.keyCommandTimeout,
            // Two line breaks may follow the secret.
            outputLimit: DatabaseSecret.greatestPrinted + 2,
            talkLimit: 64 * 1024
        )
        let printed: SecretOctets
        do throws(ShellCommand.Problem) {
            printed = SecretOctets(
                try shell.run(command) { context.errorOutput.write(String(decoding: $0, as: UTF8.self)) }
            )
        } catch {
            throw failure(error)
        }
        return try printed.withOctets(DatabaseSecret.command)
    }

    private func failure(_ problem: ShellCommand.Problem) -> Failure {
        switch problem {
        case .notStarted(let reason): Failure(.failure, "the key command cannot be run: \(reason)")
        case .late:
            Failure(
                .failure,
                "the key command has not ended after \(context.keyCommandTimeout.components.seconds) s and was stopped",
                hint: "Run it yourself to see what it waits for; it has no standard input."
            )
        case .lost(let reason):
            Failure(
                .failure,
                "nobody knows whether the key command has succeeded: \(reason)",
                hint: "Run it again."
            )
        case .tooMuch:
            Failure(
                .failure,
                "the key command prints more than \(DatabaseSecret.greatestPrinted) octets",
                hint: "It must print only the secret."
            )
        case .signalled(let signal): ended("was ended by signal \(signal)")
        case .failed(let code): ended("ended with exit code \(code)")
        }
    }

    private func ended(_ how: String) -> Failure {
        Failure(
            .failure,
            "the key command \(how)",
            hint: "Run it yourself to see why; it has to print the secret on standard output and end with 0."
        )
    }
}
