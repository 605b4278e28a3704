import DefinitionModel
import MeshCore

/// Models as definitions write them.
enum ModelWords {
    /// The model of a text, as ``model(_:_:)`` finds it, but with no hint in the error.
    static func modelWithoutHint(_ text: String, _ names: ModelNames) throws(ScalarProblem) -> ModelIdentifier {
        guard let model = names.model(named: text) else { throw ScalarProblem("\(quoted(text)) is not a model") }
        return model
    }

    /// A model by its name, as `0x1000`, or as company and model: `0x0059:0x0001`.
    static func model(_ text: String, _ names: ModelNames) throws(ScalarProblem) -> ModelIdentifier {
        if let model = names.model(named: text) { return model }
        guard text.utf8.allSatisfy({ Numbers.isHexadecimalDigit($0) || $0 == UInt8(ascii: ":") || $0 == 0x78 }) else {
            let nearest = Suggestion.nearest(to: text, among: names.all)
            let forms = "write a name such as generic-onoff-server, or 0x1000, or 0x0059:0x0001 for a vendor model"
            throw ScalarProblem(
                "\(quoted(text)) is not a model",
                hint: nearest.map { "did you mean `\($0)`?" } ?? forms
            )
        }
        throw ScalarProblem(
            "\(quoted(text)) is not a model",
            hint: "write model identifiers with 0x: 0x1000, or company and model: 0x0059:0x0001"
        )
    }

    /// What a device is made as, as a definition says it.
    enum ProductReference {
        case identifier(ProductIdentifier)
        case name(String)
    }

    /// What a device is made as: company and product, `0x0059:0x0001`, or the name of a product in a file.
    static func product(_ text: String) throws(ScalarProblem) -> ProductReference {
        if Name.isValid(text), !text.hasPrefix("0x") { return .name(text) }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let company = Numbers.hexadecimal(String(parts[0])),
            let product = Numbers.hexadecimal(String(parts[1]))
        else {
            throw ScalarProblem(
                "\(quoted(text)) is not a product",
                hint: "write the name of a product in a file under `products:`, or the company and the product of "
                    + "its composition: 0x0059:0x0001"
            )
        }
        return .identifier(ProductIdentifier(company: company, product: product))
    }
}
