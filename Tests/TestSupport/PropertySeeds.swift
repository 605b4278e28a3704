import Foundation

/// The seeds of a property test: `count` seeds, or as many as `MESHPLAN_PROPERTY_SEEDS` says.
package func propertySeeds(_ count: UInt64) -> Range<UInt64> {
    0..<(ProcessInfo.processInfo.environment["MESHPLAN_PROPERTY_SEEDS"].flatMap(UInt64.init) ?? count)
}
