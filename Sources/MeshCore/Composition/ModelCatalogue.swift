/// What is known of a model of the Bluetooth SIG apart from its identifier.
package struct CatalogueModel: Hashable, Sendable {
    /// The 16-bit identifier.
    package let identifier: ModelIdentifier
    /// The name in the specification: `Generic OnOff Server`.
    package let title: String
    /// The name in definitions: `generic-onoff-server`.
    package let name: String
    /// What it supports; nil if no source tells.
    package let abilities: Abilities?
    /// The models that this one extends directly, without those that they extend (Mesh Protocol 2.3.6).
    package let extends: [ModelIdentifier]

    /// What a model supports.
    package struct Abilities: Hashable, Sendable {
        package let publication: Bool
        /// Whether it has a Subscription List state.
        package let subscription: Bool
        /// Whether AppKeys can be bound to it; nil if no source tells.
        package let appKeyBinding: Bool?
    }

    /// Whether the model has a Model Publication state; nil if no source tells.
    package var supportsPublication: Bool? { abilities?.publication }
    /// Whether the model has a Subscription List state; nil if no source tells.
    package var supportsSubscription: Bool? { abilities?.subscription }
    /// Whether AppKeys can be bound to the model; nil if no source tells.
    package var supportsAppKeyBinding: Bool? { abilities?.appKeyBinding }
    package var isClient: Bool { title.hasSuffix(" Client") }

    private init(
        _ identifier: UInt16,
        _ title: String,
        publication: Bool,
        subscription: Bool,
        binding: Bool?,
        extends: [UInt16] = []
    ) {
        self.init(
            identifier,
            title,
            Abilities(publication: publication, subscription: subscription, appKeyBinding: binding),
            extends: extends
        )
    }

    private init(_ identifier: UInt16, _ title: String, _ abilities: Abilities?, extends: [UInt16] = []) {
        self.identifier = .sig(identifier)
        self.title = title
        name = String(title.lowercased().map { $0 == " " ? "-" : $0 })
        self.abilities = abilities
        self.extends = extends.map { .sig($0) }
    }

    /// A model with publication, subscription and AppKeys.
    private static func application(_ identifier: UInt16, _ title: String, extends: [UInt16] = []) -> CatalogueModel {
        CatalogueModel(
            identifier,
            title,
            publication: true,
            subscription: true,
            binding: true,
            extends: extends
        )
    }

    /// A model with subscription and AppKeys but no publication, as most setup servers are.
    private static func withoutPublication(
        _ identifier: UInt16,
        _ title: String,
        extends: [UInt16] = []
    ) -> CatalogueModel {
        CatalogueModel(
            identifier,
            title,
            publication: false,
            subscription: true,
            binding: true,
            extends: extends
        )
    }

    /// A model whose messages only the DeviceKey secures.
    private static func deviceKeyOnly(_ identifier: UInt16, _ title: String, extends: [UInt16] = []) -> CatalogueModel {
        CatalogueModel(
            identifier,
            title,
            publication: false,
            subscription: false,
            binding: false,
            extends: extends
        )
    }

    fileprivate static let all: [CatalogueModel] = [
        // Foundation models.
        .deviceKeyOnly(0x0000, "Configuration Server"),
        .deviceKeyOnly(0x0001, "Configuration Client"),
        .application(0x0002, "Health Server"),
        .application(0x0003, "Health Client"),
        .deviceKeyOnly(0x0004, "Remote Provisioning Server"),
        .deviceKeyOnly(0x0005, "Remote Provisioning Client"),
        .deviceKeyOnly(0x0006, "Directed Forwarding Configuration Server", extends: [0x0000]),
        .deviceKeyOnly(0x0007, "Directed Forwarding Configuration Client"),
        .deviceKeyOnly(0x0008, "Bridge Configuration Server", extends: [0x0000]),
        .deviceKeyOnly(0x0009, "Bridge Configuration Client"),
        .deviceKeyOnly(0x000A, "Mesh Private Beacon Server", extends: [0x0000]),
        .deviceKeyOnly(0x000B, "Mesh Private Beacon Client"),
        .deviceKeyOnly(0x000C, "On-Demand Private Proxy Server", extends: [0x000A]),
        .deviceKeyOnly(0x000D, "On-Demand Private Proxy Client"),
        .deviceKeyOnly(0x000E, "SAR Configuration Server"),
        .deviceKeyOnly(0x000F, "SAR Configuration Client"),
        .init(0x0010, "Opcodes Aggregator Server", publication: false, subscription: false, binding: true),
        .init(0x0011, "Opcodes Aggregator Client", publication: false, subscription: false, binding: true),
        .deviceKeyOnly(0x0012, "Large Composition Data Server", extends: [0x0000]),
        .deviceKeyOnly(0x0013, "Large Composition Data Client"),
        .init(
            0x0014,
            "Solicitation PDU RPL Configuration Server",
            publication: false,
            subscription: false,
            binding: nil
        ),
        .init(
            0x0015,
            "Solicitation PDU RPL Configuration Client",
            publication: false,
            subscription: false,
            binding: nil
        ),
        // Generic models.
        .application(0x1000, "Generic OnOff Server"),
        .application(0x1001, "Generic OnOff Client"),
        .application(0x1002, "Generic Level Server"),
        .application(0x1003, "Generic Level Client"),
        .application(0x1004, "Generic Default Transition Time Server"),
        .application(0x1005, "Generic Default Transition Time Client"),
        .application(0x1006, "Generic Power OnOff Server", extends: [0x1000]),
        .withoutPublication(0x1007, "Generic Power OnOff Setup Server", extends: [0x1006, 0x1004]),
        .application(0x1008, "Generic Power OnOff Client"),
        .application(0x1009, "Generic Power Level Server", extends: [0x1006, 0x1002]),
        .withoutPublication(0x100A, "Generic Power Level Setup Server", extends: [0x1009, 0x1007]),
        .application(0x100B, "Generic Power Level Client"),
        .application(0x100C, "Generic Battery Server"),
        .application(0x100D, "Generic Battery Client"),
        .application(0x100E, "Generic Location Server"),
        .withoutPublication(0x100F, "Generic Location Setup Server", extends: [0x100E]),
        .application(0x1010, "Generic Location Client"),
        .application(0x1011, "Generic Admin Property Server", extends: [0x1013]),
        .application(0x1012, "Generic Manufacturer Property Server", extends: [0x1013]),
        .application(0x1013, "Generic User Property Server"),
        .application(0x1014, "Generic Client Property Server"),
        .application(0x1015, "Generic Property Client"),
        // Sensor models.
        .application(0x1100, "Sensor Server"),
        .application(0x1101, "Sensor Setup Server", extends: [0x1100]),
        .application(0x1102, "Sensor Client"),
        // Time and scene models.
        .application(0x1200, "Time Server"),
        .init(0x1201, "Time Setup Server", publication: false, subscription: false, binding: true, extends: [0x1200]),
        .application(0x1202, "Time Client"),
        .application(0x1203, "Scene Server"),
        .withoutPublication(0x1204, "Scene Setup Server", extends: [0x1203, 0x1004]),
        .application(0x1205, "Scene Client"),
        .application(0x1206, "Scheduler Server"),
        .withoutPublication(0x1207, "Scheduler Setup Server", extends: [0x1206]),
        .application(0x1208, "Scheduler Client"),
        // Lighting models.
        .application(0x1300, "Light Lightness Server", extends: [0x1006, 0x1002]),
        .withoutPublication(0x1301, "Light Lightness Setup Server", extends: [0x1300, 0x1007]),
        .application(0x1302, "Light Lightness Client"),
        .application(0x1303, "Light CTL Server", extends: [0x1300]),
        .withoutPublication(0x1304, "Light CTL Setup Server", extends: [0x1303, 0x1301]),
        .application(0x1305, "Light CTL Client"),
        .application(0x1306, "Light CTL Temperature Server", extends: [0x1002]),
        .application(0x1307, "Light HSL Server", extends: [0x1300]),
        .withoutPublication(0x1308, "Light HSL Setup Server", extends: [0x1307, 0x1301]),
        .application(0x1309, "Light HSL Client"),
        .application(0x130A, "Light HSL Hue Server", extends: [0x1002]),
        .application(0x130B, "Light HSL Saturation Server", extends: [0x1002]),
        .application(0x130C, "Light xyL Server", extends: [0x1300]),
        .withoutPublication(0x130D, "Light xyL Setup Server", extends: [0x130C, 0x1301]),
        .application(0x130E, "Light xyL Client"),
        .application(0x130F, "Light LC Server", extends: [0x1000, 0x1300]),
        .application(0x1310, "Light LC Setup Server", extends: [0x130F]),
        .application(0x1311, "Light LC Client"),
        // DALI over mesh (IEC 62386-104). Only its identifier, its name and the name of its message are known.
        .init(0x1312, "IEC 62386-104 Model", nil),
        // BLOB transfer and firmware update models.
        .withoutPublication(0x1400, "BLOB Transfer Server"),
        .init(0x1401, "BLOB Transfer Client", publication: false, subscription: false, binding: true),
        .withoutPublication(0x1402, "Firmware Update Server", extends: [0x1400]),
        .init(
            0x1403,
            "Firmware Update Client",
            publication: false,
            subscription: false,
            binding: true,
            extends: [0x1401]
        ),
        .withoutPublication(0x1404, "Firmware Distribution Server", extends: [0x1400]),
        .init(
            0x1405,
            "Firmware Distribution Client",
            publication: false,
            subscription: false,
            binding: true,
            extends: [0x1401]
        ),
    ]
}

/// The models of the Bluetooth SIG (Mesh Protocol 4, Mesh Model 3 to 6, MBT, DFU).
package enum ModelCatalogue {
    /// Every model, sorted by identifier.
    package static let models: [CatalogueModel] = CatalogueModel.all

    /// The place in ``models`` of each SIG identifier up to the last one, or 0xFF. A table, because plans and checks
    /// look up every model of every node.
    private static let places: [UInt8] = {
        var places = [UInt8](repeating: .max, count: Int(models.last?.identifier.model ?? 0) + 1)
        for (index, model) in models.enumerated() { places[Int(model.identifier.model)] = UInt8(index) }
        return places
    }()
    private static let byName = Dictionary(uniqueKeysWithValues: models.map { ($0.name, $0) })

    /// The model with that identifier; nil for vendor models and unknown SIG models.
    package static func model(_ identifier: ModelIdentifier) -> CatalogueModel? {
        place(of: identifier).map { models[$0] }
    }

    /// What the model with that identifier supports; nil for vendor models, unknown SIG models, and models of which no
    /// source tells.
    package static func abilities(of identifier: ModelIdentifier) -> CatalogueModel.Abilities? {
        place(of: identifier).flatMap { models[$0].abilities }
    }

    private static func place(of identifier: ModelIdentifier) -> Int? {
        let number = Int(identifier.model)
        guard !identifier.isVendor, number < places.count, places[number] != .max else { return nil }
        return Int(places[number])
    }

    /// The model with that name in definitions; the name must match exactly and be lower-case: `generic-onoff-server`.
    package static func model(named name: String) -> CatalogueModel? {
        byName[name]
    }

    /// The models of one element in groups that share one Subscription List (Mesh Protocol 4.2.4): models that extend
    /// one another on that element, directly or through others. A model that shares its list with none is alone.
    ///
    /// Groups are in the order of their first models, models in the order given. A repeated model counts once.
    package static func subscriptionListGroups(of models: [ModelIdentifier]) -> [[ModelIdentifier]] {
        var order: [ModelIdentifier] = []
        var neighbours: [ModelIdentifier: [ModelIdentifier]] = [:]
        for identifier in models where neighbours.updateValue([], forKey: identifier) == nil {
            order.append(identifier)
        }
        for identifier in order {
            for base in model(identifier)?.extends ?? [] where neighbours[base] != nil {
                neighbours[identifier, default: []].append(base)
                neighbours[base, default: []].append(identifier)
            }
        }
        var groupOf: [ModelIdentifier: Int] = [:]
        var groupCount = 0
        for start in order where groupOf[start] == nil {
            var pending = [start]
            while let identifier = pending.popLast() {
                guard groupOf.updateValue(groupCount, forKey: identifier) == nil else { continue }
                pending += neighbours[identifier, default: []]
            }
            groupCount += 1
        }
        var groups = [[ModelIdentifier]](repeating: [], count: groupCount)
        for identifier in order {
            if let group = groupOf[identifier] { groups[group].append(identifier) }
        }
        return groups
    }
}

/// The servers of the foundation models of version 1.1; each belongs on the primary element.
extension ModelIdentifier {
    package static let remoteProvisioningServer = sig(0x0004)
    package static let bridgeConfigurationServer = sig(0x0008)
    package static let privateBeaconServer = sig(0x000A)
    package static let onDemandPrivateProxyServer = sig(0x000C)
    package static let sarConfigurationServer = sig(0x000E)
    package static let opcodesAggregatorServer = sig(0x0010)
    package static let largeCompositionDataServer = sig(0x0012)
    /// Solicitation PDU RPL Configuration Server.
    package static let solicitationReplayServer = sig(0x0014)
}
