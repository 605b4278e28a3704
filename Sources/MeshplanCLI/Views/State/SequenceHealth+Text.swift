import DefinitionModel
import Execution
import MeshCore
import Store

/// Reports the state of a network's sequence numbers and IV index.
struct SequenceNotice {
    private let context: Context
    private let name: String

    init(_ context: Context, network name: String) {
        self.context = context
        self.name = name
    }

    /// The state of the sequence numbers of our own address.
    ///
    /// - Throws: ``Failure`` if the database has no node of our own; ``StoreError`` if it cannot be read.
    func health(of snapshot: Snapshot, _ database: MeshDatabase) throws -> SequenceHealth {
        let network = snapshot.network
        guard let own = network.nodes.first(where: { $0.uuid == network.ownProvisioner }) else {
            throw Failure(
                .failure,
                "the database has no node of our own to send from",
                hint: "Import the network again."
            )
        }
        let reserved = try database.reservation(of: own.unicastAddress)
        return SequenceHealth(
            of: own.unicastAddress,
            in: network,
            isIVIndexKnown: snapshot.isIVIndexKnown,
            reserved: reserved.map { ($0.ivIndex, $0.limit) },
            at: context.now()
        )
    }

    /// Warns about what will soon make work on the network impossible. Call once per run. If there is no node of our
    /// own, the run itself reports that.
    func warn(of snapshot: Snapshot, _ database: MeshDatabase) throws {
        guard snapshot.network.nodes.contains(where: { $0.uuid == snapshot.network.ownProvisioner }) else { return }
        let health = try health(of: snapshot, database)
        for finding in health.findings where finding.isWorthWarning {
            let (message, hint) = finding.text(health)
            if let lines = context.json {
                lines.write([
                    "type": "warning", "code": finding.code.json, "message": message.json, "hint": hint.json,
                ])
            } else {
                let style = context.errorStyle
                context.errorOutput.line("\(style(.warning, "Warning:")) \(message).\n  \(hint)")
            }
        }
    }
}

extension SequenceHealth {
    /// How new numbers become available.
    static let renewal =
        "Numbers restart at 0 after an IV update, which nodes start when their own numbers run low and which takes "
        + "four to six days; meshplan cannot start one, because beacons come from nodes."

    /// How long the remaining numbers last, for people; nil if that is not known.
    var timeLeft: String? {
        guard let secondsLeft else { return nil }
        let days = secondsLeft / 86_400
        if days >= 730 { return "\(days / 365) years" }
        if days >= 2 { return "\(days) days" }
        return count(Int(secondsLeft / 3600), "hour")
    }

    /// The remaining numbers, and how long they last.
    fileprivate var remainder: String {
        "\(left) of \(SequenceHealth.capacity) sequence numbers of \(source) are left"
            + (timeLeft.map { ", about \($0) at the usual rate" } ?? "")
    }
}

extension SequenceHealth.Finding {
    /// The finding, for machines.
    var code: String {
        switch self {
        case .exhausted: "sequence_numbers_exhausted"
        case .urgent: "sequence_numbers_urgent"
        case .low: "sequence_numbers_low"
        case .behindReservation: "iv_index_behind"
        case .updateOverdue: "iv_update_overdue"
        case .clockBehind: "clock_behind"
        case .ivIndexUnknown: "iv_index_unknown"
        case .ivIndexStated: "iv_index_stated"
        }
    }

    /// Whether a run begins with a warning about it. An unknown IV index does not need one: the run learns it, or
    /// reports that it cannot.
    var isWorthWarning: Bool {
        switch self {
        case .exhausted, .urgent, .low, .behindReservation, .updateOverdue, .clockBehind, .ivIndexStated: true
        case .ivIndexUnknown: false
        }
    }

    /// The finding, without a full stop, and the remedy, as sentences.
    func text(_ health: SequenceHealth) -> (message: String, hint: String) {
        let recover = "meshplan network iv recover --via BEARER shows whether the network has a newer IV index."
        switch self {
        case .exhausted:
            return (
                "all sequence numbers of \(health.source) under IV index \(health.ivIndex.transmitValue) are used",
                SequenceHealth.renewal + " \(recover)"
            )
        case .urgent, .low: return (health.remainder, SequenceHealth.renewal)
        case .behindReservation(let reached):
            return (
                "the database is at IV index \(health.ivIndex.value), but messages were sent from here under \(reached): "
                    + "it is an old copy",
                recover
            )
        case .updateOverdue(let since):
            return (
                "the IV update that was heard of at \(since.text) should have ended within 144 hours",
                "Communication works nevertheless. " + recover
            )
        case .clockBehind(let time):
            return (
                "the clock of this machine is behind: it was \(time.text) already",
                "Set it; until then no node is given its time, and it is not recorded when the IV index changes."
            )
        case .ivIndexUnknown:
            return (
                "no beacon of the network was heard yet, so its IV index is unknown",
                "The first run over a proxy that sends beacons adopts it, however far it is ahead. If there is none and you "
                    + "know it, set it: meshplan network iv set INDEX."
            )
        case .ivIndexStated(let time):
            return (
                "the IV index was stated by a person at \(time.text), and no node has confirmed it yet",
                "The first beacon or answer of a proxy confirms it. If no node answers, it is wrong."
            )
        }
    }
}

extension MeshRoute {
    /// Sets the commands for repairing an IV index that a run suggests, ready to be typed.
    func nameCommands(in policy: inout LinkPolicy, of network: String, _ context: Context) {
        let key = context.storeAccess.keyFile.map { " --key-file \($0.printable)" } ?? ""
        policy.ivIndexRecovery = recoveryCommand(of: network, in: context)
        policy.ivIndexStatement = "meshplan network iv set --network \(network.printable)\(key)"
    }

    /// The command, ready to be typed, that listens for the IV index of a network over this route.
    func recoveryCommand(of network: String, in context: Context) -> String {
        let key = context.storeAccess.keyFile.map { " --key-file \($0.printable)" } ?? ""
        return "meshplan network iv recover --network \(network.printable)\(Self.options(via))\(key)"
    }

    /// The `--via` options, ready to be typed, each with a space in front.
    static func options(_ via: [String]) -> String {
        via.map { " --via \($0.printable.shellWord)" }.joined()
    }
}
