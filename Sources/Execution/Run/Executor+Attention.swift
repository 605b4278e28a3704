package import MeshCore
import Store

/// What came of asking a node to draw attention to itself.
package enum AttentionOutcome: Hashable, Sendable {
    /// It draws attention for so many seconds.
    case drawn(seconds: UInt8)
    /// It does not answer.
    case unanswered
    /// It cannot be asked; a sentence without a full stop, and what helps.
    case unreachable(String, hint: String?)
    /// It was not asked, or nothing more is waited for.
    case stopped(Recap.Ending)
}

extension Executor {
    /// Has the Health Server of a node draw attention (Health Attention Set, Mesh Protocol 4.3.3).
    ///
    /// - Parameters:
    ///   - node: a node of the database.
    ///   - seconds: for how long; 0 ends it.
    ///   - key: an AppKey that is bound to the Health Server of its primary element.
    package func drawAttention(to node: Node, seconds: UInt8, under key: AppKey) -> AttentionOutcome {
        do throws(ExecutionStop) {
            let snapshot = try stopping { () throws(StoreError) in try database.snapshot() }
            var exchange = AttentionExchange(bearer: bearer, client: try client(of: snapshot))
            let outcome = exchange.run(
                to: node.unicastAddress,
                seconds: seconds,
                under: key,
                isInterrupted: { context.interrupts() > 0 }
            )
            var changes = StoreChanges()
            changes.replay = exchange.client.takeReplayEntries()
            if let ivIndex = exchange.ivIndex {
                var network = snapshot.network
                network.record(ivIndex, at: context.now())
                changes.network = network
            }
            if !changes.isEmpty {
                _ = try stopping { () throws(StoreError) in try database.commit(changes, with: lease) }
            }
            return outcome
        } catch {
            return .stopped(error.ending)
        }
    }
}

/// One request under an application key, from the search for a proxy to the answer.
private struct AttentionExchange {
    let bearer: any Bearer
    var client: MeshClient
    /// What a beacon has brought.
    var ivIndex: IVIndex?
    private var outcome: AttentionOutcome?

    init(bearer: any Bearer, client: MeshClient) {
        self.bearer = bearer
        self.client = client
    }

    mutating func run(
        to node: UnicastAddress,
        seconds: UInt8,
        under key: AppKey,
        isInterrupted: () -> Bool
    ) -> AttentionOutcome {
        let inquiry = ConfigurationInquiry(HealthAttentionSet(seconds: seconds), under: key.index) {
            .attention(seconds: $0.seconds)
        }
        perform(client.request(inquiry, to: node, subnets: [key.boundNetKey], at: bearer.now).1)
        while outcome == nil {
            guard !isInterrupted() else {
                outcome = .stopped(.interrupted)
                break
            }
            do throws(BearerError) {
                let event = try bearer.next(until: client.nextDeadline ?? bearer.now.advanced(by: .seconds(1)))
                if let event {
                    perform(client.handle(event, at: bearer.now))
                } else {
                    perform(client.advance(to: bearer.now))
                }
            } catch {
                outcome = .unreachable(error.message, hint: error.hint)
            }
        }
        let result = outcome ?? .unanswered
        perform(client.shutDown(at: bearer.now))
        return result
    }

    private mutating func perform(_ outputs: [MeshClient.Output]) {
        var pending = outputs[...]
        while let output = pending.popFirst() {
            let further = perform(output)
            if !further.isEmpty { pending = (further + pending)[...] }
        }
    }

    private mutating func perform(_ output: MeshClient.Output) -> [MeshClient.Output] {
        switch output {
        case .connect(let target):
            do throws(BearerError) {
                return client.connecting(try bearer.connect(to: target), to: target, at: bearer.now)
            } catch {
                return client.connectFailed(target, error, at: bearer.now)
            }
        case .scan(let isOn):
            do throws(BearerError) {
                try bearer.scan(isOn)
            } catch {
                return isOn ? client.scanFailed(at: bearer.now) : []
            }
        case .send(let packet, on: let link):
            do throws(BearerError) {
                try bearer.send(packet, on: link)
            } catch {
                bearer.close(link)
                return client.handle(.closed(link, error), at: bearer.now)
            }
        case .closeLink(let link): bearer.close(link)
        case .linkDown(let failure, let delay):
            if delay == nil { outcome = .unreachable(failure.reason, hint: failure.hint) }
        case .answered(_, let verdict, transmissions: _):
            if case .attention(let seconds) = verdict { outcome = .drawn(seconds: seconds) }
        case .unanswered: outcome = .unanswered
        case .unreachable(_, let failure): outcome = .unreachable(failure.reason, hint: failure.hint)
        case .unsendable(_, let error): outcome = .stopped(.sendingFailed("\(error)"))
        case .ivIndexChanged(let index): ivIndex = index
        // The network tells the phase in every beacon; the next apply records it.
        case .linkUp, .sent, .keyRefreshPhaseChanged: break
        }
        return []
    }
}
