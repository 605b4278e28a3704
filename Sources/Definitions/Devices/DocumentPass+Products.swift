import DefinitionModel
import MeshCore

/// Products that a definition names files of, so that places have elements and models before there is any device.
extension DocumentPass {
    /// Reads the files with products, which may hold devices for simulations, too. Profiles and nodes get the products
    /// that they name.
    ///
    /// - Parameter named: the files; all of them are among ``files``.
    /// - Returns: the products by what they are made as.
    mutating func readProducts(_ named: NamedFiles) -> [ProductIdentifier: ProductDescription] {
        for name in named.missing {
            decoder.diagnostics.report(
                "there is no YAML file \(quoted(name.value)) with products",
                at: name.location,
                length: name.value.utf8.count,
                hint: "paths start from the folder of the file that names them and end in .yaml or .yml; "
                    + "a folder stands for its YAML files"
            )
        }
        var declarations = DeviceDeclarations()
        for place in named.places.sorted() { readDevices(place, into: &declarations) }
        // Devices count only where they are simulated, but what is wrong with them is wrong here as well.
        _ = declarations.resolved(into: &decoder.diagnostics)
        var products: [ProductIdentifier: ProductDescription] = [:]
        for product in declarations.products {
            let composition = product.composition
            let identifier = ProductIdentifier(company: composition.company, product: composition.product)
            let description = ProductDescription(
                name: product.name,
                composition: composition,
                sharesSubscriptionLists: product.sharesSubscriptionLists,
                knowsHMAC: product.algorithms?.contains(.hmacSHA256) ?? false
            )
            guard let first = products.updateValue(description, forKey: identifier) else { continue }
            products[identifier] = first
            guard first.name.value != product.name.value, first.composition != composition else { continue }
            decoder.diagnostics.report(
                "the products \(quoted(first.name.value)) and \(quoted(product.name.value)) are both made as "
                    + "\(identifier)",
                at: product.name.location,
                length: product.name.value.utf8.count,
                hint: "a definition tells products apart by `company` and `product`; keep the version that is built in",
                related: [Diagnostic.Related(message: "first here", location: first.name.location)]
            )
        }
        resolveProductNames(declarations, lacksFiles: !named.missing.isEmpty || decoder.diagnostics.hasErrors)
        return products
    }

    /// Gives profiles and nodes the products that they name.
    ///
    /// - Parameter lacksFiles: whether files may be missing or broken, so that an unknown name says nothing.
    private mutating func resolveProductNames(_ declarations: DeviceDeclarations, lacksFiles: Bool) {
        let known = Dictionary(
            firstOf: declarations.products.map { product in
                let composition = product.composition
                let identifier = ProductIdentifier(company: composition.company, product: composition.product)
                return (product.name.value, identifier)
            }
        )
        for place in fragments.indices {
            for named in fragments[place].productNames {
                if let identifier = known[named.name.value] {
                    let product = Located(identifier, at: named.name.location)
                    switch named.user {
                    case .profile(let index): fragments[place].definition.profiles[index].product = product
                    case .node(let index): fragments[place].definition.nodes[index].product = product
                    }
                } else if !lacksFiles || !known.isEmpty, !declarations.brokenProducts.contains(named.name.value) {
                    reportUnknownProduct(named, in: fragments[place].definition, known.keys.sorted())
                }
            }
        }
    }

    private mutating func reportUnknownProduct(_ named: ProductName, in definition: Definition, _ known: [String]) {
        let resource =
            switch named.user {
            case .profile(let index): "profile.\(definition.profiles[index].name.value)"
            case .node(let index): "node.\(definition.nodes[index].name.value)"
            }
        let hint =
            known.isEmpty
            ? "name a file with products: `products: [devices/products.yaml]`, or write the company and the product of "
                + "its composition: 0x0059:0x0001"
            : Suggestion.hint(for: named.name.value, among: known, are: "products are")
        decoder.diagnostics.report(
            "there is no product \(quoted(named.name.value))",
            at: named.name.location,
            length: named.name.value.utf8.count,
            resource: resource,
            hint: hint
        )
    }
}

extension DocumentDecoder {
    /// `products` of a definition: a list of files and folders with products.
    mutating func decodeProductFiles(_ section: MappingEntry) {
        if isNull(section.value) { return }
        guard tree.nodes[section.value].kind != .mapping else {
            return report(
                "a list of files with products is expected here, not a mapping",
                at: section.value,
                hint: "move them into a file outside of the definition, and name it: "
                    + "`products: [devices/products.yaml]`"
            )
        }
        for entry in list(section.value, "a list of files with products") ?? ListEntries() {
            guard let path = text(entry, "the path of a file or folder with products") else { continue }
            productFiles.append(Located(path, at: location(entry)))
        }
    }
}
