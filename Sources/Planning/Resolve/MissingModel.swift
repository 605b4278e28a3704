import DefinitionModel
import MeshCore

/// A model that a definition wants on a node that does not have it there.
struct MissingModel {
    var model: ModelIdentifier
    /// The element; nil for any.
    var element: UInt8?
    var node: Node
    var name: String
    /// Its product, if only the file that describes it says that the model is missing.
    var product: ProductDescription?
    var names = ModelNames()

    /// What is missing, and where it is or what is there instead.
    func diagnostic(at location: SourceLocation) -> Diagnostic {
        Diagnostic(
            .error,
            message,
            at: location,
            length: names.name(of: model).count,
            resource: "node." + name,
            hint: Advice(hint),
            related: product.map { [Diagnostic.Related(message: "described here", location: $0.name.location)] } ?? []
        )
    }

    private var message: String {
        let subject = product.map { "product `\($0.name.value)` of node `\(name)`" } ?? "node `\(name)`"
        guard let element else { return "\(subject) has no `\(names.name(of: model))`" }
        if Int(element) >= node.elements.count { return "\(subject) has no element \(element)" }
        return "element \(element) of \(subject) has no `\(names.name(of: model))`"
    }

    private var hint: String {
        let elsewhere = node.elements(with: model, on: nil)
        if !elsewhere.isEmpty {
            return "The model is on element " + elsewhere.map { String($0) }.joined(separator: ", ")
        }
        if let element, Int(element) >= node.elements.count {
            return "Its elements are 0 to \(max(node.elements.count, 1) - 1)"
        }
        let models = node.elements.enumerated().filter { element == nil || $0.offset == Int(element ?? 0) }
            .flatMap(\.element.models).map(\.identifier).filter { $0 > .configurationClient }.sortedUnique()
        if models.isEmpty { return "It has only foundation models" }
        let list = models.prefix(12).map { names.name(of: $0) }.joined(separator: ", ")
        return "There are: " + list + (models.count > 12 ? ", …" : "")
    }
}
