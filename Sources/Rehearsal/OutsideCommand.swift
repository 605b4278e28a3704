import Catalogue
import DefinitionModel
import Execution
import MeshCore

/// Somebody sets a state from outside, through a proxy, as a person does with a command.
struct OutsideCommand {
    let target: ResolvedTarget
    let places: StateChangePlaces
    private let setting: StateSetting
    private let cover: GroupCover

    /// Why nothing can be sent.
    struct Problem: Error {
        /// A clause for people, without a full stop.
        let text: String
    }

    /// The command of an action; nil if it is none.
    ///
    /// - Parameters:
    ///   - definition: has the names and tags of nodes.
    ///   - transaction: tells one command from the next.
    /// - Throws: ``Problem`` if the target or the value does not go with the network.
    init?(
        _ action: TestAction,
        _ definition: Definition,
        _ models: KnownModels,
        in network: MeshNetwork,
        transaction: UInt8
    ) throws(Problem) {
        switch action {
        case .set(let target, let state, let words):
            try self.init(target, state, words, definition, models, network, transaction)
        case .recall(let scene, let target):
            let declared = definition.scenes.first { $0.name.value == scene.value }
            let number = declared.map { "\($0.number.value)" } ?? scene.value
            try self.init(target, Self.scene, [number], definition, models, network, transaction)
        case .press, .sense, .fault, .power, .wait: return nil
        }
    }

    /// The state that recalls a scene when it is set.
    private static let scene = "scene"

    private init(
        _ text: String,
        _ name: String,
        _ words: [String],
        _ definition: Definition,
        _ models: KnownModels,
        _ network: MeshNetwork,
        _ transaction: UInt8
    ) throws(Problem) {
        let nodes = definition.nodes
        let resolver = TargetResolver(
            network,
            names: Dictionary(firstOf: nodes.map { ($0.name.value, $0.uuid.value) }),
            tags: Dictionary(firstOf: nodes.map { ($0.uuid.value, $0.tags.mapValues(\.value)) })
        )
        let target: ResolvedTarget
        do throws(TargetError) { target = try resolver.resolve(try OperatingTarget(text)) } catch {
            throw Problem(text: error.message)
        }
        do throws(StateError) {
            let state = try StateSelector.state(named: name, of: models)
            // Several nodes change at once, a single one takes its default transition time.
            let transition = target.isForSeveral && state.hasTransition ? 0 : nil
            let change = try StateChange(state, words: words, transition: transition)
            places = try StateChangePlaces(change, on: target, of: models, in: network)
            setting = StateSetting(change, at: places, in: network, transaction: transaction)
            cover = places.cover(change, named: target.group?.address, in: network)
        } catch { throw Problem(text: error.message) }
        guard !places.places.isEmpty else { throw Problem(text: "no key is bound under which \(name) could be set") }
        self.target = target
    }

    var needs: Set<OwnModel> { places.needs(under: cover) }

    /// The models that act on it.
    var servers: [ModelIdentifier] { Set(places.places.map(\.model)).sorted() }

    /// Sends it, to groups where it can.
    ///
    /// - Returns: what each node says, by its position in the network; the worst, if it has several places.
    /// - Throws: ``Problem`` if the message cannot be made.
    func carryOut(in session: OperatingSession) throws(Problem) -> [Int: StateSettingOutcome] {
        let isTogether = target.isForSeveral && (!cover.groups.isEmpty || places.places.count > 1)
        let outcomes: [StateSettingOutcome]
        do throws(StateError) {
            outcomes = isTogether ? try setting.setTogether(cover, in: session) : try setting.setEach(in: session)
        } catch { throw Problem(text: error.message) }
        return Dictionary(
            zip(places.places.map(\.node), outcomes),
            uniquingKeysWith: { first, second in first.isGood ? second : first }
        )
    }
}

extension StateSettingOutcome {
    fileprivate var isGood: Bool {
        switch self {
        case .asAsked, .repaired, .sent: true
        case .differs, .unknown: false
        }
    }
}
