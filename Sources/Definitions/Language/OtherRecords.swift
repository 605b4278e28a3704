import DefinitionModel

/// Mappings that are described here, and read where it is known what to do with them.
extension Record {
    // MARK: Schedules

    /// A value of `schedules`, unless it is a sentence.
    static let schedule = Record(
        "schedule",
        as: "a schedule",
        "A schedule in parts.",
        [
            Property(.when, ["type": "string"], "The time: `every workday at 19:30`.", isRequired: true),
            Property(
                .deed,
                ["type": "string", "pattern": #"^\s*([Rr]ecall|[Ss]witch)\s.*$"#],
                "What is done: `recall evening over 5s`, `switch on`, `switch off`.",
                isRequired: true
            ),
            Property(.nodes, .ref("selector"), isRequired: true),
            Property(
                .allowEmpty,
                .ref("switch"),
                "Whether the patterns and tags of `nodes` may select no node. By default that is an error."
            ),
        ]
    )

    // MARK: Tests

    /// A value of `tests`, unless it is a list of steps.
    static let test = Record(
        "test",
        as: "a list of steps, or a mapping with steps",
        "A test that is run several times.",
        [
            Property(.forEach, .ref("test_variation")),
            Property(.steps, .ref("test_steps"), isRequired: true),
        ]
    )
    static let testVariation = Record(
        "test_variation",
        as: "what the runs differ in",
        "How the runs of a test differ.",
        where: ["minProperties": 1],
        [
            Property(
                .without,
                .anyOf([["const": "relays"], .ref("test_nodes")]),
                "In each run another one of these nodes has no power; `relays` are all nodes that relay."
            ),
            Property(
                .tag,
                .ref("name"),
                """
                A run for each value of this tag, which $(TAG) stands for in names, selectors and targets: room, \
                $(room).
                """
            ),
            Property(.nodes, .ref("test_nodes"), "Only the values that the tag has at these nodes."),
            Property(
                .node,
                .ref("test_nodes"),
                "A run for each of these nodes; $(node) stands for its name, $(room) for its tag."
            ),
        ]
    )
    static let testStep = Record(
        "test_step",
        as: "a step",
        "One thing that is done, and what must follow from it.",
        where: ["minProperties": 1],
        [
            Property(
                .press,
                ["type": "string", "minLength": 1],
                "A switch, its element, and on or off: switch-1/0 on."
            ),
            Property(
                .sense,
                ["type": "string", "minLength": 1],
                "A sensor, the property if it measures several, and the value: presence-1 1."
            ),
            Property(
                .fault,
                ["type": "string", "minLength": 1],
                "A node and a fault that appears or, if it is there, goes away: lamp-1 overheat."
            ),
            Property(
                .set,
                ["type": "string", "minLength": 1],
                "A target, a state and a value, as for `meshplan set`: group.kitchen onoff on."
            ),
            Property(
                .recall,
                ["type": "string", "minLength": 1],
                "A scene, by its name or number, and a target: evening in group.kitchen."
            ),
            Property(.powerOff, .ref("test_nodes"), "Nodes that lose their power."),
            Property(.powerOn, .ref("test_nodes"), "Nodes that have power again."),
            Property(.wait, .ref("duration"), "How long nothing is done."),
            Property(
                .within,
                .ref("duration"),
                "The time in which all that is expected must have come true; 1s by default."
            ),
            Property(.expect, .anyOf([.ref("expectation"), .list(of: .ref("expectation"))]), "What must come true."),
            Property(
                .others,
                .anyOf([.words(["unchanged", "silent"]), .list(of: .words(["unchanged", "silent"]), atLeast: 1)]),
                """
                `unchanged`: no lamp may change but those of which something is expected. `silent`: no node may \
                publish a change of its states but these and the one that is acted on.
                """
            ),
        ]
    )

    // MARK: Modules and variables

    /// A value of `modules`.
    static let module = Record(
        "module",
        as: "a module",
        "A part of a definition with parameters. `$(name)` stands for the value of a parameter.",
        where: ["patternProperties": ["^x-": ["description": "Anything, such as values with anchors."]]],
        [
            Property(
                .parameters,
                .section(of: .anyOf([.ref("parameter"), .ref("parameter_type")]), named: .ref("parameter_name")),
                "The parameters: a type, or a mapping with type and default."
            ),
            Property(.description, ["type": "string"], "What it is for."),
            Property(.modules, .section(of: .ref("module")), "Modules that only this one uses, and those in it."),
            Property(.subnets, ["type": ["object", "null"]], "Subnets, as in a definition."),
            Property(.applicationKeys, ["type": ["object", "null"]], "Application keys, as in a definition."),
            Property(.groups, ["type": ["object", "null"]], "Groups, as in a definition."),
            Property(.defaults, ["type": ["object", "array", "null"]], "Settings of many nodes, as in a definition."),
            Property(.profiles, ["type": ["object", "null"]], "Profiles, as in a definition."),
            Property(.nodes, ["type": ["object", "null"]], "Nodes, as in a definition."),
            Property(.subscriptions, .section(listing: ["type": "object"]), "Subscriptions, as in a definition."),
            Property(.publications, .section(listing: ["type": "object"]), "Publications, as in a definition."),
            Property(.moved, .section(listing: ["type": "object"]), "Moved names, as in a definition."),
            Property(.scenes, ["type": ["object", "null"]], "Scenes, as in a definition."),
            Property(.schedules, ["type": ["object", "null"]], "Schedules, as in a definition."),
            Property(.checks, ["type": ["object", "null"]], "Checks, as in a definition."),
            Property(.tests, ["type": ["object", "null"]], "Tests, as in a definition."),
            Property(.floors, ["type": ["object", "null"]], "Floors, as in a definition."),
            Property(.use, .section(listing: .ref("use")), "Instances of other modules."),
        ]
    )
    /// A value of `parameters` or `variables` with more than a type or value.
    static let parameter = Record(
        "parameter",
        as: "a parameter",
        "A parameter or variable.",
        [
            Property(.type, .ref("parameter_type")),
            Property(
                .defaultValue,
                ["type": ["string", "number", "boolean", "array"]],
                "The value where none is given."
            ),
            Property(.description, ["type": "string"], "What it is for."),
        ]
    )
    /// An entry of `use`.
    static let use = Record(
        "use",
        as: "an instance of a module",
        "Instances of a module: one, or one for each value or row.",
        [
            Property(.module, .ref("name"), "The name of the module.", isRequired: true),
            Property(.repetition, .ref("repetition")),
            Property(
                .rows,
                ["type": "string", "pattern": #"\.csv$"#],
                """
                A file of separated values whose first line names the columns: an instance for each row, with the \
                columns as parameters.
                """
            ),
            Property(.with, ["type": "object"], "Values of parameters."),
            Property(.override, .ref("override")),
        ]
    )
    /// The value of `override` in an entry of `use`.
    static let override = Record(
        "override",
        as: "a mapping of sections",
        "What the instance sets in entries of the module: keys that the module leaves open.",
        [
            Property(.groups, ["type": ["object", "null"]], "Groups of the module, by name."),
            Property(.profiles, ["type": ["object", "null"]], "Profiles of the module, by name."),
            Property(.nodes, ["type": ["object", "null"]], "Nodes of the module, by name."),
        ]
    )
}

// MARK: - Files with devices

extension Record {
    /// A whole document with devices for simulations.
    static let deviceFile = Record(
        "device_file",
        as: "a mapping with `products` and `devices`",
        "One document.",
        [
            Property(.products, .section(of: .ref("product")), "Products by name: what their devices have in common."),
            Property(.devices, .section(of: .ref("device")), "Devices by name."),
        ]
    )
    /// A value of `products`.
    static let product = Record(
        "product",
        as: "a product",
        "A product.",
        where: .anyOf([["required": ["elements"]], ["required": ["composition"]]]),
        [
            Property(.company, .ref("number16"), "The company identifier; left out, 0xFFFF."),
            Property(.product, .ref("number16"), "The product identifier; left out, 0."),
            Property(.version, .ref("number16"), "The version identifier; left out, 0."),
            Property(.replayList, .ref("number16"), "How many sources the replay protection list holds; left out, 64."),
            Property(
                .sharedSubscriptionLists,
                .ref("switch"),
                """
                Whether models that extend one another on one element share one subscription list, as the \
                specification wants it and not every stack does; left out, off.
                """
            ),
            Property(
                .features,
                .list(of: .words(["relay", "proxy", "friend", "low_power"])),
                "The features that the devices have."
            ),
            Property(
                .elements,
                ["type": "array", "items": .ref("composition_element"), "minItems": 1, "maxItems": 255],
                "The elements in their order."
            ),
            Property(
                .composition,
                ["type": "string", "pattern": #"^\s*(0[xX])?[0-9a-fA-F\s]+$"#],
                """
                The octets of Composition Data Page 0 as hexadecimal digits, in place of company, product, version, \
                replay_list, features and elements.
                """
            ),
            Property(
                .compositionAfterUpdate,
                .ref("updated_composition"),
                """
                The changes of a firmware update. Devices activate them with meshplan reprovision --composition, or \
                with --address if the number of elements changes.
                """
            ),
            Property(.provisioning, .ref("product_provisioning")),
            Property(
                .quirks,
                .ref("quirks"),
                "Where the devices deviate from the specification, as shipped stacks do."
            ),
        ]
    )
    /// The `composition_after_update` of a product.
    static let updatedComposition = Record(
        "updated_composition",
        as: "a mapping with the changes of an update",
        "A composition as far as it is other than the present one.",
        isOptional: true,
        [
            Property(.version, .ref("number16"), "The version identifier; left out, the present one."),
            Property(
                .replayList,
                .ref("number16"),
                "How many sources the replay protection list holds; left out, as many as before."
            ),
            Property(
                .features,
                .list(of: .words(["relay", "proxy", "friend", "low_power"])),
                "The features that the devices have; left out, the present ones."
            ),
            Property(
                .elements,
                ["type": "array", "items": .ref("composition_element"), "minItems": 1, "maxItems": 255],
                "The elements in their order; left out, the present ones."
            ),
        ]
    )
    /// An entry of the `elements` of a product.
    static let compositionElement = Record(
        "composition_element",
        as: "an element",
        "An element.",
        [
            Property(
                .location,
                .ref("number16"),
                "Where the element is, a GATT namespace descriptor; left out, 0, unknown."
            ),
            Property(
                .models,
                .list(of: .ref("model_reference")),
                "Its models. configuration-server and health-server of the first element may be left out.",
                isRequired: true
            ),
        ]
    )
    /// The `provisioning` of a product.
    static let productProvisioning = Record(
        "product_provisioning",
        as: "a mapping for provisioning",
        "What the devices can do when they are provisioned.",
        isOptional: true,
        [
            Property(
                .algorithms,
                .list(
                    of: .words([
                        "cmac", "hmac", "BTM_ECDH_P256_CMAC_AES128_AES_CCM", "BTM_ECDH_P256_HMAC_SHA256_AES_CCM",
                    ]),
                    atLeast: 1
                ),
                """
                The algorithms that the devices know; left out, a simulated one knows all. Where a definition names \
                the file, a device of a product with hmac that does not offer it is remarked upon.
                """
            ),
            Property(
                .bearers,
                .list(of: .words(["pb-adv", "pb-gatt"]), atLeast: 1),
                """
                How the devices can be provisioned: pb-gatt over a connection, pb-adv through nodes that hear them; \
                left out, both.
                """
            ),
            Property(
                .staticValue,
                ["type": ["string", "number"], "pattern": "^(0[xX])?([0-9A-Fa-f]{2}){1,32}$"],
                "The static value: up to 64 hexadecimal digits, two an octet. It is for simulations alone."
            ),
            Property(
                .output,
                .ref("oob_actions"),
                "How the devices tell a value: blink, beep, vibrate, numeric, alphanumeric."
            ),
            Property(
                .input,
                .ref("oob_actions"),
                "How the devices are told a value: push, twist, numeric, alphanumeric."
            ),
            Property(.requiresAuthentication, .ref("switch"), "Whether the devices refuse no OOB."),
            Property(
                .outOfBandInformation,
                .anyOf([
                    .list(
                        of: .words([
                            "other", "uri", "2d-code", "bar-code", "nfc", "number", "string", "certificate",
                            "provisioning-records", "on-box", "inside-box", "on-paper", "inside-manual", "on-device",
                        ])
                    ), .ref("number16"),
                ]),
                "Where out-of-band data is to be found: a list, or the 16 bits as a number."
            ),
            Property(
                .uri,
                ["type": "string", "pattern": "^[A-Za-z0-9+.-]+:[!-~]+$"],
                "The URI that the device advertises."
            ),
        ]
    )
    /// How a device presents or accepts a value.
    static let oobActions = Record(
        "oob_actions",
        as: "a mapping of actions",
        "Actions that carry a value.",
        [
            Property(
                .actions,
                .list(
                    of: .words(["blink", "beep", "vibrate", "push", "twist", "numeric", "alphanumeric"]),
                    atLeast: 1
                ),
                "The actions.",
                isRequired: true
            ),
            Property(
                .size,
                .number(1...8, pattern: "^[1-8]$"),
                "The most digits or characters, 1 to 8.",
                isRequired: true
            ),
        ]
    )
    /// A value of `devices` in a file with devices for simulations.
    static let device = Record(
        "device",
        as: "a device",
        "A device.",
        [
            Property(.uuid, .ref("octets16"), "The Device UUID.", isRequired: true),
            Property(.product, .ref("name"), "The product it is one of.", isRequired: true),
            Property(
                .staticValue,
                ["type": ["string", "number"], "pattern": "^(0[xX])?([0-9A-Fa-f]{2}){1,32}$"],
                "The static value: up to 64 hexadecimal digits, two an octet. It is for simulations alone."
            ),
            Property(
                .privateKey,
                ["type": ["string", "number"], "pattern": "^(0[xX])?[0-9A-Fa-f]{64}$"],
                "The private key as 64 hexadecimal digits, if the public one is known out of band."
            ),
            Property(
                .uri,
                ["type": "string", "pattern": "^[A-Za-z0-9+.-]+:[!-~]+$"],
                "The URI that the device advertises."
            ),
            Property(
                .quirks,
                .ref("quirks"),
                "Where the device deviates from the specification, in addition to its product's deviations."
            ),
        ]
    )
}

// MARK: - Files with vendor models

extension Record {
    /// A whole document with vendor models.
    static let modelsFile = Record(
        "models_file",
        as: "a mapping with `models`",
        "One document.",
        [
            Property(
                .models,
                ["type": "object", "propertyNames": .ref("name"), "additionalProperties": .ref("vendor_model")],
                "Models by the names that definitions and commands use for them.",
                isRequired: true
            )
        ]
    )
    /// A value of `models` in such a file.
    static let vendorModel = Record(
        "vendor_model",
        as: "a model",
        "A model.",
        [
            Property(.company, .ref("number16"), "The company identifier.", isRequired: true),
            Property(
                .model,
                .ref("number16"),
                "The number of the model in its company: of the server, if there are two.",
                isRequired: true
            ),
            Property(
                .client,
                .ref("number16"),
                "The number of the client that goes with it; left out, the model itself is on both sides."
            ),
            Property(
                .types,
                .section(of: [
                    "description": """
                    A layout (u1 to u63, s2 to s64, float, octets1 to octets380, text1 to text380, rest, rest0, share, \
                    counted, model, key-indexes), then in any order a scale (/100, *100/65535, n-20, 1.1^(n-64)), a unit \
                    in brackets, a range of ordinary raw numbers, words for raw numbers, boolean, set, hex, date or \
                    secret, and ! or ? for other values that are prohibited or reserved.
                    """, "type": "string",
                    "examples": ["u8 0=normal 1=emergency ?", "u16 /100 [lx] 0..65534 0xffff=not-known"],
                ]),
                "Types of fields by name, beside those of the Bluetooth SIG's messages."
            ),
            Property(
                .messages,
                [
                    "type": "object", "propertyNames": .ref("lower_case_name"),
                    "additionalProperties": .ref("vendor_message"),
                ],
                "Messages by name.",
                isRequired: true
            ),
            Property(.states, .section(of: .ref("vendor_state"), named: .ref("lower_case_name")), "States by name."),
        ]
    )
    /// A value of `messages`.
    static let vendorMessage = Record(
        "vendor_message",
        as: "a message",
        "A message. Messages of one opcode differ in a field with a fixed value at the same place.",
        [
            Property(
                .opcode,
                .anyOf([["type": "string", "pattern": "^0x[0-9A-Fa-f]{1,6}$"], ["type": "integer"]]),
                "The opcode in the company, 0x00 to 0x3F, or all three octets as they are sent.",
                isRequired: true
            ),
            Property(
                .direction,
                .words(["request", "status"]),
                "request, to the server, or status, from the server; left out, request."
            ),
            Property(
                .answer,
                .ref("lower_case_name"),
                "The status that answers a request; left out, the request is not acknowledged."
            ),
            Property(
                .fields,
                [
                    "type": "string",
                    "examples": ["sub:u8=5 state:emergency-state", "lightness tid [ transition delay ]"],
                ],
                """
                The fields in their order: name:type, or name alone if the type is called the same; :u8=5 is a fixed \
                value, [ ] are around what is there or missing together at the end, name*:type repeats a field and \
                name*( ) fields up to the end, _3 are three reserved bits, and / is between forms.
                """
            ),
        ]
    )
    /// A value of the `states` of a vendor model.
    static let vendorState = Record(
        "vendor_state",
        as: "a state",
        "A state. What selects an instance and what its value is follows from the messages.",
        [
            Property(
                .get,
                .ref("lower_case_name"),
                "The message that reads it; its answer reports it.",
                isRequired: true
            ),
            Property(.set, .ref("lower_case_name"), "The message that sets it; left out, it cannot be set."),
            Property(.unacknowledged, .ref("lower_case_name"), "The message that sets it without an answer."),
            Property(
                .lasting,
                .ref("boolean"),
                "Whether a node keeps it until somebody changes it; left out, it does not."
            ),
        ]
    )
}

// MARK: - Files with secrets, for which there is no schema

extension Record {
    /// A whole document with secrets of devices.
    static let secretsFile = Record("secrets_file", as: "a mapping with `devices`", "", [Property(.devices, [:])])
    /// A value of `devices` in a file with secrets.
    static let deviceSecrets = Record(
        "device_secrets",
        as: "a mapping",
        "",
        [Property(.staticValue, [:]), Property(.publicKey, [:])]
    )
    /// An entry of `devices` in a file with secrets, if it is a list.
    static let listedSecrets = Record(
        "listed_secrets",
        as: "a device",
        "",
        [Property(.uuid, [:], isRequired: true), Property(.staticValue, [:]), Property(.publicKey, [:])]
    )
}
