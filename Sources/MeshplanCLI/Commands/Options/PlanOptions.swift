import ArgumentParser
import MeshCore
import Planning

/// The options of `plan` and `apply` for the planner.
struct PlanOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Plan to remove everything that is managed: nodes are reset, keys and groups are removed.",
            visibility: .hidden
        )
    )
    var destroy = false

    @Option(
        help: ArgumentHelp(
            """
            Plan as if the nodes with this tag or name were no longer in the definition: they leave, with what selects \
            only them and the groups that only they use. * stands for anything. May be repeated.
            """,
            valueName: "tag=value|node",
            visibility: .hidden
        ),
        completion: Completion.leaving
    )
    var remove: [String] = []

    @Flag(
        help: ArgumentHelp("With --remove: reset the nodes, so that their devices can join again.", visibility: .hidden)
    )
    var reset = false

    @Flag(
        help: ArgumentHelp(
            "Give addresses to devices as they are heard, not in the order of the definition.",
            visibility: .hidden
        )
    )
    var addressesAsHeard = false

    func validate() throws {
        if reset, remove.isEmpty { throw ValidationError("--reset needs --remove.") }
        if destroy, !remove.isEmpty { throw ValidationError("--destroy removes everything; leave --remove out.") }
    }

    /// The options in the planner's form, with those of two other groups.
    func planner(_ selection: SelectionOptions, _ guards: GuardOptions) -> PlannerOptions {
        PlannerOptions(
            allowed: guards.allowed,
            selection: selection.selection,
            purpose: destroy ? .destroy : .converge,
            removal: removal,
            givesAddressesAsHeard: addressesAsHeard
        )
    }

    private var removal: PlanRemoval? {
        guard !remove.isEmpty else { return nil }
        var removal = PlanRemoval(resets: reset)
        for text in remove {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if parts.count > 1 {
                removal.tags.append(PlanSelection.Tag(name: parts[0], value: parts[1]))
            } else {
                removal.names.append(text)
            }
        }
        return removal
    }
}

/// The digest of a plan that was approved elsewhere.
struct DigestArgument: ExpressibleByArgument {
    /// The first 8 to 64 hexadecimal digits of the digest, in lower case.
    var digits: String

    init?(argument: String) {
        let digits = argument.lowercased()
        guard (8...64).contains(digits.utf8.count), digits.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit })
        else { return nil }
        self.digits = digits
    }

    /// The refusal of a plan with another digest.
    static func refusal(of digest: String, expected: DigestArgument?) -> Failure {
        Failure(
            .stale,
            "the plan is not what was approved",
            hint: "Its digest is \(digest), not \(expected?.digits ?? ""). Look at it with: meshplan plan"
        )
    }
}

extension SelectionOptions {
    /// The selection in the planner's form.
    var selection: PlanSelection {
        let tags = tag.map { text in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return PlanSelection.Tag(name: parts[0], value: parts.count > 1 ? parts[1] : "")
        }
        return PlanSelection(nodes: node, groups: group, subnets: subnet, tags: tags, excluded: exclude)
    }
}
