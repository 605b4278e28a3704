import DefinitionModel
import MeshCore

/// Compares what nodes told they are made of with what the files of their products say.
extension Resolver {
    /// Warns of nodes whose devices are made otherwise than their places expect: they may be the wrong devices, or the
    /// file is wrong, and with it how many addresses other places of that product need. The nodes keep their own
    /// addresses either way, since devices are given as many as they say.
    mutating func checkProducts() {
        guard !definition.products.isEmpty else { return }
        for (number, placement) in placements.enumerated() {
            guard case .recorded(let position)? = placement, network.nodes[position].isCompositionKnown,
                let product = declaredProduct(of: definition.nodes[number]),
                let described = definition.products[product.value],
                let problem = problem(of: network.nodes[position], product.value, described)
            else { continue }
            let name = definition.nodes[number].name.value
            diagnostics.report("product \(problem)", at: product.location) {
                Diagnostic(
                    .warning,
                    "node `\(name)` \(problem)",
                    at: product.location,
                    resource: "node." + name,
                    hint: """
                        If it is the right device, correct its product; if it is not, give its place to another: \
                        \(command: .replace(node: name))
                        """,
                    related: [Diagnostic.Related(message: "described here", location: described.name.location)]
                )
            }
        }
    }

    private func declaredProduct(of node: NodeDefinition) -> Located<ProductIdentifier>? {
        node.product ?? node.profile.flatMap { profilePlaces[$0.value] }.flatMap { definition.profiles[$0].product }
    }

    /// How a node differs from its product; nil if it does not.
    private func problem(
        of node: Node,
        _ identifier: ProductIdentifier,
        _ described: ProductDescription
    ) -> String? {
        let title = "product `\(described.name.value)`"
        if let told = node.product, told.company != identifier.company || told.product != identifier.product {
            let own = ProductIdentifier(company: told.company, product: told.product)
            let known = definition.products[own].map { "product `\($0.name.value)` (\(own))" } ?? "\(own)"
            return "is made as \(known), and not as \(title) (\(identifier))"
        }
        let elements = described.composition.elements
        guard node.elements.count == elements.count else {
            let noun = node.elements.count == 1 ? "element" : "elements"
            return "has \(node.elements.count) \(noun), and its \(title) has \(elements.count)"
        }
        // Another version may have other models. Those that are needed and missing are errors anyway.
        guard node.product?.version == described.composition.version else { return nil }
        for (index, element) in elements.enumerated() {
            let models = node.elements[index].models
            guard let missing = element.models.first(where: { model in !models.contains { $0.identifier == model } })
            else { continue }
            return "has no `\(definition.modelNames.name(of: missing))` on element \(index), and its \(title) has"
        }
        return nil
    }
}
