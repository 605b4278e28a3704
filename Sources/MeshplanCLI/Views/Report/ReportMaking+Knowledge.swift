import DefinitionModel
import MeshCore
import Pictures
import Planning

/// What nodes told recently enough to count. What they did not tell is not known: it is neither well nor broken.
extension ReportMaking {
    /// Whether something that was told at that time still counts. A time in the future does not: a clock was wrong.
    func isFresh(_ time: Timestamp) -> Bool { time <= made && time.seconds(to: made) <= freshWithin }

    /// How much of the configuration nodes have told.
    var configuration: ObservationAges { ObservationAges(source.network, where: isFresh) }

    /// The nodes that did not tell every value when they were read back.
    var partlyRead: [Node] { source.network.nodes.filter { $0.isManaged && !$0.isExcluded && !$0.unread.isEmpty } }

    /// How much nodes have told of faults.
    var faultKnowledge: FaultKnowledge {
        var uuids: [String: DeviceUUID] = [:]
        for node in source.network.nodes { uuids[node.name] = node.uuid }
        for node in source.relations.nodes { uuids[node.name] = node.uuid }
        let askable = source.network.nodes.filter {
            $0.isManaged && RefreshSession.isReadable($0, in: source.network)
        }
        var knowledge = FaultKnowledge(nodes: askable.count)
        let told = Dictionary(grouping: health ?? []) { uuids[$0.node] }
        for node in askable {
            // A node with several Health Servers is known if each of them told something.
            guard let reports = told[node.uuid], reports.allSatisfy({ $0.reason == nil }) else { continue }
            let times = reports.map(\.time)
            for case let time? in times { knowledge.last = knowledge.last.map { max($0, time) } ?? time }
            if times.allSatisfy({ $0.map(isFresh) ?? false }) { knowledge.known += 1 }
        }
        return knowledge
    }

    /// How much is known: `9 of 158 nodes read back, last at 2026-11-28 18:14 UTC`.
    func extent(_ known: Int, of nodes: Int, _ verb: String, last: Timestamp?) -> String {
        let all = "\(known) of \(count(nodes, "node")) \(verb)"
        guard known < nodes else { return all }
        return all + (last.map { ", last at \(moment($0))" } ?? "")
    }

    /// The time within which an answer counts: `7 days`.
    var period: String {
        let units: [(Int64, String)] = [(86_400, "day"), (3_600, "hour"), (60, "minute")]
        let (seconds, noun) = units.first { freshWithin >= $0.0 && freshWithin % $0.0 == 0 } ?? (1, "second")
        return count(Int(freshWithin / seconds), noun)
    }

    /// What nobody knows, as sentences with the sections that tell more.
    func unknowns() -> [HandoverReport.Finding] {
        var texts: [HandoverReport.Finding] = []
        func add(_ text: String, _ section: String) {
            texts.append(HandoverReport.Finding(.unknown, text.printable, section: section))
        }
        if source.snapshot != nil {
            let read = configuration
            if read.nodes > 0, !read.isComplete {
                let extent = extent(read.known, of: read.nodes, "read back within \(period)", last: read.newest)
                let recorded = configured.map { "As recorded, \($0). " } ?? ""
                add(recorded + "Whether that still holds is not known: \(extent).", "drift")
            }
            let partly = partlyRead
            if !partly.isEmpty {
                add("Some values could not be read back: \(called(partly.map(\.name))).", "drift")
            }
            let faults = faultKnowledge
            if faults.nodes > 0, !faults.isComplete {
                let extent = extent(faults.known, of: faults.nodes, "answered within \(period)", last: faults.last)
                add("Whether all nodes are free of faults is not known: \(extent).", "faults")
            }
        }
        let declared = source.planning?.definition.tests.count ?? 0
        if tests?.isEmpty ?? true, declared > 0 {
            let verb = declared == 1 ? "was" : "were"
            add("\(count(declared, "test")) of the definition \(verb) not played for this report.", "tests")
        }
        return texts
    }
}

/// How many nodes told of faults recently enough.
struct FaultKnowledge: Hashable {
    /// The number of nodes that can be asked.
    var nodes: Int
    /// The number of those that told whether they have faults, recently enough.
    var known = 0
    /// When the last of them did; nil if none has.
    var last: Timestamp?

    /// Whether each node told it. Of no nodes nothing is known.
    var isComplete: Bool { nodes > 0 && known == nodes }
}
