extension Dictionary {
    /// The first value of each key. Names, addresses and indexes are unique in a valid network, but what others wrote
    /// may have them twice, and then that must not trap.
    package init(firstOf pairs: some Sequence<(Key, Value)>) {
        self.init(pairs, uniquingKeysWith: { first, _ in first })
    }
}
