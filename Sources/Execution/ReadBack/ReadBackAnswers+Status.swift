import MeshCore
import Planning

extension ReadBackAnswers {
    /// The answers in an Opcodes Aggregator Status (Mesh Protocol 1.1), each compared with the Get at its position.
    ///
    /// Anything that cannot be read – the whole status, or an answer – counts as no answer, so that it is requested
    /// again by itself.
    ///
    /// - Parameters:
    ///   - parameters: of the status, without the opcode.
    ///   - gets: in the order of the sequence.
    ///   - element: the element that took them.
    /// - Returns: nil if there are answers and none belongs to its Get, because it is a late status of an earlier
    ///   sequence.
    init?(_ parameters: ArraySlice<UInt8>, to gets: [ConfigurationInquiry], on element: UnicastAddress) {
        self.init(answers: Array(repeating: nil, count: gets.count))
        guard let status = try? OpcodesAggregatorStatus(parameters: parameters), status.elementAddress == element else {
            return
        }
        for (place, (get, item)) in zip(gets, status.items).enumerated() {
            let hearing = get.hearing(of: item)
            switch hearing?.verdict {
            case .report(let report): answers[place] = .report(report)
            case .refused: answers[place] = .refused
            default: continue
            }
            if let quirk = hearing?.quirk { quirks.insert(quirk) }
        }
        if answers.allSatisfy({ $0 == nil }), status.items.contains(where: { !$0.isEmpty }) { return nil }
        if status.status == .responseOverflow { fullAt = OpcodesAggregatorStatus.opcode.size + parameters.count }
    }
}
