import Catalogue

/// The properties of a Light LC Server with their initial values (Mesh Model 6.2.3).
enum LightControlProperty: UInt16, CaseIterable {
    case luxOn = 0x002B
    case luxProlong = 0x002C
    case luxStandby = 0x002D
    case lightnessOn = 0x002E
    case lightnessProlong = 0x002F
    case lightnessStandby = 0x0030
    case accuracy = 0x0031
    case kid = 0x0032
    case kiu = 0x0033
    case kpd = 0x0034
    case kpu = 0x0035
    case timeFade = 0x0036
    case timeFadeOn = 0x0037
    case timeFadeStandbyAuto = 0x0038
    case timeFadeStandbyManual = 0x0039
    case timeOccupancyDelay = 0x003A
    case timeProlong = 0x003B
    case timeRunOn = 0x003C

    /// The initial value in the unit of the property: lux, percent, seconds or a plain number.
    private var initial: Double {
        switch self {
        case .luxOn: 500
        case .luxProlong: 80
        case .luxStandby, .lightnessStandby, .timeOccupancyDelay: 0
        case .lightnessOn: 65_535
        case .lightnessProlong: 10_000
        case .accuracy: 2
        case .kid: 25
        case .kiu: 250
        case .kpd, .kpu: 80
        case .timeFade, .timeFadeStandbyAuto: 5
        case .timeFadeOn, .timeFadeStandbyManual: 0.5
        case .timeProlong: 30
        case .timeRunOn: 60
        }
    }

    private var field: MessageDescription.Field? { DeviceProperty.property(rawValue)?.fields.first }

    var initialOctets: [UInt8] {
        guard let field else { return [] }
        let raw = isLightness ? Int64(initial) : field.type.raw(nearest: initial) ?? 0
        return (try? DeviceProperty.property(rawValue)?.encode([field.name: .integer(raw)])) ?? []
    }

    private var isLightness: Bool {
        self == .lightnessOn || self == .lightnessProlong || self == .lightnessStandby
    }

    private var isCoefficient: Bool { self == .kid || self == .kiu || self == .kpd || self == .kpu }

    /// The number of octets in the unit of the property, of a lightness the raw one; nil if they are no value of it.
    func number(_ octets: [UInt8]) -> Double? {
        guard let property = DeviceProperty.property(rawValue), octets.count == property.length, let field,
            let raw = try? property.decode(octets).integer(field.name)
        else { return nil }
        if isLightness { return Double(raw) }
        guard case .number(let number, _) = field.type.meaning(of: raw), number.isFinite else { return nil }
        return isCoefficient && !(0...1_000).contains(number) ? nil : number
    }
}
