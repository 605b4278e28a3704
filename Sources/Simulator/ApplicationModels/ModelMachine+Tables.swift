import Catalogue
import MeshCore

extension ModelMachine {
    /// What a model does with a message.
    struct Action: Sendable {
        /// Whether a message of the same transaction with other values counts from the beginning of the transaction.
        var countsFromStart = false
        /// Acts on the states.
        let act: @Sendable (inout ModelMachine, ModelRequest) throws(Ignored) -> Void
    }

    /// The values of a status of an element.
    typealias Status = @Sendable (ModelMachine, Int, FieldValues) -> FieldValues?

    private static let allActions =
        genericActions + lightActions + colourActions + controlActions + sceneActions + healthActions + sensorActions
        + deviceActions + timeActions + schedulerActions + propertyActions

    private static let allStatuses =
        genericStatuses + lightStatuses + colourStatuses + controlStatuses + sceneStatuses + healthStatuses
        + sensorStatuses + deviceStatuses + timeStatuses + schedulerStatuses + propertyStatuses

    /// What models do with messages. A message that only reads has no entry.
    static let actions: [Opcode: Action] = {
        var table: [Opcode: Action] = [:]
        for (name, action) in allActions {
            for name in [name, "\(name)-unacknowledged"] {
                guard let message = MessageCatalogue.sig.message(named: name) else { continue }
                table[message.opcode] = action
            }
        }
        return table
    }()

    /// The statuses that models send.
    static let statuses: [Opcode: Status] = {
        var table: [Opcode: Status] = [:]
        for (name, status) in allStatuses {
            guard let message = MessageCatalogue.sig.message(named: name) else { continue }
            table[message.opcode] = status
        }
        return table
    }()

    /// The status that a model publishes.
    static let published: [ModelIdentifier: Opcode] = {
        let names: [(ModelIdentifier, String)] = [
            (.onOffServer, "generic-onoff-status"),
            (.levelServer, "generic-level-status"),
            (.defaultTransitionServer, "generic-default-transition-time-status"),
            (.powerOnOffServer, "generic-onpowerup-status"),
            (.powerLevelServer, "generic-power-level-status"),
            (.lightnessServer, "light-lightness-status"),
            (.ctlServer, "light-ctl-status"),
            (.ctlTemperatureServer, "light-ctl-temperature-status"),
            (.hslServer, "light-hsl-status"),
            (.hslHueServer, "light-hsl-hue-status"),
            (.hslSaturationServer, "light-hsl-saturation-status"),
            (.xylServer, "light-xyl-status"),
            (.lightControlServer, "light-lc-light-onoff-status"),
            (.sceneServer, "scene-status"),
            (.healthServer, "health-current-status"),
            (.sensorServer, "sensor-status"),
            (.batteryServer, "generic-battery-status"),
            (.locationServer, "generic-location-global-status"),
            (.timeServer, "time-status"),
            (.schedulerServer, "scheduler-status"),
        ]
        var table: [ModelIdentifier: Opcode] = [:]
        for (model, name) in names { table[model] = MessageCatalogue.sig.message(named: name)?.opcode }
        return table
    }()
}

extension ModelIdentifier {
    static let onOffServer = sig(0x1000)
    static let onOffClient = sig(0x1001)
    static let levelServer = sig(0x1002)
    static let defaultTransitionServer = sig(0x1004)
    static let powerOnOffServer = sig(0x1006)
    static let powerLevelServer = sig(0x1009)
    static let lightnessServer = sig(0x1300)
    static let ctlServer = sig(0x1303)
    static let ctlTemperatureServer = sig(0x1306)
    static let hslServer = sig(0x1307)
    static let hslHueServer = sig(0x130A)
    static let hslSaturationServer = sig(0x130B)
    static let xylServer = sig(0x130C)
    static let lightControlServer = sig(0x130F)
    static let batteryServer = sig(0x100C)
    static let locationServer = sig(0x100E)
    static let sensorServer = sig(0x1100)
    static let timeServer = sig(0x1200)
    static let sceneServer = sig(0x1203)
    static let schedulerServer = sig(0x1206)
}
