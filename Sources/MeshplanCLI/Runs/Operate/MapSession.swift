import DefinitionModel
import Definitions
import Execution
import MeshCore
import Pictures
import Planning

/// One `map`: counts hops and shows what follows from them.
struct MapSession {
    /// Finds the network and talks to the mesh.
    let operating: OperatingContext
    let format: MapCommand.Format
    /// The floor to draw it on; nil for none.
    let floor: String?
    /// How far radio should reach, in millimetres; nil to predict nothing.
    let range: Int?
    /// The paths of the definition; empty for the working folder.
    let paths: [String]
    let network: String?

    private var context: Context { operating.conversation.context }

    /// A length on the command line in millimetres; nil for anything else, or nothing.
    static func millimetres(_ text: String) -> Int? { LengthArgument.millimetres(text).flatMap { $0 > 0 ? $0 : nil } }

    /// Counts hops within a share of the air, or a time, and shows the map.
    ///
    /// - Throws: ``Failure`` if there is nothing to ask or it cannot begin; otherwise the errors of reading the
    ///   definition, locking the database and opening the route.
    func map(within budget: HopBudget) throws -> ExitStatus {
        let source = floor != nil || range != nil ? try PictureSource(of: paths, network: network, in: context) : nil
        let place = try floor.map { name in try self.place(name, source?.placement ?? Placement()) }
        let nodes = operating.network.nodes.filter { RefreshSession.isReadable($0, in: operating.network) }
        guard !nodes.isEmpty else { throw Failure(.failure, "the network has no node that can be asked") }
        let progress = context.errorOutput
        progress.line(Self.forecast(HopAirtime(operating.network), nodes, budget))
        var (result, isInterrupted) = (HopSurveyResult(), false)
        let (_, status) = try operating.execute { executor in
            let (found, ending) = executor.surveyHops(budget) { event in progress.line(Self.text(event)) }
            (result, isInterrupted) = (found, ending == .interrupted)
            return ending
        }
        let view = MapView(
            operating: operating,
            result: result,
            placement: source?.placement ?? Placement(),
            range: range
        )
        if let place, let source {
            let picture = view.picture(of: place, in: source)
            context.output.write(document: format == .html ? picture.html(network: source.title) : picture.svg())
        } else {
            view.show(format)
        }
        view.warn()
        guard status == .success else { return status }
        if isInterrupted { return .interrupted }
        return view.isComplete ? .success : .partial
    }

    private func place(_ name: String, _ placement: Placement) throws(Failure) -> Placement.Floor {
        if let floor = placement.floors.first(where: { $0.name == name }) { return floor }
        let names = placement.floors.map { "`\($0.name)`" }.joined(separator: ", ")
        throw Failure(
            .usage,
            "there is no floor `\(name)`",
            hint: names.isEmpty
                ? "Nodes have no `position:` yet; the manual's page on pictures shows how." : "There are \(names)."
        )
    }

    /// What it will take: one question to each node and its answer, repeated by all relays. Nodes near by take less,
    /// those that are asked again take more.
    private static func forecast(_ air: HopAirtime, _ nodes: [Node], _ budget: HopBudget) -> String {
        let busy = nodes.reduce(Duration.zero) {
            $0 + air.answer(of: $1.uuid) + air.request(over: nil, repetitions: nil)
        }
        let who = "Asking \(count(nodes.count, "node")) "
        switch budget {
        case .airtime(let share):
            let time = Duration.microseconds(Int64(min(Double(busy.microseconds) / max(share, 1e-6), 1e15)))
            return who + "with \(MapView.percent(share)) of the air at most: about \(text(time))."
        case .time(let limit):
            let share = Double(busy.microseconds) / Double(max(limit.microseconds, 1))
            guard share < 1 else { return who + "within \(text(limit)): more than the air can carry." }
            return who + "within \(text(limit)): about \(MapView.percent(share)) of the air."
        }
    }

    private static func text(_ duration: Duration) -> String {
        PlanEstimate.text(whole: Int(clamping: max(duration.components.seconds, 1)))
    }

    private static func text(_ event: HopSurveyEvent) -> String {
        switch event {
        case .asking(let nodes, let ttl): "Asking \(count(nodes, "node")) with TTL \(ttl)."
        case .unreachable(let nodes): "No proxy leads to \(count(nodes, "node"))."
        }
    }
}
