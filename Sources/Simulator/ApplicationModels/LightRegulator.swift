/// The regulator of a Light LC Server: turns the difference between wanted and measured light into lightness (Mesh
/// Model 6.2.6).
package struct LightRegulator: Hashable, Sendable {
    /// The time between two steps.
    package static let interval = Duration.milliseconds(100)

    /// The coefficients, 0 to 1000, and the accuracy.
    package struct Settings: Hashable, Sendable {
        /// The accuracy in percent.
        package var accuracy: Double
        /// Integral coefficient when it is too bright.
        package var kid: Double
        /// Integral coefficient when it is too dark.
        package var kiu: Double
        /// Proportional coefficient when it is too bright.
        package var kpd: Double
        /// Proportional coefficient when it is too dark.
        package var kpu: Double

        package init(accuracy: Double, kid: Double, kiu: Double, kpd: Double, kpu: Double) {
            self.accuracy = accuracy
            self.kid = kid
            self.kiu = kiu
            self.kpd = kpd
            self.kpu = kpu
        }
    }

    private var integral = 0.0

    /// A regulator that has not measured anything.
    package init() {}

    /// The linear lightness after one more interval.
    ///
    /// - Parameters:
    ///   - target: the wanted illuminance in lux.
    ///   - ambient: the measured one.
    package mutating func step(target: Double, ambient: Double, _ settings: Settings) -> Int64 {
        let error = target - ambient
        let tolerance = settings.accuracy * target / 200
        let effective = error > tolerance ? error - tolerance : error < -tolerance ? error + tolerance : 0
        let isTooDark = effective >= 0
        integral = min(max(integral + effective * (isTooDark ? settings.kiu : settings.kid) * 0.1, 0), 65_535)
        let proportional = effective * (isTooDark ? settings.kpu : settings.kpd)
        return Int64(min(max(integral + proportional, 0), 65_535))
    }
}
