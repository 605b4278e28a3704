import MeshCore

extension ModelMachine {
    /// The node lost its power: what was moving has arrived, and commands are forgotten.
    mutating func losePower() {
        let stored = models.stored
        models = NodeModels(stored: stored)
        for element in elements.indices where self[.clock, element] > 0 { self[.clock, element] = 0 }
    }

    /// The node has power again. Generic OnPowerUp decides what its lamps do (Mesh Model 3.1.4): stay off, come up with
    /// their default, or as they were.
    mutating func powerUp() {
        for element in elements.indices {
            let behaviour = powerUpBehaviour(of: element)
            let items = Set(models.stored.numbers.keys.filter { Int($0.element) == element }.map(\.item))
            if behaviour < 2 {
                for item in items {
                    guard let standard = item.powerUpDefault else { continue }
                    self[item, element] = self[standard, element]
                }
            }
            let item = onOffItem(of: element)
            let controllers = item == .lightness ? controllers(of: element).filter { self[.controlMode, $0] == 1 } : []
            if behaviour == 2, let lit = controllers.first(where: { self[.controlLight, $0] == 1 }) {
                // The controller brings the light back.
                isControlling = true
                set(.lightness, element, from: 0, span: 0, .none)
                isControlling = false
                control(lit, .lightOn)
                continue
            }
            for controller in controllers where behaviour < 2 { self[.controlMode, controller] = 0 }
            isControlling = true
            defer { isControlling = false }
            guard behaviour == 1 || items.contains(item) else { continue }
            let target = behaviour == 0 ? 0 : behaviour == 1 ? onValue(item, element) : self[item, element]
            self[item, element] = 0
            move(item, element, to: target, defaultTiming(of: element))
        }
    }

    /// Controllers whose light was on when the simulator ended switch it on again.
    mutating func resumeControllers() {
        for element in elements.indices
        where has(.lightControlServer, element) && self[.controlMode, element] == 1 && self[.controlLight, element] == 1
        {
            control(element, .lightOn)
        }
    }

    /// Generic OnPowerUp of an element, or of the nearest one before it that has it; 0 if there is none.
    private func powerUpBehaviour(of element: Int) -> Int64 {
        let holder =
            has(.powerOnOffServer, element)
            ? element : neighbour(of: element, with: .powerOnOffServer, isBefore: true)
        return holder.map { self[.onPowerUp, $0] } ?? 0
    }
}
