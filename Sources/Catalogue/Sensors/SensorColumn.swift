/// A column of a sensor that measures a histogram (Mesh Model 4.1.1).
package struct SensorColumn: Hashable, Sendable {
    /// The raw value at which it begins.
    package let x: [UInt8]
    package let width: [UInt8]
    /// The raw value of the column: the property's value field, or the whole value in some stacks.
    package let y: [UInt8]
}

/// How many octets the parts of a property's columns have.
struct ColumnLayout {
    /// The raw value X.
    let x: Int
    let width: Int
    /// The value field alone.
    let y: Int
    /// The whole value.
    let wholeY: Int

    /// The layout of a property; nil if the catalogue does not know it. A property that is no histogram has columns
    /// that are numbered with 16 bits.
    init?(of property: Int64) {
        guard let known = UInt16(exactly: property).flatMap({ DeviceProperty.property($0) }) else { return nil }
        let sizes = known.fields.map { ($0.type.bits ?? 0) / 8 }
        wholeY = known.length
        if known.isHistogram, sizes.count == 3 {
            // The value comes first, then where its column begins and ends.
            (y, x, width) = (sizes[0], sizes[1], sizes[2])
        } else {
            (x, width, y) = (2, 2, known.length)
        }
    }
}
