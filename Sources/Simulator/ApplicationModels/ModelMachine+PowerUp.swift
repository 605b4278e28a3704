import MeshCore

extension ModelMachine {
    /// The node lost its power: what was moving has arrived, and commands are forgotten.
    mutating func losePower() {
        models.fades = [:]
        models.transactions = [:]
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
            guard behaviour == 1 || items.contains(item) else { continue }
            let target = behaviour == 0 ? 0 : behaviour == 1 ? onValue(item, element) : self[item, element]
            self[item, element] = 0
            move(item, element, to: target, defaultTiming(of: element))
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
