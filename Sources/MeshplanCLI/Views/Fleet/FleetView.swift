import SystemLayer

/// Shows what became of the networks of a fleet: a line for each, and their totals.
struct FleetView {
    private let context: Context
    private let isJSON: Bool
    private let showsDetails: Bool
    private let width: Int

    /// The most columns of a line.
    private static let columns = 80

    init(_ context: Context, _ fleet: Fleet, isJSON: Bool, _ showsDetails: Bool) {
        self.context = context
        self.isJSON = isJSON
        self.showsDetails = showsDetails
        width = min(fleet.networks.map(\.name.displayWidth).max() ?? 0, 30)
    }

    func show(_ result: FleetResult, of network: FleetNetwork, _ command: String) {
        let word = Self.word(result.status, command)
        if isJSON {
            context.json?.write([
                "type": "fleet_network", "network": network.name.json, "command": command.json,
                "exit_code": .integer(result.status.rawValue), "result": word.json,
                "tags": .object(network.tags.sorted { $0.key < $1.key }.map { JSONMember($0.key, $0.value.json) }),
                "problems": result.problems.isEmpty ? nil : .array(result.problems.map(\.message.json)),
                "summary": result.printed,
            ])
            return
        }
        var text = result.text(command)
        if !result.problems.isEmpty {
            text = text.replacing(context.workingDirectory + "/", with: "").printable.asSentence
        }
        let start = network.name.printable.padded(to: width) + "  " + word.padded(to: 10) + "  "
        let lines = wrap(text, width: max(Self.columns - start.displayWidth, 30))
        let style = context.style
        let coloured =
            network.name.printable.padded(to: width) + "  " + style(Self.dress(result.status), word.padded(to: 10))
            + "  "
        for (number, line) in lines.enumerated() {
            var whole = number == 0 ? coloured + line : String(repeating: " ", count: start.displayWidth) + line
            while whole.last == " " { whole.removeLast() }
            context.output.line(whole)
        }
        for line in result.details { context.output.line(line.trimmed.isEmpty ? "" : "  " + line) }
        if showsDetails, !result.details.isEmpty { context.output.line() }
    }

    /// Passes on a line of JSON that a command has written.
    func show(_ value: JSONValue, of network: FleetNetwork) {
        context.json?.write(["type": "fleet_output", "network": network.name.json, "line": value])
    }

    /// Shows how many networks have come to what.
    func showTotals(_ results: [FleetResult], _ command: String) {
        let words = results.map { Self.word($0.status, command) }
        let numbers = Dictionary(grouping: words) { $0 }.mapValues(\.count).sorted {
            ($1.value, $0.key) < ($0.value, $1.key)
        }
        if isJSON {
            context.json?.write([
                "type": "fleet_summary", "command": command.json, "networks": .integer(results.count),
                "results": .object(numbers.map { JSONMember($0.key, .integer($0.value)) }),
            ])
        } else {
            let parts = numbers.map { word, number in
                "\(number) \(["changes", "drift"].contains(word) ? "with " : "")\(word)"
            }.joined(separator: ", ")
            for line in wrap("\(count(results.count, "network")): \(parts).", width: Self.columns) {
                context.output.line(line)
            }
        }
    }

    func showWave(_ number: Int, of all: Int, _ size: Int) {
        if isJSON {
            context.json?.write([
                "type": "fleet_wave", "wave": .integer(number), "waves": .integer(all), "networks": .integer(size),
            ])
        } else {
            context.output.line("\nWave \(number) of \(all): \(count(size, "network"))")
        }
    }

    /// Announces what is asked of a wave.
    func showGate(_ gate: FleetGate) {
        if isJSON {
            context.json?.write(["type": "fleet_gate", "gate": gate.rawValue.json])
        } else {
            context.output.line("Gate: \(gate.rawValue)")
        }
    }

    /// Says for whom a worker waits that has nothing to do at present.
    func showWaiting(_ all: FleetClaims) {
        if all.claims.isEmpty, !isJSON {
            context.errorOutput.line("Waiting for a worker that takes the other networks of the wave …")
        }
        for claim in all.claims {
            if isJSON {
                context.json?.write([
                    "type": "fleet_waiting", "worker": claim.worker.json,
                    "networks": .array(claim.networks.map(\.json)), "until": claim.until?.text.json,
                ])
                continue
            }
            let what =
                switch claim.networks.count {
                case 0: "the end of the wave"
                case 1: claim.networks[0].printable
                case let number: count(number, "network")
                }
            let end = claim.until.map { " until \($0.text), or longer if it gives signs of life" } ?? ""
            let text = "Waiting for the claim of \(claim.worker.printable) on \(what)\(end) …"
            for line in wrap(text, width: Self.columns) { context.errorOutput.line(line) }
        }
    }

    /// Says that the command of a worker that is gone still works on a network.
    func showHeld(_ network: FleetNetwork) {
        if isJSON {
            context.json?.write(["type": "fleet_waiting", "networks": .array([network.name.json])])
        } else {
            let text = "\(network.name.printable): waiting for the command of a worker that is gone …"
            for line in wrap(text, width: Self.columns) { context.errorOutput.line(line) }
        }
    }

    /// Says why no further networks are begun.
    func showStop(_ reason: String, left: Int) {
        guard left > 0 else { return }
        if isJSON {
            context.json?.write(["type": "fleet_stopped", "reason": reason.json, "not_started": .integer(left)])
        } else {
            for line in wrap("Stopped: \(reason). \(count(left, "network")) not begun.", width: Self.columns) {
                context.output.line(line)
            }
        }
    }

    /// The result in a word or two.
    static func word(_ status: ExitStatus, _ command: String) -> String {
        switch status {
        case .success:
            switch command {
            case "plan": "up to date"
            case "apply": "applied"
            case "rollback": "taken back"
            case "test": "passed"
            case "drift": "no drift"
            case "refresh": "read back"
            default: "fine"
            }
        case .changes: "changes"
        case .drift: "drift"
        case .partial: "partial"
        case .refused: "refused"
        case .locked: "locked"
        case .stale: "stale"
        case .usage, .invalidInput: "invalid"
        case .interrupted, .hungUp, .terminated: "stopped"
        case .failure, .notApproved, .repaired: "failed"
        }
    }

    private static func dress(_ status: ExitStatus) -> Style.Dress {
        switch status {
        case .success: .good
        case .changes, .drift, .partial: .warning
        default: .error
        }
    }
}
