import Catalogue
import MeshCore

// Battery and Location (Mesh Model 3.1.6, 3.1.7).

extension ModelMachine {
    /// Stores all fields of a message as they are.
    private static func keepAll(_ message: String, _ item: StateItem) -> Action {
        Action { machine, request in
            guard let octets = try? MessageCatalogue.sig.message(named: message)?.encode(request.values) else { return }
            machine.models.stored.octets[StateKey(request.element, item)] = octets
        }
    }

    /// Tells fields that were stored, or else their initial values.
    private static func reportAll(_ message: String, _ item: StateItem, _ initial: FieldValues) -> Status {
        { machine, element, _ in
            guard let octets = machine.models.stored.octets[StateKey(element, item)] else { return initial }
            return (try? MessageCatalogue.sig.message(named: message)?.decode(octets)) ?? initial
        }
    }

    static let deviceActions: [(String, Action)] = [
        ("generic-location-global-set", keepAll("generic-location-global-set", .locationGlobal)),
        ("generic-location-local-set", keepAll("generic-location-local-set", .locationLocal)),
    ]

    static let deviceStatuses: [(String, Status)] = [
        (
            "generic-battery-status",
            { machine, element, _ in
                let level = machine.models.stored.numbers[StateKey(element, .battery)]
                return [
                    "level": .integer(level ?? 0xFF), "time_to_discharge": 0xFF_FFFF, "time_to_charge": 0xFF_FFFF,
                    "presence": 3, "indicator": 3, "charging": 3, "serviceability": 3,
                ]
            }
        ),
        (
            "generic-location-global-status",
            reportAll(
                "generic-location-global-set",
                .locationGlobal,
                ["latitude": -0x8000_0000, "longitude": -0x8000_0000, "altitude": 0x7FFF]
            )
        ),
        (
            "generic-location-local-status",
            reportAll(
                "generic-location-local-set",
                .locationLocal,
                [
                    "north": -0x8000, "east": -0x8000, "altitude": 0x7FFF, "floor": 0xFF, "mobile": 0,
                    "update_time": 0, "precision": 0,
                ]
            )
        ),
    ]
}
