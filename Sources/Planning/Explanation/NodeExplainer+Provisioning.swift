import DefinitionModel
import MeshCore

extension NodeExplainer {
    /// How the device becomes a node, as far as the definition says so; empty for a node.
    func provisioning() -> [ExplainedValue] {
        guard desired.order != nil else { return [] }
        return [
            value("oob", { $0.method }, text: \.word),
            value("static", { $0.staticValue }) { source in
                switch source {
                case .file(let path): "file \(path)"
                case .environment(let name): "environment variable \(name)"
                }
            },
            value("public_key", { $0.publicKeyFile }) { "file \($0)" },
            value("algorithm", { $0.algorithm }, text: \.name),
            value("attention", { $0.attention }) { DurationText.text(milliseconds: Int($0) * 1000) },
        ].compactMap { $0 }
    }

    private func value<Value>(
        _ name: String,
        _ setting: (ProvisioningSettings) -> Located<Value>?,
        text: (Value) -> String
    ) -> ExplainedValue? {
        let said = layers.compactMap { layer in layer.provisioning.flatMap(setting).map { (layer.way, $0) } }
        guard let (way, located) = said.first else { return nil }
        return ExplainedValue(
            name: "provisioning." + name,
            value: text(located.value),
            sources: [ValueSource(way: way, location: located.location)],
            overridden: said.dropFirst().map { way, located in
                OverriddenValue(value: text(located.value), source: ValueSource(way: way, location: located.location))
            }
        )
    }
}

extension AuthenticationMethod.Kind {
    /// The definition's word for it.
    fileprivate var word: String {
        switch self {
        case .noOOB: "none"
        case .staticOOB: "static"
        case .outputOOB: "output"
        case .inputOOB: "input"
        }
    }
}
