import Catalogue
import MeshCore

// Light CTL, HSL and xyL (Mesh Model 6.1.3 to 6.1.5). Temperature, hue and saturation belong to the element of their
// own server, which is a later one than that of CTL or HSL. A node without such a server keeps them on the same
// element.

extension ModelMachine {
    /// The element with the colour temperature of a CTL server.
    func temperatureElement(of element: Int) -> Int {
        has(.ctlTemperatureServer, element)
            ? element : neighbour(of: element, with: .ctlTemperatureServer) ?? element
    }

    func hueElement(of element: Int) -> Int {
        has(.hslHueServer, element) ? element : neighbour(of: element, with: .hslHueServer) ?? element
    }

    func saturationElement(of element: Int) -> Int {
        has(.hslSaturationServer, element) ? element : neighbour(of: element, with: .hslSaturationServer) ?? element
    }

    /// Moves the values of a request, each to its element.
    private mutating func move(_ request: ModelRequest, _ fields: [(String, StateItem, Int)]) {
        let timing = timing(of: request)
        for (field, item, element) in fields {
            guard let value = request.values.integer(field) else { continue }
            move(item, element, to: value, timing)
        }
    }

    /// The values at present, and where they go.
    private func values(
        present: [(String, StateItem, Int)] = [],
        target: [(String, StateItem, Int)] = [],
        fading: [(StateItem, Int)]
    ) -> FieldValues {
        var values = FieldValues()
        for (field, item, element) in present { values[field] = .integer(self.present(item, element)) }
        for (field, item, element) in target { values[field] = .integer(self[item, element]) }
        if isFading(fading) { values["remaining"] = remaining(fading) }
        return values
    }

    private func isFading(_ items: [(StateItem, Int)]) -> Bool { items.contains { fade($0, $1) != nil } }

    private func ctlItems(_ element: Int) -> [(StateItem, Int)] {
        let colour = temperatureElement(of: element)
        return [(.lightness, element), (.temperature, colour), (.deltaUV, colour)]
    }

    private func hslItems(_ element: Int) -> [(StateItem, Int)] {
        [
            (.lightness, element), (.hue, hueElement(of: element)), (.saturation, saturationElement(of: element)),
        ]
    }

    private func xylItems(_ element: Int) -> [(StateItem, Int)] {
        [(.lightness, element), (.chromaticityX, element), (.chromaticityY, element)]
    }

    /// Fields with the items that they stand for.
    private static func named(_ names: [String], _ items: [(StateItem, Int)]) -> [(String, StateItem, Int)] {
        zip(names, items).map { ($0, $1.0, $1.1) }
    }

    /// Sets the range of colour temperatures of a CTL server.
    private mutating func setTemperatureRange(_ request: ModelRequest) {
        guard let minimum = request.values.integer("minimum"), let maximum = request.values.integer("maximum") else {
            return
        }
        let known: ClosedRange<Int64> = 800...20_000
        if !known.contains(minimum) || minimum > maximum {
            result = 1
        } else if !known.contains(maximum) {
            result = 2
        } else {
            let element = temperatureElement(of: request.element)
            self[.temperatureMinimum, element] = minimum
            self[.temperatureMaximum, element] = maximum
        }
    }

    /// Stores the ranges of an HSL server. Only a range of hues may run across 0.
    private mutating func setColourRange(_ request: ModelRequest) throws(Ignored) {
        let values = request.values
        guard let low = values.integer("saturation_minimum"), let high = values.integer("saturation_maximum"),
            low <= high, let first = values.integer("hue_minimum"), let last = values.integer("hue_maximum")
        else { throw Ignored() }
        let hue = hueElement(of: request.element)
        let saturation = saturationElement(of: request.element)
        self[.hueMinimum, hue] = first
        self[.hueMaximum, hue] = last
        self[.saturationMinimum, saturation] = low
        self[.saturationMaximum, saturation] = high
    }

    /// Stores the defaults of a colour, each with its own element.
    private mutating func keep(_ request: ModelRequest, _ fields: [(String, StateItem, Int)]) {
        for (field, item, element) in fields {
            guard let value = request.values.integer(field) else { continue }
            self[item, element] = value
        }
    }

    private func ctlDefaults(_ element: Int) -> [(String, StateItem, Int)] {
        let colour = temperatureElement(of: element)
        return [
            ("lightness", .lightnessDefault, element), ("temperature", .temperatureDefault, colour),
            ("delta_uv", .deltaUVDefault, colour),
        ]
    }

    private func hslDefaults(_ element: Int) -> [(String, StateItem, Int)] {
        [
            ("lightness", .lightnessDefault, element), ("hue", .hueDefault, hueElement(of: element)),
            ("saturation", .saturationDefault, saturationElement(of: element)),
        ]
    }

    private func xylDefaults(_ element: Int) -> [(String, StateItem, Int)] {
        [
            ("lightness", .lightnessDefault, element), ("x", .chromaticityXDefault, element),
            ("y", .chromaticityYDefault, element),
        ]
    }

    static let colourActions: [(String, Action)] = [
        (
            "light-ctl-set",
            Action { machine, request in
                let items = machine.ctlItems(request.element)
                machine.move(request, named(["lightness", "temperature", "delta_uv"], items))
            }
        ),
        (
            "light-ctl-temperature-set",
            Action { machine, request in
                let items: [(StateItem, Int)] = [(.temperature, request.element), (.deltaUV, request.element)]
                machine.move(request, named(["temperature", "delta_uv"], items))
            }
        ),
        ("light-ctl-temperature-range-set", Action { $0.setTemperatureRange($1) }),
        ("light-ctl-default-set", Action { $0.keep($1, $0.ctlDefaults($1.element)) }),
        (
            "light-hsl-set",
            Action { machine, request in
                machine.move(request, named(["lightness", "hue", "saturation"], machine.hslItems(request.element)))
            }
        ),
        ("light-hsl-hue-set", Action { $0.move($1, [("hue", .hue, $1.element)]) }),
        ("light-hsl-saturation-set", Action { $0.move($1, [("saturation", .saturation, $1.element)]) }),
        ("light-hsl-default-set", Action { $0.keep($1, $0.hslDefaults($1.element)) }),
        ("light-hsl-range-set", Action { (machine, request) throws(Ignored) in try machine.setColourRange(request) }),
        (
            "light-xyl-set",
            Action { machine, request in
                machine.move(request, named(["lightness", "x", "y"], machine.xylItems(request.element)))
            }
        ),
        ("light-xyl-default-set", Action { $0.keep($1, $0.xylDefaults($1.element)) }),
        (
            "light-xyl-range-set",
            keepRange([
                ("x_minimum", .chromaticityXMinimum, "x_maximum", .chromaticityXMaximum),
                ("y_minimum", .chromaticityYMinimum, "y_maximum", .chromaticityYMaximum),
            ])
        ),
    ]

    /// Tells what a colour is at present, or what it ends with.
    private static func reportColour(
        _ names: [String] = [],
        targets: [String] = [],
        of items: @escaping @Sendable (ModelMachine, Int) -> [(StateItem, Int)]
    ) -> Status {
        { machine, element, _ in
            let items = items(machine, element)
            return machine.values(present: named(names, items), target: named(targets, items), fading: items)
        }
    }

    static let colourStatuses: [(String, Status)] = [
        (
            "light-ctl-status",
            { machine, element, _ in
                let items = machine.ctlItems(element)
                // What a transition of delta UV does is told by the temperature server.
                let shown = Array(items.prefix(2))
                let isFading = machine.isFading(shown)
                return machine.values(
                    present: named(["lightness", "temperature"], shown),
                    target: isFading ? named(["target_lightness", "target_temperature"], shown) : [],
                    fading: shown
                )
            }
        ),
        (
            "light-ctl-temperature-status",
            { machine, element, _ in
                let items: [(StateItem, Int)] = [(.temperature, element), (.deltaUV, element)]
                return machine.values(
                    present: named(["temperature", "delta_uv"], items),
                    target: machine.isFading(items) ? named(["target_temperature", "target_delta_uv"], items) : [],
                    fading: items
                )
            }
        ),
        (
            "light-ctl-temperature-range-status",
            { machine, element, _ in
                let colour = machine.temperatureElement(of: element)
                return [
                    "status": .integer(machine.result),
                    "minimum": .integer(machine[.temperatureMinimum, colour]),
                    "maximum": .integer(machine[.temperatureMaximum, colour]),
                ]
            }
        ),
        (
            "light-ctl-default-status",
            { machine, element, _ in machine.values(target: machine.ctlDefaults(element), fading: []) }
        ),
        ("light-hsl-status", reportColour(["lightness", "hue", "saturation"]) { $0.hslItems($1) }),
        (
            "light-hsl-target-status",
            reportColour(targets: ["target_lightness", "target_hue", "target_saturation"]) { $0.hslItems($1) }
        ),
        ("light-hsl-hue-status", reportFading("hue", .hue)),
        ("light-hsl-saturation-status", reportFading("saturation", .saturation)),
        (
            "light-hsl-default-status",
            { machine, element, _ in machine.values(target: machine.hslDefaults(element), fading: []) }
        ),
        (
            "light-hsl-range-status",
            { machine, element, _ in
                let hue = machine.hueElement(of: element)
                let saturation = machine.saturationElement(of: element)
                return [
                    "status": .integer(machine.result),
                    "hue_minimum": .integer(machine[.hueMinimum, hue]),
                    "hue_maximum": .integer(machine[.hueMaximum, hue]),
                    "saturation_minimum": .integer(machine[.saturationMinimum, saturation]),
                    "saturation_maximum": .integer(machine[.saturationMaximum, saturation]),
                ]
            }
        ),
        ("light-xyl-status", reportColour(["lightness", "x", "y"]) { $0.xylItems($1) }),
        (
            "light-xyl-target-status",
            reportColour(targets: ["target_lightness", "target_x", "target_y"]) { $0.xylItems($1) }
        ),
        (
            "light-xyl-default-status",
            { machine, element, _ in machine.values(target: machine.xylDefaults(element), fading: []) }
        ),
        (
            "light-xyl-range-status",
            reportRange([
                ("x_minimum", .chromaticityXMinimum), ("x_maximum", .chromaticityXMaximum),
                ("y_minimum", .chromaticityYMinimum), ("y_maximum", .chromaticityYMaximum),
            ])
        ),
    ]
}
