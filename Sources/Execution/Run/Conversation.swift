import MeshCore
import Store

/// What came of asking a node something outside of a plan.
package enum NodeAnswer<Value: Hashable & Sendable>: Hashable, Sendable {
    /// It said that.
    case answered(Value)
    /// It does not answer.
    case unanswered
    /// It cannot be asked; a sentence without a full stop, and what helps.
    case unreachable(String, hint: String?)
    /// It was not asked, or nothing more is waited for.
    case stopped(Recap.Ending)
}

/// Requests to one node, one after the other, from the search for a proxy to the last answer.
struct Conversation {
    private let bearer: any Bearer
    private(set) var client: MeshClient
    private let node: UnicastAddress
    private let isInterrupted: () -> Bool
    /// What a beacon has brought.
    private(set) var ivIndex: IVIndex?
    private var answer: NodeAnswer<ConfigurationVerdict>?

    /// Speaks to the node whose primary element has that address.
    init(with node: UnicastAddress, bearer: any Bearer, client: MeshClient, isInterrupted: @escaping () -> Bool) {
        self.node = node
        self.bearer = bearer
        self.client = client
        self.isInterrupted = isInterrupted
    }

    /// Sends a request in one of those subnets and waits for the answer.
    mutating func ask(_ inquiry: ConfigurationInquiry, in subnets: [NetKeyIndex]) -> NodeAnswer<ConfigurationVerdict> {
        answer = nil
        perform(client.request(inquiry, to: node, subnets: subnets, at: bearer.now).1)
        while answer == nil {
            guard !isInterrupted() else {
                answer = .stopped(.interrupted)
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
                answer = .unreachable(error.message, hint: error.hint)
            }
        }
        return answer ?? .unanswered
    }

    /// Closes the link.
    mutating func end() {
        perform(client.shutDown(at: bearer.now))
    }

    /// What came in of the replay list since it was asked last.
    mutating func takeReplayEntries() -> [ReplayProtection.Entry] { client.takeReplayEntries() }

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
            if delay == nil { answer = .unreachable(failure.reason, hint: failure.hint) }
        case .answered(_, let verdict, transmissions: _): answer = .answered(verdict)
        case .unanswered: answer = .unanswered
        case .unreachable(_, let failure): answer = .unreachable(failure.reason, hint: failure.hint)
        case .unsendable(_, let error): answer = .stopped(.sendingFailed("\(error)"))
        case .ivIndexChanged(let index): ivIndex = index
        // The network tells the phase in every beacon; the next apply records it.
        case .linkUp, .sent, .said, .keyRefreshPhaseChanged: break
        }
        return []
    }
}
