import MeshCore

/// The state machine of a Light LC Server (Mesh Model 6.2.5): what follows what, without times and lamps.
struct LightController: Hashable, Sendable {
    /// The states.
    enum Phase: Hashable, Sendable {
        /// The controller does not drive the lamp.
        case off
        case standby
        case fadeOn
        case run
        case fade
        case prolong
        /// On the way to standby because nobody was there.
        case fadeStandbyAuto
        /// On the way to standby because somebody switched off.
        case fadeStandbyManual
    }

    /// What happens to it.
    enum Event: Hashable, Sendable {
        case modeOn
        case modeOff
        case lightOn
        case lightOff
        /// Somebody is there.
        case occupancy
        /// The timer of the phase has run out.
        case timeout
    }

    var phase = Phase.off
    var began = Instant.zero
    /// When its timer runs out; nil if it has none.
    var until: Instant?
    /// The linear lightness when the phase began.
    var startLightness: Int64 = 0
    /// The wanted illuminance in lux when the phase began.
    var startLux = 0.0
    /// The last report of the ambient light in lux, and when it came; nil if there was none.
    var ambient: Double?
    var ambientAt = Instant.zero
    /// The regulator, and when it takes its next step; nil if it rests.
    var regulator = LightRegulator()
    var stepAt: Instant?
    /// The linear lightness that the regulator wants.
    var regulated: Int64 = 0
    /// When an occupancy event that was reported takes effect; nil if there is none.
    var occupancyAt: Instant?

    /// The phase that follows; nil if the event has no effect. The present phase means that its timer starts anew.
    func next(_ event: Event, isOccupancyEnabled: Bool) -> Phase? {
        switch event {
        case .modeOff: return phase == .off ? nil : .off
        case .modeOn: return phase == .off ? .standby : nil
        case .timeout:
            switch phase {
            case .off, .standby: return nil
            case .fadeOn: return .run
            case .run: return .fade
            case .fade: return .prolong
            case .prolong: return .fadeStandbyAuto
            case .fadeStandbyAuto, .fadeStandbyManual: return .standby
            }
        case .lightOn:
            switch phase {
            case .off, .fadeOn: return nil
            case .run: return .run
            default: return .fadeOn
            }
        case .lightOff:
            switch phase {
            case .off, .standby, .fadeStandbyManual: return nil
            default: return .fadeStandbyManual
            }
        case .occupancy:
            switch phase {
            case .off, .fadeOn, .fadeStandbyManual: return nil
            case .standby: return isOccupancyEnabled ? .fadeOn : nil
            case .run: return .run
            case .fade, .prolong, .fadeStandbyAuto: return .fadeOn
            }
        }
    }

    /// Light OnOff at present and, where it is on the way, where it goes.
    var light: (present: Bool, target: Bool?) {
        switch phase {
        case .off, .standby: (false, nil)
        case .fadeOn: (true, true)
        case .run, .fade, .prolong: (true, nil)
        case .fadeStandbyAuto, .fadeStandbyManual: (true, false)
        }
    }
}
