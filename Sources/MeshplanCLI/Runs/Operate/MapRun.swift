import DefinitionModel
import Definitions
import Execution
import MeshCore
import Pictures
import Planning

/// One `map`: counts hops and shows what follows from them.
struct MapRun {
    /// Finds the network and talks to the mesh.
    let operating: OperatingRun
    /// What the map is written as.
    let format: MapCommand.Format
    /// The floor to draw it on; nil for none.
    let floor: String?
    /// How far radio should reach, in millimetres; nil to predict nothing.
    let range: Int?
    /// The paths of the definition; empty for the working folder.
    let paths: [String]
    /// The name of the network; nil for the only one.
    let network: String?

    private var context: Context { operating.conversation.context }

    /// A length on the command line in millimetres; nil for anything else, or nothing.
    static func millimetres(_ text: String) -> Int? { LengthArgument.millimetres(text).flatMap { $0 > 0 ? $0 : nil } }

    /// Counts hops, for at most so long, and shows the map.
    ///
    /// - Throws: ``Failure`` if there is nothing to ask or it cannot begin; otherwise the errors of reading the
    ///   definition, locking the database and opening the route.
    func map(for duration: Duration) throws -> ExitStatus {
        let source = floor != nil || range != nil ? try PictureSource(of: paths, network: network, in: context) : nil
        let place = try floor.map { name in try self.place(name, source?.placement ?? Placement()) }
        var survey = HopSurveyOptions(duration: duration)
        let nodes = operating.network.nodes.count { RefreshRun.isReadable($0, in: operating.network) }
        guard nodes > 0 else { throw Failure(.failure, "the network has no node that can be asked") }
        let airtime = HopAirtime(operating.network)
        let count = airtime.heartbeats(ofEach: nodes, within: duration)
        survey.spread(count: count)
        let progress = context.errorOutput
        var (result, isInterrupted) = (HopSurveyResult(), false)
        let (_, status) = try operating.execute { executor in
            let (found, ending) = executor.surveyHops(survey) { event in progress.line(Self.text(event)) }
            (result, isInterrupted) = (found, ending == .interrupted)
            return ending
        }
        let view = MapView(
            operating: operating,
            result: result,
            airtime: airtime.share(
                ofMessages: result.expectedHeartbeats + result.messages,
                within: max(result.elapsed, .seconds(1))
            ),
            placement: source?.placement ?? Placement(),
            range: range
        )
        if let place, let source {
            let picture = view.picture(of: place, in: source)
            context.output.write(document: format == .html ? picture.html(network: source.name) : picture.svg())
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

    private static func text(_ event: HopSurveyEvent) -> String {
        switch event {
        case .reading(let nodes): "Reading the heartbeats of \(count(nodes, "node")), which they get back later."
        case .declaring(let nodes): "Asking \(count(nodes, "node")) for heartbeats."
        case .listening(let duration):
            "Listening for \(DurationText.text(.seconds(duration.components.seconds))) at most."
        case .restoring(let nodes): "Giving \(count(nodes, "node")) their own heartbeats back."
        }
    }
}
