/// Writes the lines of a run, and keeps the bottom line of the terminal intact: a progress line that is rewritten, or a
/// question with the answer being typed.
///
/// Results go to standard output, comments to standard error. While a question is open, lines for the terminal wait.
final class RunTerminal {
    private let context: Context
    private let style: Style
    private var status: String?
    private var isStatusShown = false
    private var question: String?
    private var held: [(text: String, isResult: Bool)] = []

    init(_ context: Context) {
        self.context = context
        style = context.errorStyle
    }

    /// Whether a question is open at the bottom.
    var isAsking: Bool { question != nil }

    /// Writes one or more lines of the result.
    func result(text: String) { write(text, isResult: true) }

    /// Writes one or more lines of comments.
    func say(text: String) { write(text, isResult: false) }

    /// Shows a line at the bottom, which the next one replaces. Does nothing if lines cannot be rewritten.
    func show(status line: String?) {
        status = line
        guard question == nil else { return }
        guard line != nil else { return hideStatus() }
        showStatus()
    }

    /// Shows a question at the bottom, and leaves the cursor after it.
    func ask(_ text: String) {
        hideStatus()
        question = text
        context.errorOutput.write(style(.bold, text) + " ")
    }

    /// Says what is wrong with an answer, and asks again.
    func askAgain(because problem: String) {
        guard let question else { return }
        context.errorOutput.line(problem)
        context.errorOutput.write(style(.bold, question) + " ")
    }

    /// Closes the question, because no answer is needed any more.
    ///
    /// - Parameter isAnswered: whether somebody answered; the cursor is then on a new line.
    func endQuestion(isAnswered: Bool) {
        guard question != nil else { return }
        question = nil
        if !isAnswered { context.errorOutput.line("(no longer needed)") }
        let lines = held
        held = []
        for line in lines { write(line.text, isResult: line.isResult) }
        showStatus()
    }

    private func write(_ text: String, isResult: Bool) {
        let isTerminal = isResult ? context.terminal.isOutputTerminal : context.terminal.isErrorTerminal
        if question != nil, isTerminal {
            held.append((text, isResult))
            return
        }
        hideStatus()
        (isResult ? context.output : context.errorOutput).write(text)
        showStatus()
    }

    private func showStatus() {
        guard style.isTerminal, question == nil, let status else { return }
        context.errorOutput.write("\r\u{1B}[K" + status.cut(to: style.width - 1))
        isStatusShown = true
    }

    private func hideStatus() {
        guard isStatusShown else { return }
        context.errorOutput.write("\r\u{1B}[K")
        isStatusShown = false
    }
}

extension String {
    /// The beginning of a printable text that fits into so many columns.
    func cut(to width: Int) -> String {
        var columns = 0
        var view = UnicodeScalarView()
        for scalar in unicodeScalars {
            columns += scalar.displayWidth
            guard columns <= width else { break }
            view.append(scalar)
        }
        return String(view)
    }
}
