package import MeshCore
import Planning
import Store

/// Questions to nodes outside plans.
extension Executor {
    /// Makes the Health Server of a node attract attention (Health Attention Set, Mesh Protocol 4.3.3).
    ///
    /// - Parameters:
    ///   - node: a node of the database.
    ///   - seconds: for how long; 0 ends it.
    ///   - key: an AppKey that is bound to the Health Server of its primary element.
    /// - Returns: for how many seconds the node attracts attention.
    package func drawAttention(to node: Node, seconds: UInt8, under key: AppKey) -> NodeAnswer<UInt8> {
        let question = Question(HealthAttentionSet(seconds: seconds), under: key.index) { $0.seconds }
        return ask(node, question, in: [key.boundNetKey])
    }

    /// Makes a node forget the sources of Solicitation PDUs, so that it accepts their sequence numbers from the start
    /// again (Solicitation PDU RPL Items Clear, Mesh Protocol 1.1).
    ///
    /// - Parameters:
    ///   - addresses: the sources.
    ///   - node: a node of the database.
    ///   - key: an AppKey that is bound to the Solicitation PDU RPL Configuration Server of its primary element.
    /// - Returns: the sources that the node has forgotten.
    package func clearSolicitations(
        of addresses: UnicastAddressRange,
        at node: Node,
        under key: AppKey
    ) -> NodeAnswer<UnicastAddressRange> {
        let question = Question(SolicitationPDURPLItemsClear(addresses: addresses), under: key.index) { $0.addresses }
        return ask(node, question, in: [key.boundNetKey])
    }

    /// Asks a Friend after how long without a poll it gives up a Low Power node (Config Low Power Node PollTimeout Get,
    /// Mesh Protocol 4.3.2.67).
    ///
    /// - Returns: steps of 100 ms; 0 if it is not that node's Friend.
    package func pollTimeout(of lowPowerNode: UnicastAddress, at friend: Node) -> NodeAnswer<UInt32> {
        let question = Question(ConfigLowPowerNodePollTimeoutGet(lowPowerNodeAddress: lowPowerNode)) { $0.pollTimeout }
        return ask(friend, question, in: friend.netKeys.map(\.index))
    }

    /// Reads the Composition Data pages beside page 0 and the Models Metadata of a node and records them.
    ///
    /// - Parameter node: a node of the database whose composition is known.
    /// - Returns: the node with its pages.
    package func readPages(of node: Node) -> NodeAnswer<Node> {
        return converse(with: node) { conversation, node in
            var reading = PageReading(of: node)
            while let part = reading.next {
                switch conversation.ask(part.question, in: node.netKeys.map(\.index)) {
                case .answered(let answer?): reading.record(answer)
                case .answered(nil): reading.refuse()
                case .unanswered: return (.unanswered, nil)
                case .unreachable(let reason, let hint): return (.unreachable(reason, hint: hint), nil)
                case .stopped(let ending): return (.stopped(ending), nil)
                }
            }
            var read = node
            read.compositionPages = reading.compositionPages
            read.modelsMetadata = reading.modelsMetadata
            read.observedAt = context.now()
            return (.answered(read), read)
        }
    }

    private func ask<Value>(
        _ node: Node,
        _ question: Question<Value>,
        in subnets: [NetKeyIndex]
    ) -> NodeAnswer<Value> {
        converse(with: node) { conversation, _ in
            switch conversation.ask(question, in: subnets) {
            case .answered(let value): (value.map { .answered($0) } ?? .unanswered, nil)
            case .unanswered: (.unanswered, nil)
            case .unreachable(let reason, let hint): (.unreachable(reason, hint: hint), nil)
            case .stopped(let ending): (.stopped(ending), nil)
            }
        }
    }

    /// Talks to a node, and records what came with it: replay entries, and the node if `body` returns it.
    ///
    /// If a reprovisioning of the node was not finished, it first finds out what became of that.
    ///
    /// - Parameter body: receives the node as it is now.
    private func converse<Value>(
        with known: Node,
        _ body: (inout Conversation, Node) -> (NodeAnswer<Value>, Node?)
    ) -> NodeAnswer<Value> {
        do throws(ExecutionStop) {
            switch resolveReprovision(of: known.uuid) {
            case .reprovisioned, .unchanged, nil: break
            case .unresolved(let reason, let hint):
                return .unreachable(
                    "which of its DeviceKeys it has is unknown since its last reprovisioning\(reason.map { ": \($0)" } ?? "")",
                    hint: hint ?? "See that it has power, then run the command again."
                )
            case .unanswered: return .unanswered
            case .unreachable(let reason, let hint): return .unreachable(reason, hint: hint)
            case .stopped(let ending): return .stopped(ending)
            }
            let snapshot = try stopping { () throws(StoreError) in try database.snapshot() }
            let node = snapshot.network.nodes.first { $0.uuid == known.uuid } ?? known
            var conversation = try conversation(with: node, of: snapshot)
            let (answer, read) = body(&conversation, node)
            conversation.end()
            var changes = StoreChanges()
            changes.replay = conversation.takeReplayEntries()
            if let read { changes.nodes = [read] }
            if !changes.isEmpty {
                _ = try stopping { () throws(StoreError) in try database.commit(changes, with: lease) }
            }
            return answer
        } catch {
            return .stopped(error.ending)
        }
    }
}

extension PageReading.Part {
    /// The Get, and how its answer is read.
    var question: Question<PageReading.Answer> {
        switch self {
        case .composition(let page):
            Question(ConfigCompositionDataGet(page: page), answerSize: 100) {
                PageReading.Answer(page: $0.page, data: $0.data)
            }
        case .largeComposition(let page, let offset):
            Self.part(LargeCompositionDataGet(page: page, offset: offset))
        case .modelsMetadata(let page, let offset):
            Self.part(ModelsMetadataGet(page: page, offset: offset))
        }
    }

    private static func part(_ get: some PagePartRequest) -> Question<PageReading.Answer> {
        // As much of the page as fits into the longest message.
        Question(get, answerSize: 380) {
            PageReading.Answer(page: $0.page, offset: $0.offset, totalSize: Int($0.totalSize), data: $0.data)
        }
    }
}
