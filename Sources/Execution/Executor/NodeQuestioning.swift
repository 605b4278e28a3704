import MeshCore
import Planning
import Store

/// Asks a node something outside plans, and records what came with the answers.
struct NodeQuestioning {
    private let access: MeshAccess

    /// Questions over the bearer of an executor.
    init(_ access: MeshAccess) {
        self.access = access
    }

    /// Reads the Composition Data pages beside page 0 and the Models Metadata of a node and records them.
    ///
    /// - Parameter node: a node of the database whose composition is known.
    /// - Returns: the node with its pages.
    func readPages(of node: Node) -> NodeAnswer<Node> {
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
            read.observedAt = access.context.now()
            return (.answered(read), read)
        }
    }

    /// Asks a node one question.
    ///
    /// - Parameter subnets: the subnets in which the node takes messages.
    func ask<Value>(
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
            switch ReprovisionSettling(access).resolve(known.uuid) {
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
            let snapshot = try access.snapshot()
            let node = snapshot.network.nodes.first { $0.uuid == known.uuid } ?? known
            var conversation = try access.conversation(with: node, of: snapshot)
            let (answer, read) = body(&conversation, node)
            conversation.end()
            var changes = StoreChanges()
            changes.replay = conversation.takeReplayEntries()
            if let read { changes.nodes = [read] }
            try access.commit(changes)
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
