import Catalogue
import MeshCore

// Light Lightness (Mesh Model 6.1.2).

extension ModelMachine {
    static let lightActions: [(String, Action)] = [
        (
            "light-lightness-set",
            Action { machine, request in
                guard let lightness = request.values.integer("lightness") else { return }
                machine.move(.lightness, request.element, to: lightness, machine.timing(of: request))
            }
        ),
        (
            "light-lightness-linear-set",
            Action { machine, request in
                guard let linear = request.values.integer("lightness") else { return }
                let actual = LightNumbers.actual(linear)
                machine.move(.lightness, request.element, to: actual, machine.timing(of: request))
            }
        ),
        ("light-lightness-default-set", keep(["lightness": .lightnessDefault])),
        (
            "light-lightness-range-set",
            Action { (machine, request) throws(Ignored) in
                guard let minimum = request.values.integer("minimum"), let maximum = request.values.integer("maximum")
                else { throw Ignored() }
                let element = request.element
                // A limit of 0 is refused, and the other one is taken.
                if minimum == 0 || maximum == 0 {
                    machine.result = minimum == 0 ? 1 : 2
                    if minimum == 0, maximum >= machine[.lightnessMinimum, element] {
                        machine[.lightnessMaximum, element] = maximum
                    }
                    if maximum == 0, (1...machine[.lightnessMaximum, element]).contains(minimum) {
                        machine[.lightnessMinimum, element] = minimum
                    }
                    return
                }
                guard minimum <= maximum else { throw Ignored() }
                machine[.lightnessMinimum, element] = minimum
                machine[.lightnessMaximum, element] = maximum
            }
        ),
    ]

    static let lightStatuses: [(String, Status)] = [
        ("light-lightness-status", reportFading("lightness", .lightness)),
        (
            "light-lightness-linear-status",
            { machine, element, _ in
                let present = LightNumbers.linear(machine.present(.lightness, element))
                var values: FieldValues = ["lightness": .integer(present)]
                if machine.fade(.lightness, element) != nil {
                    values["target_lightness"] = .integer(LightNumbers.linear(machine[.lightness, element]))
                    values["remaining"] = machine.remaining([(.lightness, element)])
                }
                return values
            }
        ),
        ("light-lightness-last-status", report([("lightness", .lightnessLast)])),
        ("light-lightness-default-status", report([("lightness", .lightnessDefault)])),
        (
            "light-lightness-range-status",
            reportRange([("minimum", .lightnessMinimum), ("maximum", .lightnessMaximum)])
        ),
    ]
}
