import MeshCore
import SystemLayer

extension Context {
    /// The effects of the real process.
    package static func system() -> Context {
        let interrupts = Signals.prepare()
        let input = StandardInput(interrupts: interrupts)
        let terminal = Terminal(
            isInputTerminal: StandardStreams.isTerminal(.input),
            isOutputTerminal: StandardStreams.isTerminal(.output),
            isErrorTerminal: StandardStreams.isTerminal(.error),
            width: StandardStreams.terminalWidth()
        )
        var context = Context(
            Effects(
                workingDirectory: ThisProcess.workingFolder(),
                environment: ThisProcess.environment(),
                output: output(to: .output),
                errorOutput: output(to: .error),
                terminal: terminal,
                readLine: { input.read() },
                lineInput: LineInput(
                    poll: { input.pollLine() },
                    discard: { input.discard() },
                    descriptor: StandardStreams.inputDescriptor
                ),
                now: { Timestamp(rawValue: ThisProcess.secondsSince1970()) },
                randomBits: {
                    var generator = SystemRandomNumberGenerator()
                    return generator.next()
                },
                interrupts: interrupts,
                process: ProcessIdentity(
                    number: ThisProcess.number,
                    user: ThisProcess.userName(),
                    host: ThisProcess.hostName()
                ),
                pause: { ThisProcess.pause(for: $0, orUntil: interrupts.wakeUp) }
            )
        )
        context.clock = { ThisProcess.millisecondsSince1970() }
        context.byteInput = .descriptor(StandardStreams.inputDescriptor, wakeUp: interrupts.wakeUp)
        context.readSecret = { input.readHidden() }
        return context
    }

    private static func output(to stream: StandardStreams.Stream) -> Output {
        Output { text in
            switch StandardStreams.write(text, to: stream) {
            case nil: nil
            case .closed: .closed
            case .failed(let reason): .failed(reason)
            }
        }
    }
}
