import DefinitionModel
import MeshCore

extension DocumentDecoder {
    /// A document with devices for simulations: `products` and `devices`, each by name.
    mutating func decodeDevices(into declarations: inout DeviceDeclarations) {
        guard !tree.nodes.isEmpty else { return }
        let expected = "a mapping with `products` and `devices`"
        for field in fields(0, .deviceFile, expected, blamed: 0) ?? [] {
            switch field.keyword {
            case .products:
                decodeNamed(field, "product") { decoder, entry in
                    if let product = decoder.decodeProduct(entry) {
                        declarations.products.append(product)
                        return true
                    }
                    declarations.brokenProducts.insert(entry.name.value)
                    return false
                }
            case .devices:
                decodeNamed(field, "device") { decoder, entry in
                    guard let device = decoder.decodeDevice(entry) else { return false }
                    declarations.devices.append(device)
                    return true
                }
            default: break
            }
        }
    }

    private mutating func decodeDevice(_ entry: NamedEntry) -> DeviceDeclaration? {
        guard let fields = fields(entry.value, .device, "a device", blamed: entry.key) else { return nil }
        var uuid: Located<DeviceUUID>?
        var product: Located<String>?
        var staticValue: StaticOutOfBandValue?
        var keyPair: P256KeyPair?
        var uri: String?
        var quirks: [DeviceQuirk] = []
        for field in fields {
            switch field.keyword {
            case .uuid: uuid = scalar(field.value, "a UUID", Addresses.uuid)
            case .product: product = scalar(field.value, "the name of a product", Words.name)
            case .staticValue: staticValue = secret(field.value, "a static value", SecretDigits.staticValue)?.value
            case .privateKey: keyPair = secret(field.value, "a private key", SecretDigits.privateKey)?.value
            case .uri: uri = scalar(field.value, "a URI", DeviceWords.uri)?.value
            case .quirks: quirks = words(field.value, "a list of quirks", DeviceWords.quirk)
            default: break
            }
        }
        guard let uuid, let product else { return nil }
        return DeviceDeclaration(
            name: entry.name,
            uuid: uuid,
            product: product,
            staticValue: staticValue,
            keyPair: keyPair,
            uri: uri,
            quirks: quirks
        )
    }

    // MARK: - Products

    private mutating func decodeProduct(_ entry: NamedEntry) -> ProductDeclaration? {
        guard let fields = fields(entry.value, .product, "a product", blamed: entry.key) else { return nil }
        var product = ProductDeclaration(name: entry.name)
        for field in fields {
            switch field.keyword {
            case .provisioning: decodeProvisioningAbilities(field, into: &product)
            case .sharedSubscriptionLists:
                product.sharesSubscriptionLists = scalar(field.value, "on or off", Words.boolean)?.value
            case .quirks: product.quirks = words(field.value, "a list of quirks", DeviceWords.quirk)
            default: break
            }
        }
        var isWhole = decode(fields, into: &product.composition, blamed: entry.key)
        isWhole = decodeOctets(among: fields, into: &product.composition, blamed: entry.key) && isWhole
        // The composition after an update consists of the changes and everything decoded before.
        for field in fields where field.keyword == .compositionAfterUpdate {
            let expected = "a mapping with the changes of an update"
            guard let changes = self.fields(field.value, .updatedComposition, expected, blamed: field.key) else {
                continue
            }
            var next = product.composition
            isWhole = isWhole && decode(changes, into: &next, blamed: field.key)
            product.nextComposition = next
        }
        return isWhole && !product.composition.elements.isEmpty ? product : nil
    }

    /// What Composition Data Page 0 tells.
    private static let toldByPage: Set<Keyword> = [.company, .product, .version, .replayList, .features, .elements]

    /// The `composition` of a product: octets of Composition Data Page 0. It stands in place of `elements` and of
    /// everything else that the page tells.
    ///
    /// - Returns: whether the product has either, and the octets could be read.
    private mutating func decodeOctets(
        among fields: MappingEntries,
        into composition: inout Composition,
        blamed: Int
    ) -> Bool {
        guard let octets = fields.first(where: { $0.keyword == .composition }) else {
            if fields.contains(where: { $0.keyword == .elements }) { return true }
            report(
                "the product has no elements",
                at: blamed,
                hint: "write `elements: [{ models: [generic-onoff-server] }]`, or `composition:` with the octets of "
                    + "its Composition Data Page 0"
            )
            return false
        }
        if let other = fields.first(where: { $0.keyword.map(Self.toldByPage.contains) ?? false }) {
            report(
                "`composition` tells this already",
                at: other.key,
                hint: "leave it out, or leave `composition` out"
            )
            return false
        }
        guard let page = scalar(octets.value, "Composition Data Page 0", DeviceWords.composition) else { return false }
        composition = page.value
        return isShortEnough(composition, blamed: octets.key)
    }

    /// Decodes fields of a composition and replaces the values that it has.
    ///
    /// - Returns: whether the composition could be read and fits into a message.
    private mutating func decode(_ fields: MappingEntries, into composition: inout Composition, blamed: Int) -> Bool {
        for field in fields {
            switch field.keyword {
            case .company: set(&composition.company, field, "a company identifier")
            case .product: set(&composition.product, field, "a product identifier")
            case .version: set(&composition.version, field, "a version identifier")
            case .replayList: set(&composition.replayListSize, field, "the size of a replay protection list")
            case .features:
                composition.features = FeatureSet(words(field.value, "a list of features", DeviceWords.feature))
            case .elements:
                guard let elements = decodeCompositionElements(field) else { return false }
                composition.elements = elements
            default: break
            }
        }
        return isShortEnough(composition, blamed: blamed)
    }

    private mutating func isShortEnough(_ composition: Composition, blamed: Int) -> Bool {
        guard let page = composition.page0Bytes, page.count <= Self.longestPage else {
            report(
                "the composition is too large for a message",
                at: blamed,
                hint: "page 0 of the composition data can have \(Self.longestPage) octets"
            )
            return false
        }
        return true
    }

    /// The longest access message has 380 octets (Mesh Protocol 3.6.4.1.1), of which Config Composition Data Status
    /// (4.3.2.5) takes two for its opcode and the number of the page.
    private static let longestPage = 378

    private mutating func set(_ number: inout UInt16, _ field: MappingEntry, _ title: String) {
        let parse = { (text: String) throws(ScalarProblem) in try DeviceWords.number(text, title) }
        if let value = scalar(field.value, title, parse) { number = value.value }
    }

    private mutating func decodeCompositionElements(_ field: MappingEntry) -> [CompositionElement]? {
        guard let entries = list(field.value, "a list of elements") else { return nil }
        guard (1...255).contains(entries.count) else {
            report("a device has 1 to 255 elements, not \(entries.count)", at: field.key)
            return nil
        }
        var elements: [CompositionElement] = []
        for (index, entry) in entries.enumerated() {
            guard let fields = fields(entry, .compositionElement, "an element", blamed: entry) else { return nil }
            var element = CompositionElement(location: 0, models: [])
            for field in fields {
                switch field.keyword {
                case .location: set(&element.location, field, "a location")
                case .models:
                    let models = list(field.value, "a list of models").map { self.models($0) } ?? []
                    for model in models where model.value == .configurationServer && index > 0 {
                        reportMisplaced(model)
                    }
                    element.models = models.map(\.value)
                default: break
                }
            }
            if index == 0 { Self.addFoundationModels(to: &element) }
            elements.append(element)
        }
        return elements
    }

    /// Adds the models that every node has on its primary element (Mesh Protocol 4.4.1, 4.4.3).
    private static func addFoundationModels(to element: inout CompositionElement) {
        let missing = [ModelIdentifier.configurationServer, .healthServer].filter { !element.models.contains($0) }
        element.models = missing + element.models
    }

    private mutating func reportMisplaced(_ model: Located<ModelIdentifier>) {
        diagnostics.report(
            "the model \(model.value.name) belongs on the first element",
            at: model.location,
            length: model.value.name.utf8.count,
            hint: "leave it out; every device has it there"
        )
    }

    // MARK: - Provisioning

    private mutating func decodeProvisioningAbilities(_ field: MappingEntry, into product: inout ProductDeclaration) {
        let expected = "a mapping for provisioning"
        for field in fields(field.value, .productProvisioning, expected, blamed: field.key) ?? [] {
            switch field.keyword {
            case .algorithms:
                let algorithms = words(field.value, "a list of algorithms", ProvisioningWords.algorithm)
                product.algorithms = algorithms
                if isEmptyList(field.value) {
                    report("a device knows at least one algorithm", at: field.key)
                }
            case .bearers:
                let bearers = words(field.value, "a list of bearers", DeviceWords.provisioningBearer)
                product.bearers = ProvisioningBearers(bearers)
                if isEmptyList(field.value) {
                    report("a device can be provisioned over at least one bearer", at: field.key)
                }
            case .staticValue:
                product.staticValue = secret(field.value, "a static value", SecretDigits.staticValue)?.value
            case .output:
                if let output = decodeActions(field, DeviceWords.outputAction) { product.output = output }
            case .input:
                if let input = decodeActions(field, DeviceWords.inputAction) { product.input = input }
            case .requiresAuthentication:
                let isRequired = scalar(field.value, "on or off", Words.boolean)
                product.requiresAuthentication = isRequired?.value ?? false
            case .outOfBandInformation: product.oobInformation = decodeOutOfBandInformation(field)
            case .uri: product.uri = scalar(field.value, "a URI", DeviceWords.uri)?.value
            default: break
            }
        }
    }

    /// `{ actions: [blink, numeric], size: 2 }`
    private mutating func decodeActions<Action>(
        _ field: MappingEntry,
        _ parse: (String) throws(ScalarProblem) -> Action
    ) -> (actions: [Action], size: UInt8)? {
        let title = "`\(field.keyword?.rawValue ?? "")`"
        guard let fields = fields(field.value, .oobActions, title, blamed: field.key) else { return nil }
        var actions: [Action] = []
        var size: UInt8?
        for field in fields {
            switch field.keyword {
            case .actions:
                actions = words(field.value, "a list of actions", parse)
                if isEmptyList(field.value) {
                    report("the list names no action", at: field.key, hint: "leave \(title) out if there is none")
                }
            case .size: size = scalar(field.value, "a size", DeviceWords.size)?.value
            default: break
            }
        }
        guard let size, !actions.isEmpty else { return nil }
        return (actions, size)
    }

    private mutating func decodeOutOfBandInformation(_ field: MappingEntry) -> OutOfBandInformation {
        guard tree.nodes[field.value].kind.isText, !isNull(field.value) else {
            let expected = "a list of places, or a number,"
            return OutOfBandInformation(words(field.value, expected, DeviceWords.outOfBandInformation))
        }
        var number: UInt16 = 0
        set(&number, field, "a number of out-of-band information")
        return OutOfBandInformation(rawValue: number)
    }

    private func isEmptyList(_ node: Int) -> Bool {
        tree.nodes[node].kind == .sequence && tree.next(after: node) == node + 1
    }

    /// A list of words. Unknown ones are reported and left out.
    private mutating func words<Value>(
        _ node: Int,
        _ expected: String,
        _ parse: (String) throws(ScalarProblem) -> Value
    ) -> [Value] {
        var values: [Value] = []
        for entry in list(node, expected) ?? ListEntries() {
            if let value = scalar(entry, "a word", parse) { values.append(value.value) }
        }
        return values
    }
}
