import ArgumentParser
import DefinitionModel
import MeshCore
import Planning

/// The option for guards that may be passed.
struct GuardOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Allow what this guard otherwise refuses with exit code 5. May be repeated.",
            discussion: GuardOptions.names.joined(separator: ", "),
            valueName: "guard"
        ),
        completion: .list(GuardOptions.names),
        transform: GuardOptions.planGuard
    )
    var allow: [PlanGuard] = []

    var allowed: Set<PlanGuard> { Set(allow) }

    /// The values of the option, sorted.
    private static let names = PlanGuard.allCases.filter(\.isAllowable).sorted().map(\.rawValue)

    private static func planGuard(_ name: String) throws -> PlanGuard {
        guard let planGuard = PlanGuard(rawValue: name) else {
            let hint = Suggestion.hint(for: name, among: names, are: "guards are") ?? ""
            throw ValidationError("There is no guard `\(name)`: \(hint).")
        }
        guard planGuard.isAllowable else {
            throw ValidationError(
                "`\(name)` cannot be allowed: a node cannot delete its last NetKey. Take the node out of the definition "
                    + "with `on_remove: reset` instead."
            )
        }
        return planGuard
    }
}
