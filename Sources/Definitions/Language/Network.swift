import Catalogue
import DefinitionModel
import MeshCore

/// A section of a definition: a key of the whole document.
struct Section: Sendable {
    let property: Property
    /// Whether it is written before the sections, among what the network is called.
    var isHead = false
    /// Reads it into the current fragment. What is wrong is reported.
    let decode: @Sendable (inout DocumentDecoder, MappingEntry) -> Void
    /// Adds what one document of a network says to what those before it say.
    var merge: @Sendable (Definition, inout Definition, inout DiagnosticCollector) -> Void = { _, _, _ in }
    /// The section as text; nil if the definition has none.
    var written: @Sendable (DefinitionWriter) -> DefinitionValue? = { _ in nil }
    /// Where its entries stand; empty for a section whose entries are not marked with that.
    var locations: @Sendable (Definition) -> [SourceLocation] = { _ in [] }

    static func named<Thing>(
        _ keyword: Keyword,
        _ path: any WritableKeyPath<Definition, [Thing]> & Sendable,
        _ kind: String,
        _ schema: Schema,
        _ documentation: String,
        at location: any KeyPath<Thing, SourceLocation> & Sendable,
        isMarked: Bool = true,
        decode: @escaping @Sendable (inout DocumentDecoder, NamedEntry) -> Bool,
        written: @escaping @Sendable (DefinitionWriter, Thing) -> DefinitionValue.Field
    ) -> Section {
        Section(
            property: Property(keyword, .section(of: schema), documentation),
            decode: { $0.decodeNamed($1, kind, decode) },
            merge: { part, definition, _ in append(part[keyPath: path], to: &definition[keyPath: path]) },
            written: { writer in
                let things = writer.definition[keyPath: path]
                return things.isEmpty ? nil : .section(things.map { written(writer, $0) })
            },
            locations: { isMarked ? $0[keyPath: path].map { $0[keyPath: location] } : [] }
        )
    }

    static func rules<Rule>(
        _ keyword: Keyword,
        _ path: any WritableKeyPath<Definition, [Rule]> & Sendable,
        _ noun: String,
        _ schema: Schema,
        _ documentation: String,
        at location: any KeyPath<Rule, SourceLocation> & Sendable,
        isMarked: Bool = true,
        decode: @escaping @Sendable (inout DocumentDecoder, Int) -> Void,
        written: @escaping @Sendable (DefinitionWriter, Rule) -> DefinitionValue
    ) -> Section {
        Section(
            property: Property(keyword, .section(listing: schema), documentation),
            decode: { decoder, section in
                if decoder.isNull(section.value) { return }
                for entry in decoder.list(section.value, "a list of \(noun)s") ?? ListEntries() {
                    decode(&decoder, entry)
                }
            },
            merge: { part, definition, _ in append(part[keyPath: path], to: &definition[keyPath: path]) },
            written: { writer in
                let rules = writer.definition[keyPath: path]
                return rules.isEmpty ? nil : .list(rules.map { written(writer, $0) })
            },
            locations: { isMarked ? $0[keyPath: path].map { $0[keyPath: location] } : [] }
        )
    }

    /// A scalar that only one document of a network may have, so that nobody need look for another one elsewhere.
    static func scalar<Value>(
        _ keyword: Keyword,
        _ path: any WritableKeyPath<Definition, Located<Value>?> & Sendable,
        _ type: ScalarType<Value>,
        _ title: String,
        _ documentation: String,
        isHead: Bool = false
    ) -> Section {
        Section(
            property: Property(keyword, type.schema, documentation),
            isHead: isHead,
            decode: { $0.fragment.definition[keyPath: path] = $0.scalar($1.value, type) },
            merge: { mergeOnce($0[keyPath: path], into: &$1[keyPath: path], title, &$2) },
            written: { $0.definition[keyPath: path].flatMap { type.spell($0.value) } }
        )
    }

    /// A section that declares nothing of the network itself, or is read elsewhere.
    static func other(
        _ keyword: Keyword,
        _ schema: Schema,
        _ documentation: String,
        decode: @escaping @Sendable (inout DocumentDecoder, MappingEntry) -> Void = { _, _ in }
    ) -> Section {
        Section(property: Property(keyword, schema, documentation), decode: decode)
    }

    /// Appends a list. The first one is taken as it is, so that a definition in one file is not copied.
    fileprivate static func append<Element>(_ part: [Element], to list: inout [Element]) {
        if list.isEmpty { list = part } else { list += part }
    }

    /// Takes over a value that only one document of a network may have.
    fileprivate static func mergeOnce<Value>(
        _ part: Located<Value>?,
        into value: inout Located<Value>?,
        _ title: String,
        _ diagnostics: inout DiagnosticCollector
    ) {
        guard let part else { return }
        guard let first = value else {
            value = part
            return
        }
        diagnostics.report(
            "\(title) is given twice",
            at: part.location,
            related: [Diagnostic.Related(message: "first here", location: first.location)]
        )
    }
}

// MARK: - The sections

extension Definition {
    /// The section of a key; nil for a key that is none.
    static func section(of keyword: Keyword?) -> Section? {
        guard let keyword, let index = indexes[Int(keyword.symbol)] else { return nil }
        return sections[index]
    }

    private static let indexes: [Int?] = Keyword.all.map { keyword in
        sections.firstIndex { $0.property.keyword == keyword }
    }

    /// All sections in the order in which they are written.
    static let sections: [Section] = heads + things + rules + shared

    private static let heads: [Section] = [
        .other(
            .version,
            ["enum": [1, "1"]],
            "The version of the language; given in at least one document of a network."
        ) { decoder, entry in
            decoder.decodeVersion(entry.value)
        },
        Section(
            property: Property(
                .network,
                .ref("name"),
                """
                The network that the document is about. May be left out if all other documents are about one \
                network.
                """
            ),
            isHead: true,
            decode: { decoder, entry in
                decoder.fragment.namesNetwork = true
                decoder.fragment.network = decoder.scalar(entry.value, "the name of the network", Words.name)
            },
            written: { .text($0.definition.network.value) }
        ),
        .scalar(
            .title,
            \.wording.title,
            Scalars.shownTitle,
            "the title",
            "What people call the network, in any script; other programs show it in place of the name.",
            isHead: true
        ),
        .scalar(
            .description,
            \.wording.description,
            Scalars.description,
            "the description",
            "What else there is to know of the network; only in the definition.",
            isHead: true
        ),
        Section(
            property: Property(.limits, .ref("limits")),
            decode: { decoder, entry in
                var limits = Limits()
                _ = decoder.decode(entry.value, Limits.mapping, blamed: entry.key, into: &limits)
                if let removals = limits.removals { decoder.fragment.definition.removals = removals }
            },
            merge: { Section.mergeOnce($0.removals, into: &$1.removals, "the limit of `removals`", &$2) },
            written: { writer in
                writer.definition.removals.map { Limits.mapping.value(Limits(removals: $0)) }
            }
        ),
        Section(
            property: Property(.provisioning, .ref("provisioning_rules")),
            decode: { decoder, entry in
                var rules = ProvisioningRules(location: decoder.location(entry.key))
                let type = ProvisioningRules.mapping
                let isRead = decoder.decode(entry.value, type, blamed: entry.key, into: &rules)
                decoder.fragment.definition.provisioning = isRead ? rules : nil
            },
            merge: { part, definition, diagnostics in
                guard let rules = part.provisioning else { return }
                guard let first = definition.provisioning else {
                    definition.provisioning = rules
                    return
                }
                diagnostics.report(
                    "`provisioning` of the network is given twice",
                    at: rules.location,
                    length: Keyword.provisioning.rawValue.utf8.count,
                    related: [Diagnostic.Related(message: "first here", location: first.location)]
                )
            },
            written: { $0.definition.provisioning.map { ProvisioningRules.mapping.value($0) } }
        ),
    ]

    private static let things: [Section] = [
        .named(
            .subnets,
            \.subnets,
            "subnet",
            .ref("subnet"),
            "Subnets, each with a NetKey, by name.",
            at: \.name.location
        ) { decoder, entry in
            decoder.decode(entry, SubnetDefinition.mapping, SubnetDefinition(name: entry.name), into: \.subnets)
        } written: { writer, subnet in
            writer.named(subnet.name, SubnetDefinition.mapping.value(subnet))
        },
        .named(
            .applicationKeys,
            \.applicationKeys,
            "application_key",
            .ref("application_key"),
            "Application keys by name.",
            at: \.name.location
        ) { decoder, entry in
            let key = ApplicationKeyDefinition(name: entry.name, subnet: entry.name)
            return decoder.decode(entry, ApplicationKeyDefinition.mapping, key, into: \.applicationKeys)
        } written: { writer, key in
            writer.named(key.name, ApplicationKeyDefinition.mapping.value(key))
        },
        .named(
            .groups,
            \.groups,
            "group",
            .ref("group"),
            "Groups by name.",
            at: \.name.location
        ) { decoder, entry in
            decoder.decodeGroup(entry)
        } written: { writer, group in
            writer.group(group)
        },
        Section(
            property: Property(
                .defaults,
                .anyOf([.ref("defaults"), .list(of: .ref("defaults"))]),
                "Settings of all nodes, or a list of settings, each for all nodes or for those it selects."
            ),
            decode: { $0.decodeDefaults($1) },
            merge: { part, definition, _ in Section.append(part.defaults, to: &definition.defaults) },
            written: { writer in
                // One mapping if it is for all nodes, otherwise a list.
                let entries = writer.definition.defaults.map { DefaultsDefinition.mapping.value($0) }
                guard let first = entries.first else { return nil }
                return entries.count == 1 && writer.definition.defaults[0].nodes == nil ? first : .list(entries)
            }
        ),
        .named(
            .floors,
            \.floors,
            "floor",
            .anyOf([.ref("floor"), ["type": "null"]]),
            "The floors of the building, for pictures and reports; nothing of them goes on the air.",
            at: \.name.location,
            isMarked: false
        ) { decoder, entry in
            decoder.decodeFloor(entry)
        } written: { writer, floor in
            writer.named(floor.name, FloorDefinition.mapping.value(floor))
        },
        .named(
            .scenes,
            \.scenes,
            "scene",
            .ref("scene_number"),
            "Names for the numbers of scenes. What a scene is, is said by `scenes` under the models.",
            at: \.name.location,
            isMarked: false
        ) { decoder, entry in
            decoder.decodeScene(entry)
        } written: { writer, scene in
            writer.named(scene.name, .word("\(scene.number.value)"))
        },
        .named(
            .profiles,
            \.profiles,
            "profile",
            .ref("profile"),
            "Settings that several nodes share, by name. A node's own settings win, value by value.",
            at: \.name.location
        ) { decoder, entry in
            decoder.decodeProfile(entry)
        } written: { writer, profile in
            writer.named(profile.name, .section(ProfileDefinition.mapping.written(profile)))
        },
        .named(
            .nodes,
            \.nodes,
            "node",
            .ref("node"),
            "Nodes by name. The name can change freely; the UUID is the identity.",
            at: \.name.location
        ) { decoder, entry in
            decoder.decodeNode(entry)
        } written: { writer, node in
            writer.node(node)
        },
    ]

    private static let rules: [Section] = [
        .rules(
            .subscriptions,
            \.subscriptions,
            "subscription",
            .ref("subscription"),
            "Groups that models on several nodes subscribe to, beside those listed in the elements.",
            at: \.location
        ) { decoder, entry in
            decoder.decodeSubscription(entry)
        } written: { writer, rule in
            writer.subscription(rule)
        },
        .rules(
            .publications,
            \.publications,
            "publication",
            .ref("publication"),
            "Publications of models on one or several nodes.",
            at: \.location
        ) { decoder, entry in
            decoder.decodePublication(entry)
        } written: { writer, rule in
            writer.publication(rule)
        },
        .rules(
            .moved,
            \.moved,
            "moved name",
            .ref("moved"),
            """
            What has another name than before: subnets, application keys and groups keep what they are, and \
            nothing is sent. Entries that have served can stay.
            """,
            at: \.from.location,
            isMarked: false
        ) { decoder, entry in
            decoder.decodeMoved(entry)
        } written: { _, entry in
            MovedNames.mapping.value(MovedNames(entry))
        },
        Section(
            property: Property(
                .checks,
                .section(of: .ref("check"), named: Scalars.title.schema),
                """
                What the definition itself must fulfil, by the name of the check; `validate` and `plan` refuse \
                it otherwise.
                """
            ),
            decode: { $0.decodeChecks($1) },
            merge: { part, definition, _ in Section.append(part.checks, to: &definition.checks) },
            written: { writer in
                guard !writer.definition.checks.isEmpty else { return nil }
                return .section(
                    writer.definition.checks.map { writer.named($0.name, CheckDefinition.mapping.value($0)) }
                )
            },
            locations: { $0.checks.map(\.name.location) }
        ),
        .scalar(
            .timeZone,
            \.timeZone,
            Scalars.timeZone,
            "the time zone",
            """
            The time zone of nodes with schedules, as a distance from UTC in quarters of an hour; UTC if it is \
            left out.
            """
        ),
        .named(
            .schedules,
            \.schedules,
            "schedule",
            .anyOf([.ref("schedule_sentence"), .ref("schedule")]),
            "What nodes with a Scheduler do by themselves at certain times, by the name of the schedule.",
            at: \.name.location,
            isMarked: false
        ) { decoder, entry in
            decoder.decodeSchedule(entry)
        } written: { writer, schedule in
            writer.schedule(schedule)
        },
        Section(
            property: Property(
                .tests,
                .section(of: .anyOf([.ref("test_steps"), .ref("test")]), named: Scalars.title.schema),
                """
                What must happen once the definition is applied, by the name of the test; `meshplan test` plays \
                it in the simulator.
                """
            ),
            decode: { $0.decodeTests($1) },
            merge: { part, definition, _ in Section.append(part.tests, to: &definition.tests) },
            written: { writer in
                guard !writer.definition.tests.isEmpty else { return nil }
                return .section(writer.definition.tests.map(writer.test))
            },
            locations: { $0.tests.map(\.name.location) }
        ),
    ]

    /// What belongs to all networks of a run, or says how the rest is to be read.
    private static let shared: [Section] = [
        .other(
            .products,
            .section(listing: ["type": "string", "minLength": 1]),
            """
            Files and folders that describe products, with paths from the folder of this file. They tell how \
            many addresses places need, and what their devices will be able to do, before there is a device.
            """
        ) { decoder, entry in
            decoder.decodeProductFiles(entry)
        },
        .other(
            .models,
            .anyOf([.list(of: ["type": "string", "minLength": 1]), ["type": ["object", "null"]]]),
            """
            Vendor models, whose names the definition may use: files and folders that describe them, with paths \
            from the folder of this file, or the models themselves as meshplan-models.schema.json describes \
            them.
            """
        ) { decoder, entry in
            decoder.decodeModels(entry)
        },
        .other(
            .modules,
            .section(of: .ref("module")),
            """
            Parts of a definition with parameters, by name. They do nothing until `use` asks for them, in any \
            document of the run.
            """
        ),
        .other(.use, .section(listing: .ref("use")), "Instances of modules."),
        .other(
            .include,
            .anyOf([["type": "string"], .list(of: ["type": "string"])]),
            """
            Files and folders whose documents belong to this network, too, with paths from the folder of this \
            file.
            """
        ),
        .other(
            .variables,
            .section(
                of: .anyOf([.ref("parameter"), ["type": ["string", "number", "boolean", "array"]]]),
                named: .ref("parameter_name")
            ),
            """
            Variables, which `$(name)` stands for in all documents: the value, or a mapping with type and \
            default.
            """
        ),
        .other(
            .values,
            .section(named: .ref("parameter_name")),
            """
            Values for variables, which win over their defaults; later ones win. They may stand in a file of \
            their own.
            """
        ),
    ]
}

extension Record {
    static let definition = Record(
        "definition",
        as: "a definition",
        "One document of a definition.",
        where: [
            "patternProperties": [
                "^x-": [
                    "description":
                        "Anything, such as values with anchors that others refer to. It declares nothing itself."
                ]
            ]
        ],
        Definition.sections.map(\.property)
    )

    /// What belongs to no network, but to all of a run.
    static let servingAllNetworks = KeywordSet([.models, .products, .modules, .variables, .values])
}

/// How much one plan may take away: `limits`.
struct Limits {
    /// The share of the managed nodes from which one plan may take something away, in percent.
    var removals: Located<Int>?

    /// The value of `limits`.
    static let mapping = MappingType<Limits>(
        "limits",
        as: "limits of plans",
        "How far one plan may go before a guard refuses it; given in one document of a network.",
        isOptional: true,
        [
            .scalar(
                .removals,
                \.removals,
                Scalars.percentage,
                """
                The share of the managed nodes that may leave or lose something by one plan, such as 30%, which \
                is the default; networks of fewer than ten managed nodes have no limit.
                """
            )
        ]
    )
}

// MARK: - Reading

/// An entry of a section of named things.
struct NamedEntry {
    var name: Located<String>
    /// The node of the name.
    var key: Int
    /// The node of what is declared.
    var value: Int
}

extension DocumentDecoder {
    mutating func decodeDefinition(_ node: Int) {
        guard let fields = fields(node, .definition, blamed: node) else {
            // For a document that is no definition, a missing network is not worth a report.
            fragment.namesNetwork = true
            return
        }
        // A document with nothing but vendor models, values of variables and the like serves all networks.
        if fields.count > 0, fields.keywords.isSubset(of: Record.servingAllNetworks) { fragment.namesNetwork = true }
        for field in fields { Definition.section(of: field.keyword)?.decode(&self, field) }
    }

    fileprivate mutating func decodeVersion(_ node: Int) {
        fragment.hasVersion = true
        guard let version = text(node, "the version of the language"), version != "1" else { return }
        report("\(quoted(version)) is not a version of the language", at: node, hint: "write `version: 1`")
    }

    /// Reads an entry of a section of named things.
    ///
    /// - Parameter thing: one of which nothing but its name is known.
    /// - Returns: whether it could be used.
    fileprivate mutating func decode<Thing>(
        _ entry: NamedEntry,
        _ type: MappingType<Thing>,
        _ thing: Thing,
        into path: WritableKeyPath<Definition, [Thing]>
    ) -> Bool {
        var thing = thing
        guard decode(entry.value, type, blamed: entry.key, into: &thing) else { return false }
        fragment.definition[keyPath: path].append(thing)
        return true
    }

    /// Decodes a section of named things. `decode` says whether it could use the entry.
    mutating func decodeNamed(
        _ section: MappingEntry,
        _ kind: String,
        _ decode: (inout DocumentDecoder, NamedEntry) -> Bool
    ) {
        guard let keyword = section.keyword, let entries = entries(section.value, "a mapping of names") else { return }
        if keyword == .nodes { fragment.definition.nodes.reserveCapacity(entries.count) }
        for entry in entries {
            resource = nil
            guard countThing(of: keyword, at: entry.key) else { return }
            guard let name = scalar(entry.key, "a name", Words.name) else { continue }
            resource = Resource(kind: kind, name: entry.symbol, value: entry.value)
            if !decode(&self, NamedEntry(name: name, key: entry.key, value: entry.value)) {
                fragment.broken.insert(BrokenName(section: keyword, name: name.value))
            }
        }
        resource = nil
    }

    /// Counts an entry of a section. Once there are too many, that is reported and no more are taken.
    private mutating func countThing(of section: Keyword, at node: Int) -> Bool {
        guard !expansion.isExhausted else { return false }
        expansion.things[section, default: 0] += 1
        if expansion.things[section, default: 0] <= expansion.thingLimit { return true }
        expansion.isExhausted = true
        report(
            "there are more than \(expansion.thingLimit) entries of `\(section.rawValue)`",
            at: node,
            hint: "no mesh has as many addresses; make a network of each building"
        )
        return false
    }
}
