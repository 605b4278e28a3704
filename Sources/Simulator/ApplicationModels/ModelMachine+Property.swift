import Catalogue
import MeshCore

// Property servers (Mesh Model 3.1.8). A property of an element is one state with several servers: the manufacturer's
// and the administrator's decide what users may do with it.

extension ModelMachine {
    /// Whose property it is.
    enum PropertyOwner: Hashable, Sendable {
        case manufacturer
        case admin

        /// Where the values are kept.
        var item: StateItem { self == .manufacturer ? .manufacturerProperty : .adminProperty }
        /// Where it is kept what users may do, 1 for reading and 2 for writing.
        var access: StateItem { self == .manufacturer ? .manufacturerAccess : .adminAccess }
    }

    /// Gives an element a property, as its maker does.
    mutating func define(_ property: UInt16, _ owner: PropertyOwner, access: Int64, _ value: [UInt8], _ element: Int) {
        models.stored.octets[StateKey(element, owner.item, index: property)] = value
        self[owner.access, element, property] = access
    }

    private func properties(_ owner: PropertyOwner, _ element: Int) -> [UInt16] {
        models.stored.octets.keys.filter { Int($0.element) == element && $0.item == owner.item }.map(\.index).sorted()
    }

    private func value(_ property: UInt16, _ owner: PropertyOwner, _ element: Int) -> [UInt8]? {
        models.stored.octets[StateKey(element, owner.item, index: property)]
    }

    /// The owner of a property that users may see; nil if there is none.
    private func userOwner(_ property: UInt16, _ element: Int) -> PropertyOwner? {
        [PropertyOwner.admin, .manufacturer].first {
            value(property, $0, element) != nil && self[$0.access, element, property] != 0
        }
    }

    private static func number(_ values: FieldValues) -> UInt16? {
        values.integer("property").flatMap(UInt16.init(exactly:))
    }

    private static func list(_ properties: [UInt16]) -> FieldValues {
        ["properties": .integers(Array(Set(properties)).sorted().map(Int64.init))]
    }

    static let propertyActions: [(String, Action)] = [
        (
            "generic-manufacturer-property-set",
            Action { machine, request in
                guard let property = number(request.values), let access = request.values.integer("access"),
                    machine.value(property, .manufacturer, request.element) != nil
                else { return }
                machine[.manufacturerAccess, request.element, property] = access
            }
        ),
        (
            "generic-admin-property-set",
            Action { machine, request in
                guard let property = number(request.values), let access = request.values.integer("access"),
                    let value = request.values.octets("value"),
                    machine.value(property, .admin, request.element)?.count == value.count
                else { return }
                machine.define(property, .admin, access: access, value, request.element)
            }
        ),
        (
            "generic-user-property-set",
            Action { machine, request in
                guard let property = number(request.values), let value = request.values.octets("value"),
                    let owner = machine.userOwner(property, request.element),
                    machine[owner.access, request.element, property] & 2 != 0,
                    machine.value(property, owner, request.element)?.count == value.count
                else { return }
                machine.models.stored.octets[StateKey(request.element, owner.item, index: property)] = value
            }
        ),
    ]

    static let propertyStatuses: [(String, Status)] = [
        (
            "generic-manufacturer-properties-status",
            { machine, element, _ in list(machine.properties(.manufacturer, element)) }
        ),
        ("generic-admin-properties-status", { machine, element, _ in list(machine.properties(.admin, element)) }),
        (
            "generic-user-properties-status",
            { machine, element, _ in
                let all = machine.properties(.admin, element) + machine.properties(.manufacturer, element)
                return list(all.filter { machine.userOwner($0, element) != nil })
            }
        ),
        (
            // A client's properties are those that it understands: a simulated one understands all that are known.
            "generic-client-properties-status",
            { _, _, request in
                guard let first = number(request) else { return nil }
                // A message has room for no more.
                return list(Array(DeviceProperty.all.map(\.identifier).filter { $0 >= first }.prefix(180)))
            }
        ),
        ("generic-manufacturer-property-status", propertyStatus(of: .manufacturer)),
        ("generic-admin-property-status", propertyStatus(of: .admin)),
        (
            "generic-user-property-status",
            { machine, element, request in
                guard let property = number(request) else { return nil }
                guard let owner = machine.userOwner(property, element),
                    let value = machine.value(property, owner, element)
                else { return ["property": .integer(Int64(property))] }
                let access = machine[owner.access, element, property]
                // Without the right to read, only the right itself is told; the same after a set that was refused.
                let isRefused = request["value"] != nil && access & 2 == 0
                return [
                    "property": .integer(Int64(property)), "access": .integer(access),
                    "value": .octets(access & 1 == 0 || isRefused ? [] : value),
                ]
            }
        ),
    ]

    private static func propertyStatus(of owner: PropertyOwner) -> Status {
        { machine, element, request in
            guard let property = number(request) else { return nil }
            guard let value = machine.value(property, owner, element) else {
                return ["property": .integer(Int64(property))]
            }
            return [
                "property": .integer(Int64(property)), "access": .integer(machine[owner.access, element, property]),
                "value": .octets(value),
            ]
        }
    }
}
