/// Something outside of the database that a run of a plan uses, as it was when the plan was made: whoever approves the
/// plan approves it, too.
package struct PlanDependency: Hashable, Sendable {
    /// The kinds.
    package enum Kind: UInt8, Sendable, CaseIterable {
        /// A key of the mesh that the plan creates.
        case key = 0
        /// A secret of a device that the plan provisions, from a source that the definition names.
        case secret = 1
        /// The devices' secrets that the command line names, of all devices that the plan provisions.
        case secrets = 2
        case way = 3
    }

    package var kind: Kind
    /// Where it comes from, for people; unique among those of its kind in a plan. It contains no secret.
    package var name: String
    /// 32 octets that nobody can compute or test a guess against without the database; nil if there was nothing.
    package var fingerprint: [UInt8]?

    /// - Parameter fingerprint: 32 octets; nil if there was nothing.
    package init(_ kind: Kind, _ name: String, fingerprint: [UInt8]?) {
        self.kind = kind
        self.name = name
        self.fingerprint = fingerprint
    }

    /// Whether the definition leaves no choice, so that every plan names it. What is a choice of the command line is
    /// open in a plan that does not name it, and whoever applies the plan chooses.
    package var isDeclared: Bool { kind == .key || kind == .secret }
}

extension Plan {
    /// The first of a run's dependencies that is another one than the plan was approved with, or was not approved at
    /// all; nil if the run may begin.
    ///
    /// - Parameter present: what the run would use, in any order.
    package func firstDifference(from present: [PlanDependency]) -> PlanDependency? {
        func fingerprint(_ dependency: PlanDependency, in list: [PlanDependency]) -> [UInt8]? {
            list.first { $0.kind == dependency.kind && $0.name == dependency.name }?.fingerprint
        }
        // What is missing is not approved: a key that appears later is refused as well as one that changes.
        return dependencies.first { fingerprint($0, in: present) != $0.fingerprint || $0.fingerprint == nil }
            ?? present.first { $0.isDeclared && fingerprint($0, in: dependencies) == nil }
    }
}
