import DefinitionModel
import MeshCore

/// A product: what its devices have in common.
struct ProductDeclaration {
    var name: Located<String>
    /// Its elements, models and features.
    var composition = Composition(
        company: 0xFFFF,
        product: 0,
        version: 0,
        replayListSize: 64,
        features: [],
        elements: []
    )
    /// Whether models of it that extend each other share one subscription list; nil if the file does not say.
    var sharesSubscriptionLists: Bool?
    /// The composition that a Node Composition Refresh gives it, as after a firmware update; nil if there is none.
    var nextComposition: Composition?
    /// The algorithms that it supports for provisioning; nil if the file does not say. A simulated one then has all.
    var algorithms: [ProvisioningAlgorithm]?
    /// The static value of its devices, if they share one.
    var staticValue: StaticOutOfBandValue?
    /// How it presents a value: its actions, and the most digits or characters.
    var output: (actions: [OutputAction], size: UInt8) = ([], 0)
    /// How it accepts a value: its actions, and the most digits or characters.
    var input: (actions: [InputAction], size: UInt8) = ([], 0)
    var bearers: ProvisioningBearers = [.advertising, .gatt]
    /// Whether it refuses provisioning without out-of-band authentication.
    var requiresAuthentication = false
    /// Where its out-of-band data can be found.
    var oobInformation: OutOfBandInformation = []
    var uri: String?
    /// What its devices do differently from others.
    var quirks: [DeviceQuirk] = []
}

/// A device as its file declares it.
struct DeviceDeclaration {
    var name: Located<String>
    var uuid: Located<DeviceUUID>
    var product: Located<String>
    var staticValue: StaticOutOfBandValue?
    /// Its key pair, if the public key is known out of band.
    var keyPair: P256KeyPair?
    var uri: String?
    /// What it does differently from others, in addition to the quirks of its product.
    var quirks: [DeviceQuirk] = []
}

/// The declarations of all files.
struct DeviceDeclarations {
    /// Products in reading order.
    var products: [ProductDeclaration] = []
    /// Products that had to be left out.
    var brokenProducts: Set<String> = []
    /// Devices in reading order.
    var devices: [DeviceDeclaration] = []

    /// The devices with their products. Problems between declarations are reported.
    func resolved(into diagnostics: inout DiagnosticCollector) -> [DeviceDescription] {
        var productPositions: [String: Int] = [:]
        for (position, product) in products.enumerated() {
            if let first = productPositions[product.name.value] {
                reportTwice("product", product.name, products[first].name, &diagnostics)
            } else {
                productPositions[product.name.value] = position
            }
        }
        var names: [String: Located<String>] = [:]
        var uuids = Uniqueness<DeviceUUID>()
        var descriptions: [DeviceDescription] = []
        for device in devices {
            let resource = "device.\(device.name.value)"
            if let first = names[device.name.value] {
                reportTwice("device", device.name, first, &diagnostics)
            } else {
                names[device.name.value] = device.name
            }
            uuids.check(device.uuid, resource: resource, into: &diagnostics) { "the UUID \($0)" }
            guard let position = productPositions[device.product.value] else {
                if brokenProducts.contains(device.product.value) { continue }
                diagnostics.report(
                    "there is no product \(quoted(device.product.value))",
                    at: device.product.location,
                    length: device.product.value.utf8.count,
                    resource: resource,
                    hint: productPositions.isEmpty
                        ? "declare it under `products:`"
                        : Suggestion.hint(for: device.product.value, among: productPositions.keys, are: "declared")
                )
                continue
            }
            let description = Self.describe(device, products[position])
            if description.capabilities.requiresAuthentication, !Self.canAuthenticate(description.capabilities) {
                diagnostics.report(
                    "the device demands authentication but offers no method",
                    at: device.name.location,
                    length: device.name.value.utf8.count,
                    severity: .warning,
                    resource: resource,
                    hint: "give it `static`, or its product `static`, `output` or `input`"
                )
            }
            descriptions.append(description)
        }
        return descriptions
    }

    private static func describe(_ device: DeviceDeclaration, _ product: ProductDeclaration) -> DeviceDescription {
        let staticValue = device.staticValue ?? product.staticValue
        var description = DeviceDescription(
            uuid: device.uuid.value,
            name: device.name.value,
            composition: product.composition,
            capabilities: ProvisioningCapabilities(
                elementCount: UInt8(clamping: product.composition.elements.count),
                algorithms: product.algorithms ?? ProvisioningAlgorithm.allCases,
                isPublicKeyAvailable: device.keyPair != nil,
                isStaticValueAvailable: staticValue != nil,
                requiresAuthentication: product.requiresAuthentication,
                outputSize: product.output.size,
                outputActions: product.output.actions,
                inputSize: product.input.size,
                inputActions: product.input.actions
            )
        )
        description.staticValue = staticValue
        description.keyPair = device.keyPair
        description.outOfBandInformation = product.oobInformation
        description.uri = device.uri ?? product.uri
        description.provisioningBearers = product.bearers
        description.sharesSubscriptionLists = product.sharesSubscriptionLists
        description.quirks = Set(product.quirks + device.quirks)
        description.compositionPages[128] = product.nextComposition?.page0Bytes
        return description
    }

    private static func canAuthenticate(_ capabilities: ProvisioningCapabilities) -> Bool {
        capabilities.isStaticValueAvailable || !capabilities.outputActions.isEmpty
            || !capabilities.inputActions.isEmpty
    }

    private func reportTwice(
        _ title: String,
        _ name: Located<String>,
        _ first: Located<String>,
        _ diagnostics: inout DiagnosticCollector
    ) {
        diagnostics.report(
            "the \(title) \(quoted(name.value)) is declared twice",
            at: name.location,
            length: name.value.utf8.count,
            related: [Diagnostic.Related(message: "first here", location: first.location)]
        )
    }
}
