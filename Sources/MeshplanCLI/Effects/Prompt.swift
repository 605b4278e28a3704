import SystemLayer

/// Asks for approval of something that cannot be undone.
struct Prompt {
    var context: Context

    /// Asks a question. Only one word counts as approval.
    ///
    /// - Parameters:
    ///   - question: one sentence with a question mark.
    ///   - explanation: one sentence that says what approval will do.
    ///   - answer: the word that approves.
    /// - Throws: ``Failure`` with ``ExitStatus/notApproved`` for any other answer, and if nobody can be asked.
    func confirm(_ question: String, explanation: String, answer word: String = "yes") throws(Failure) {
        guard context.terminal.isInputTerminal else {
            throw Failure(
                .notApproved,
                "cannot ask for approval: standard input is not a terminal",
                hint: "Check what will be done, then run the command again with --auto-approve."
            )
        }
        let style = context.errorStyle
        context.errorOutput.write(
            """

            \(style(.bold, question))
              \(explanation)
              Only '\(word.printable)' will be accepted to approve.

              \(style(.bold, "Enter a value:"))\(" ")
            """
        )
        let before = context.interrupts.count()
        let answer = context.readLine()
        context.errorOutput.line()
        guard context.interrupts.count() == before else {
            throw Failure(.interrupted, "interrupted; nothing was done")
        }
        guard answer?.trimmed == word else { throw Failure(.notApproved, "not approved; nothing was done") }
    }
}

extension String {
    /// The text without spaces, tabs and carriage returns at its ends.
    var trimmed: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\r\n" || $0 == "\n" }
        guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
            return ""
        }
        return String(self[first...last])
    }
}
