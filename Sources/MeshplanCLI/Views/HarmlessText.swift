extension String {
    /// The text with every character replaced that ``printable`` replaces, but for tabs, line breaks and what the
    /// program itself writes to terminals: colours, and clearing a line.
    var harmless: String {
        guard utf8.contains(where: Self.maySteer) else { return self }
        let scalars = Array(unicodeScalars)
        var view = UnicodeScalarView()
        var place = 0
        while place < scalars.count {
            let scalar = scalars[place]
            if scalar == "\u{1B}", let end = Self.endOfOwnSequence(from: place, in: scalars) {
                view.append(contentsOf: scalars[place..<end])
                place = end
                continue
            }
            let isCleared = scalar == "\r" && scalars[(place + 1)...].starts(with: "\u{1B}[K".unicodeScalars)
            view.append(scalar == "\n" || scalar == "\t" || isCleared || scalar.isHarmless ? scalar : "\u{FFFD}")
            place += 1
        }
        return String(view)
    }

    /// Whether an octet may belong to a character that is not harmless.
    private static func maySteer(_ octet: UInt8) -> Bool {
        octet < 0x20 && octet != 0x0A || octet == 0x7F || [0xC2, 0xD8, 0xDC, 0xE0, 0xE1, 0xE2, 0xEF].contains(octet)
            || octet >= 0xF0
    }

    private static func endOfOwnSequence(from start: Int, in scalars: [Unicode.Scalar]) -> Int? {
        guard start + 1 < scalars.count, scalars[start + 1] == "[" else { return nil }
        let end = scalars[(start + 2)...].prefix(12).firstIndex { !("0"..."9").contains($0) && $0 != ";" }
        guard let end, scalars[end] == "m" || scalars[end] == "K" && end == start + 2 else { return nil }
        return end + 1
    }
}
