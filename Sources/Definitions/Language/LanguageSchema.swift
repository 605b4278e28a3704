import Catalogue
import DefinitionModel
import MeshCore

/// The JSON Schema of a kind of file, which editors use. It is made from the descriptions that the decoder reads.
package struct LanguageSchema: Sendable, CustomStringConvertible {
    package let fileName: String
    private let title: String
    private let documentation: String
    /// The mappings, of which the first is the document.
    let records: [Record]
    /// Parts with names that are no mappings with fixed keys.
    private let parts: [Part]

    /// A part with a name, and what it means.
    private struct Part {
        let name: String
        let schema: Schema

        init(_ name: String, _ schema: Schema, _ documentation: String? = nil) {
            self.name = name
            self.schema = schema.described(documentation)
        }
    }

    package var description: String { fileName }

    /// The schema as JSON.
    package var text: String {
        let named = records.map { Part($0.title, $0.schema) } + parts
        let schema: Schema = [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": .text(title),
            "description": .text(documentation),
            "$ref": .text("#/$defs/\(records[0].title)"),
            "$defs": .object(named.map { Schema.Member(name: $0.name, value: $0.schema) }),
        ]
        return schema.json
    }

    package static let all = [definition, devices, models]
}

// MARK: - Definitions

extension LanguageSchema {
    package static let definition = LanguageSchema(
        fileName: "meshplan.schema.json",
        title: "meshplan definition",
        documentation: "What a Bluetooth Mesh network should be. Several files or documents of one network are merged.",
        records: [
            .definition, Limits.mapping.record, ProvisioningRules.mapping.record, SubnetDefinition.mapping.record,
            ApplicationKeyDefinition.mapping.record, .keySource, GroupDefinition.mapping.record,
            DefaultsDefinition.mapping.record, ProfileDefinition.mapping.record, NodeDefinition.mapping.record,
            ProvisioningSettings.mapping.record, ProvisioningSettings.profileRecord, .provisioningServer,
            .staticSource, .publicKeySource, MappingType<CheckRequirement>.features(\.relay, \.proxy, \.friend).record,
            Transmissions.ofPDUs.record, Transmissions.ofMessages.record, .heartbeat,
            HeartbeatPublishSettings.mapping.record, HeartbeatSubscribeSettings.mapping.record,
            SARTransmitterState.mapping.record, SARReceiverState.mapping.record, PrivateBeaconState.mapping.record,
            NodeSettings.subnetBridge.record, BridgeDefinition.mapping.record, ModelDefinition.mapping.record,
            PublishSettings.mapping.record, SubscriptionDefinition.mapping.record,
            PublicationDefinition.mapping.record, MovedNames.mapping.record, .schedule,
            CheckDefinition.mapping.record, CheckRequirement.mapping.record, CheckCount.mapping.record, .test,
            .testVariation, .testStep, .module, .parameter, .use, .override, FloorDefinition.mapping.record,
            NodePosition.mapping.record, NodePosition.corner.record,
        ],
        parts: settings + states + steps + names + scalars
    )

    private static let settings: [Part] = [
        Part(
            "provisioning_route",
            .anyOf([.words(["any", "direct", "remote"]), .ref("provisioning_server")]),
            """
            By which way the device is reached: any (left out), directly where the bearer hears it, else through a \
            node; direct, only over our own bearer; remote, only through nodes with a Remote Provisioning Server; or \
            only through one node.
            """
        ),
        Part(
            "node_identity",
            .section(of: .ref("off")),
            """
            Subnets whose node identity is not advertised. It cannot be kept on, since a node advertises it for a \
            minute only.
            """
        ),
        Part(
            "elements",
            .section(
                of: .section(of: .ref("model"), named: .ref("model_name")),
                named: ["pattern": "^(0|[1-9][0-9]?|1[0-9][0-9]|2[0-4][0-9]|25[0-4])$"]
            ),
            "Managed models by the index of their element."
        ),
        Part(
            "selector",
            .anyOf([
                .ref("pattern"), .list(of: .ref("pattern"), atLeast: 1),
                [
                    "type": "object", "propertyNames": .ref("name"), "additionalProperties": .ref("tag_value"),
                    "minProperties": 1,
                ],
            ]),
            "Which nodes: all, a name or pattern with *, a list of those, or the tags that a node must have."
        ),
        Part(
            "publish_target",
            .anyOf([
                ["type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]*(/(0|[1-9][0-9]{0,2}))?$"],
                ["type": "integer"],
            ]),
            """
            A group, one of all-nodes, all-relays, all-proxies and all-friends, a node (its first element), node/1 \
            (its element 1), provisioner (meshplan's own provisioner) or an address such as 0xC000.
            """
        ),
        Part(
            "product_reference",
            .anyOf([.ref("name_reference"), ["type": "string", "pattern": "^0x[0-9A-Fa-f]{1,4}:0x[0-9A-Fa-f]{1,4}$"]]),
            """
            What a device is made as: the name of a product in a file under `products`, or the company and the \
            product of its composition.
            """
        ),
    ]

    private static let states: [Part] = [
        Part(
            "model_states",
            [
                "type": "object",
                "propertyNames": .anyOf([
                    .words(names(for: .lasting) { $0.allNames + ($0.instances ?? []).map(\.name) }), .ref("name"),
                ]),
                "additionalProperties": .ref("model_state_value"),
            ],
            """
            States by their names in the catalogue, such as lightness_range, or without the words of the model's \
            name: range. Underscores and hyphens are the same. Described vendor models have the names that their \
            files give.
            """
        ),
        Part(
            "model_state_value",
            .anyOf([
                ["type": ["string", "number", "boolean"]], .list(of: .ref("model_state_value")),
                ["type": "object", "additionalProperties": .ref("model_state_value")],
            ]),
            """
            A number with its unit (80%, 10min, 3000K), a word (restore), a list of the fields in order ([5%, \
            100%]), or a mapping of the fields by name; of states with several instances a mapping by property or \
            index first.
            """
        ),
        Part(
            "scene_states",
            [
                "type": "object",
                "propertyNames": .anyOf([
                    .words(sceneNames),
                    .words(sceneNames.filter { $0.contains("_") }.map { $0.replacing("_", with: "-") }),
                ]),
                "additionalProperties": .ref("model_state_value"),
                "minProperties": 1,
            ],
            """
            States of a light by their names in the catalogue, such as lc_mode, or without the words of the \
            model's name: mode.
            """
        ),
        Part(
            "scene_number",
            .number(1...65535, pattern: "^([1-9][0-9]{0,4}|0[xX][0-9A-Fa-f]{1,4})$"),
            "1 to 65535, decimal or with 0x."
        ),
        Part(
            "schedule_sentence",
            ["type": "string", "pattern": #"^\s*([Ee]very|[Oo]n|[Oo]nce)\s.*$"#],
            """
            A time, what is done and where: `every workday at 19:30 recall evening over 5s in room office`. Times: \
            `every day|workday|weekend|monday and friday [of june and july] at 19:30`, `on 24 december [2027] at \
            18:00`, `on 1 of every month at 06:00`; instead of `at …` also `every 15 minutes`, `every 20 minutes`, \
            `every hour`, `once an hour`, `once a day`. Done: `recall SCENE`, `switch on`, `switch off`. Where: `in \
            TAG VALUE and TAG VALUE`, `on NODE and NODE`, `everywhere`.
            """
        ),
    ]

    private static let steps: [Part] = [
        Part(
            "test_nodes",
            .anyOf([
                ["type": "string", "minLength": 1], .list(of: ["type": "string", "minLength": 1], atLeast: 1),
                [
                    "type": "object", "propertyNames": .ref("name"), "additionalProperties": .ref("tag_value"),
                    "minProperties": 1,
                ],
            ]),
            """
            Which nodes: all, a name or pattern with *, a list of those, or the tags that a node must have. Each \
            text may hold a variable of `for_each`, such as $(room).
            """
        ),
        Part("test_steps", .list(of: .ref("test_step"), atLeast: 1), "What is done and expected, in this order."),
        Part(
            "expectation",
            [
                "type": "object", "required": ["nodes"], "minProperties": 2,
                "propertyNames": ["type": "string", "pattern": "^[a-z0-9][a-z0-9_-]*$"], "additionalProperties": true,
            ],
            """
            Nodes, and what must come true of them: nodes, element (by default the first that has the state), names \
            of states with values such as onoff: on, lightness: 40%, faults (none, or a list of names), arrives (by \
            when the message of the switch or sensor must have reached them), heartbeat (the node of which a \
            heartbeat must reach them, or with `nodes: provisioner` the provisioner) with hops (at most so many), \
            and within (the time for this alone).
            """
        ),
        Part(
            "repetition",
            [
                "type": "object", "propertyNames": .ref("parameter_name"),
                "additionalProperties": .anyOf([
                    ["type": "string", "pattern": #"\.\.|^\$\("#], ["type": "array", "minItems": 1],
                ]),
            ],
            """
            Variables with ranges (1..4, or 001..120 with as many digits) or lists. The entry occurs once for each \
            combination.
            """
        ),
        Part(
            "parameter_type",
            .words(["text", "number", "address", "duration", "on/off", "list"]),
            "What the values must be."
        ),
        Part(
            "checked_group",
            ["type": ["string", "number"]],
            "A group; in its name `$(room)` stands for the value of the node's own tag `room`."
        ),
    ]

    private static let names: [Part] = [
        Part(
            "name",
            .anyOf([
                [
                    "type": "string",
                    "pattern":
                        #"^([A-Za-z0-9]|\$\([A-Za-z][A-Za-z0-9_-]*\))([A-Za-z0-9._-]|\$\([A-Za-z][A-Za-z0-9_-]*\))*$"#,
                ], ["type": "number"],
            ]),
            """
            Letters, digits, dots, underscores and hyphens, starting with a letter or digit. $(name) stands for the \
            value of a parameter or variable.
            """
        ),
        Part("name_reference", .ref("name")),
        Part(
            "moved_address",
            ["type": "string", "pattern": #"^(subnet|application_key|group)\.[A-Za-z0-9][A-Za-z0-9._-]*$"#],
            "The kind and the name of something renamed."
        ),
        Part(
            "pattern",
            .anyOf([
                [
                    "type": "string",
                    "pattern":
                        #"^([A-Za-z0-9*]|\$\([A-Za-z][A-Za-z0-9_-]*\))(\*|[A-Za-z0-9._-]|\$\([A-Za-z][A-Za-z0-9_-]*\))*$"#,
                ], ["type": "number"],
            ])
        ),
        Part("tag_value", ["type": ["string", "number", "boolean"]]),
        Part("model_name", ["pattern": "^([A-Za-z0-9][A-Za-z0-9._-]*|0x[0-9A-Fa-f]{1,4}:0x[0-9A-Fa-f]{1,4})$"]),
        Part(
            "model_reference",
            .anyOf([
                ["type": "string", "pattern": "^([A-Za-z0-9][A-Za-z0-9._-]*|0x[0-9A-Fa-f]{1,4}:0x[0-9A-Fa-f]{1,4})$"],
                ["type": "integer", "minimum": 0, "maximum": 65535],
            ]),
            """
            A model of the Bluetooth SIG by name (generic-onoff-server) or identifier (0x1000), or a vendor model by \
            the name that `models` gives it or by company and model (0x0059:0x0001).
            """
        ),
        Part(
            "parameter_name",
            ["type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_-]*$"],
            "A letter, then letters, digits, underscores and hyphens."
        ),
        Part(
            "title",
            ["type": "string", "minLength": 1, "maxLength": 120],
            "A text on one line without invisible characters."
        ),
    ]

    private static let scalars: [Part] = [
        Part("switch", ["enum": ["on", "off", "yes", "no", "true", "false", true, false]], "on or off."),
        Part("off", ["enum": ["off", "no", "false", false]], "off."),
        Part(
            "default_ttl",
            [
                "type": ["integer", "string"], "minimum": 0, "maximum": 127, "pattern": "^(0|[1-9][0-9]{0,2})$",
                "not": ["enum": [1, "1"]],
            ]
        ),
        Part("ttl", .number(0...127, pattern: "^(0|[1-9][0-9]{0,2})$")),
        Part("element_index", .number(0...254, pattern: "^(0|[1-9][0-9]{0,2})$")),
        Part(
            "key_index",
            .number(0...4095, pattern: "^(0|[1-9][0-9]{0,3}|0[xX][0-9A-Fa-f]{1,4})$"),
            "0 to 4095, decimal or with 0x."
        ),
        Part(
            "unicast_address",
            .number(1...32767, pattern: "^0[xX][0-9A-Fa-f]{1,4}$"),
            """
            The address of the node's first element, always with 0x: 0x0001 to 0x7FFF. By default the smallest free \
            range is assigned at provisioning and kept.
            """
        ),
        Part(
            "group_address",
            .number(49152...65279, pattern: "^0[xX][0-9A-Fa-f]{1,4}$"),
            "A fixed address, always with 0x: 0xC000 to 0xFEFF."
        ),
        Part(
            "octets16",
            [
                "type": ["string", "number"],
                "pattern":
                    "^([0-9A-Fa-f]{32}|[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12})$",
            ],
            "32 hexadecimal digits, with or without hyphens."
        ),
        Part(
            "duration",
            ["type": "string", "pattern": #"^[0-9]+(\.[0-9]+)?(ms|s|m|h)$"#],
            "A number with a unit: 20ms, 1.5s, 10s, 5m, 1h."
        ),
        Part(
            "length",
            ["type": "string", "pattern": #"^([0-9]+(\.[0-9]+)?(m|cm|mm)|.*\$\([A-Za-z][A-Za-z0-9_-]*\).*)$"#],
            """
            A number with a unit: 3.5m, 350cm, 3500mm. $(name) stands for the value of a parameter or variable.
            """
        ),
    ]

    private static let sceneNames = names(for: .scenes, \.allNames)

    /// The names of all states that can be declared under a model or in a scene.
    private static func names(for purpose: DeclarableStates.Purpose, _ names: (DeclarableState) -> [String]) -> [String]
    {
        let states = ModelCatalogue.models.flatMap {
            DeclarableStates(of: $0.identifier, in: .sig, for: purpose).states
        }
        return Set(states.flatMap(names)).sorted()
    }
}

// MARK: - Files with devices and vendor models

extension LanguageSchema {
    package static let devices = LanguageSchema(
        fileName: "meshplan-devices.schema.json",
        title: "meshplan devices",
        documentation: "Devices without a network, for the simulator. Several files or documents are put together.",
        records: [
            .deviceFile, .product, .updatedComposition, .compositionElement, .productProvisioning, .oobActions, .device,
        ],
        parts: [
            Part(
                "quirks",
                .list(
                    of: .anyOf([
                        .words(DeviceQuirk.plain.map(\.name)),
                        ["type": "string", "pattern": "^silent-get:0x[0-9A-Fa-f]{1,6}$"],
                    ])
                ),
                """
                Quirks of shipped stacks that a client has to cope with. no-beacon: the proxy sends no Secure \
                Network Beacon on connection. no-add-addresses: the proxy takes Set Filter Type alone, and adds the \
                source of what its client sends. miscounts-filter: its Filter Status counts 0 addresses. \
                adds-client: it puts its client on the accept list by itself. no-forwarding: the proxy takes what \
                its client sends for itself alone and forwards nothing of it. resets-late: the node answers Node \
                Reset five seconds before it leaves its network. resets-before-status: it leaves before its Node \
                Reset Status is sent. ignores-reset: it answers Node Reset and stays. swapped-vendor-ids: company \
                and model of vendor models are exchanged in its statuses. answers-ffff: Heartbeat Publication Status \
                has NetKeyIndex 0xFFFF where nothing is set. zero-virtual-address: the status of a subscription with \
                a label names 0x0000. short-netkey-list: NetKey List has a length that none can have. \
                wrong-key-index: AppKey List names another NetKeyIndex. keeps-bindings: bindings and publications of \
                a deleted AppKey stay. remote-link-forgets: the Remote Provisioning Server forgets its link after \
                the time that it was given to open it. silent-get:0x8038: the node does not answer to that opcode.
                """
            ),
            Part(
                "name",
                .anyOf([["type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]*$"], ["type": "number"]]),
                "Letters, digits, dots, underscores and hyphens, starting with a letter or digit."
            ),
            Part(
                "model_reference",
                .anyOf([
                    ["type": "string", "pattern": "^([a-z][a-z0-9-]*|0x[0-9A-Fa-f]{1,4}(:0x[0-9A-Fa-f]{1,4})?)$"],
                    ["type": "integer", "minimum": 0, "maximum": 65535],
                ]),
                """
                A model of the Bluetooth SIG by name (generic-onoff-server) or identifier (0x1000), or a vendor \
                model by company and model (0x0059:0x0001).
                """
            ),
            Part("switch", ["enum": ["on", "off", "yes", "no", "true", "false", true, false]], "on or off."),
            Part(
                "octets16",
                [
                    "type": ["string", "number"],
                    "pattern": """
                    ^([0-9A-Fa-f]{32}|[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12})$
                    """,
                ],
                "32 hexadecimal digits, with or without hyphens."
            ),
            Part(
                "number16",
                .number(0...65535, pattern: "^(0|[1-9][0-9]{0,4}|0[xX][0-9A-Fa-f]{1,4})$"),
                "0 to 65535, decimal or with 0x."
            ),
        ]
    )

    package static let models = LanguageSchema(
        fileName: "meshplan-models.schema.json",
        title: "meshplan models",
        documentation:
            "Vendor models: their messages, fields and states, in the shape of the Bluetooth SIG's. Several files or documents are put together.",
        records: [.modelsFile, .vendorModel, .vendorMessage, .vendorState],
        parts: [
            Part("name", ["type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]*$"]),
            Part("lower_case_name", ["type": "string", "pattern": "^[a-z0-9][a-z0-9-]*$"]),
            Part("boolean", .anyOf([["type": "boolean"], .words(["on", "off", "yes", "no"])])),
            Part(
                "number16",
                .anyOf([
                    ["type": "integer", "minimum": 0, "maximum": 65535],
                    ["type": "string", "pattern": "^0x[0-9A-Fa-f]{1,4}$"],
                ])
            ),
        ]
    )
}
