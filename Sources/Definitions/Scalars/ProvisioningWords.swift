import DefinitionModel
import MeshCore

/// Scalars that say how devices are provisioned.
enum ProvisioningWords {
    private static let methods: [(String, AuthenticationMethod.Kind)] = [
        ("none", .noOOB), ("static", .staticOOB), ("output", .outputOOB), ("input", .inputOOB),
    ]

    static func method(_ text: String) throws(ScalarProblem) -> AuthenticationMethod.Kind {
        if let method = methods.first(where: { $0.0 == text })?.1 { return method }
        throw problem(text, "a method", among: methods.map(\.0))
    }

    static func word(_ method: AuthenticationMethod.Kind) -> String {
        methods.first { $0.1 == method }?.0 ?? ""
    }

    /// An algorithm by its name in the specification or by its short one.
    static func algorithm(_ text: String) throws(ScalarProblem) -> ProvisioningAlgorithm {
        for algorithm in ProvisioningAlgorithm.allCases
        where text == algorithm.name || text == shortName(of: algorithm) {
            return algorithm
        }
        let words = ProvisioningAlgorithm.allCases
        throw problem(text, "an algorithm", among: words.map(shortName) + words.map(\.name))
    }

    private static func shortName(of algorithm: ProvisioningAlgorithm) -> String {
        switch algorithm {
        case .cmacAES128: "cmac"
        case .hmacSHA256: "hmac"
        }
    }

    private static let routes: [(String, ProvisioningRoute<String>)] = [
        ("any", .any), ("direct", .direct), ("remote", .remote),
    ]

    /// The word for a route to a device that names no node.
    static func word(_ route: ProvisioningRoute<String>) -> String {
        routes.first { $0.1 == route }?.0 ?? ""
    }

    /// A route to a device that names no node.
    static func route(_ text: String) throws(ScalarProblem) -> ProvisioningRoute<String> {
        if let route = routes.first(where: { $0.0 == text })?.1 { return route }
        let words = routes.map(\.0)
        let nearest = Suggestion.nearest(to: text, among: words).map { "did you mean `\($0)`? " } ?? ""
        throw ScalarProblem(
            "\(quoted(text)) is not a way to a device",
            hint: nearest + "write one of: \(words.joined(separator: ", ")); or `via: { node: NAME }` to go through a "
                + "certain node"
        )
    }

    /// What a network wants proved about its devices.
    static func requirement(_ text: String) throws(ScalarProblem) -> ProvisioningAssurance {
        if let requirement = ProvisioningAssurance(rawValue: text) { return requirement }
        throw problem(text, "a requirement", among: ProvisioningAssurance.allCases.map(\.rawValue))
    }

    static func problem(_ text: String, _ title: String, among words: [String]) -> ScalarProblem {
        ScalarProblem(
            "\(quoted(text)) is not \(title)",
            hint: Suggestion.hint(for: text, among: words, are: "write one of")
        )
    }
}
