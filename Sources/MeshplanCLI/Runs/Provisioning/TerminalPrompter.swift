import Execution
import MeshCore
import Planning
import Simulator
import SystemLayer

/// Answers out-of-band questions of an apply: from files with secrets, or by asking the person at the terminal.
final class TerminalPrompter {
    private let context: Context
    private let terminal: RunTerminal
    private let secrets: SecretsReader
    private let simulation: Simulation?
    private var question: OutOfBandQuestion?
    private var isAnswered = false

    /// Asks on the terminal of a context.
    ///
    /// - Parameter simulation: the simulated world of this process, if it contains the devices. Its time stands still
    ///   while the person thinks, and values for its devices are entered here.
    init(context: Context, terminal: RunTerminal, secrets: SecretsReader, simulation: Simulation?) {
        self.context = context
        self.terminal = terminal
        self.secrets = secrets
        self.simulation = simulation
    }

    /// Whether a person can be asked: sees the output and can type.
    static func isAttended(_ context: Context) -> Bool {
        context.terminal.isInputTerminal && context.terminal.isErrorTerminal
    }

    /// The prompter in the form that the executor takes.
    var forExecutor: OutOfBandPrompter {
        OutOfBandPrompter(
            staticValue: { [secrets] order throws(ExecutionContext.KeyError) in try secrets.staticValue(order) },
            publicKey: { [secrets] order throws(ExecutionContext.KeyError) in try secrets.publicKey(order) },
            isAttended: Self.isAttended(context),
            ask: { self.ask($0) },
            answer: { self.answer() },
            withdraw: { self.withdraw() }
        )
    }

    /// Discards input while no answer is awaited.
    func discardUnasked() {
        guard simulation == nil, Self.isAttended(context) else { return }
        if case .output = question, !isAnswered { return }
        while case .line = context.lineInput.poll() {}
    }

    private func ask(_ question: OutOfBandQuestion) {
        terminal.endQuestion(isAnswered: true)
        self.question = question
        isAnswered = false
        context.lineInput.discard()
        switch question {
        case .output: terminal.ask(question.text)
        case .input(let device, _, _):
            guard let simulation else { return terminal.say(text: question.text + "\n") }
            terminal.ask(question.text + " What does the person enter?")
            putIn(device, simulation)
        }
    }

    /// Lets the person enter a value at the keyboard, in place of the simulated device's button.
    private func putIn(_ device: String, _ simulation: Simulation) {
        while let line = context.readLine() {
            do throws(DeviceInputError) {
                try simulation.input(device, line.trimmed.uppercased())
                isAnswered = true
                return terminal.endQuestion(isAnswered: true)
            } catch {
                guard case .value(let problem) = error else { return terminal.endQuestion(isAnswered: false) }
                terminal.askAgain(because: "\(problem)".asSentence)
            }
        }
        terminal.endQuestion(isAnswered: false)
    }

    private func answer() -> String? {
        guard let question, !isAnswered, case .output = question else { return nil }
        while let line = nextLine() {
            do throws(OutOfBandValueError) {
                let answer = try question.answer(in: line)
                isAnswered = true
                terminal.endQuestion(isAnswered: true)
                return answer
            } catch {
                terminal.askAgain(because: "\(error)".asSentence)
            }
        }
        return nil
    }

    private func nextLine() -> String? {
        if simulation != nil { return context.readLine() }
        guard case .line(let line) = context.lineInput.poll() else { return nil }
        return line
    }

    private func withdraw() {
        terminal.endQuestion(isAnswered: isAnswered)
        question = nil
    }
}
