/// What is handed to the owner of a building: a summary, pictures and tables of one network. It holds texts only, which
/// ``html()`` writes as one page that loads nothing.
package struct HandoverReport: Hashable, Sendable {
    /// How a text should be seen. The text itself always says the same.
    package enum Tone: String, Sendable {
        /// Nothing special.
        case plain
        case good
        /// Nobody knows whether it is well.
        case unknown
        /// Somebody should look at it.
        case warning
        /// Something is broken.
        case bad
    }

    /// Something that somebody should look at.
    package struct Finding: Hashable, Sendable {
        package var tone: Tone
        /// What it is, as a sentence.
        package var text: String
        /// The identifier of the section that tells more.
        package var section: String

        package init(_ tone: Tone, _ text: String, section: String) {
            self.tone = tone
            self.text = text
            self.section = section
        }
    }

    /// A number or a word that sums up one side of the network.
    package struct Figure: Hashable, Sendable {
        package var name: String
        /// The number or the word.
        package var value: String
        /// How it should be seen.
        package var tone: Tone
        /// What it rests on, such as how many nodes were asked; empty if nothing needs to be said.
        package var detail: String

        package init(_ name: String, _ value: String, _ tone: Tone = .plain, detail: String = "") {
            self.name = name
            self.value = value
            self.tone = tone
            self.detail = detail
        }
    }

    /// A part of the report with a heading.
    package struct Section: Hashable, Sendable {
        /// Its identifier: lower-case letters and hyphens, once in a report.
        package var identifier: String
        package var title: String
        /// What stands in it, from top to bottom.
        package var blocks: [Block]

        package init(_ identifier: String, _ title: String, _ blocks: [Block] = []) {
            self.identifier = identifier
            self.title = title
            self.blocks = blocks
        }
    }

    /// A part of a section.
    package enum Block: Hashable, Sendable {
        case text(String)
        /// A command line, or several below each other, to copy.
        case command(String)
        case heading(String)
        /// An SVG picture, and what it shows. Its markup goes into the page as it is.
        case picture(svg: String, caption: String)
        case table(Table)
    }

    /// A table.
    package struct Table: Hashable, Sendable {
        package var caption: String
        package var columns: [String]
        /// Its rows, each with one cell for each column. The first cell names the row.
        package var rows: [[Cell]]

        package init(_ caption: String, _ columns: [String], _ rows: [[Cell]] = []) {
            self.caption = caption
            self.columns = columns
            self.rows = rows
        }
    }

    /// A cell of a table.
    package struct Cell: Hashable, Sendable, ExpressibleByStringLiteral {
        package var lines: [String]
        /// How it should be seen.
        package var tone: Tone

        /// A cell of one line, or of none if the text is empty.
        package init(_ text: String, _ tone: Tone = .plain) { self.init(lines: text.isEmpty ? [] : [text], tone) }

        package init(lines: [String], _ tone: Tone = .plain) {
            self.lines = lines
            self.tone = tone
        }

        package init(stringLiteral text: String) { self.init(text) }
    }

    package var network: String
    /// What people call the network; nil if it has no title.
    package var title: String?
    /// When the report was made, in the form of RFC 3339.
    package var made: String
    /// The same for people, with the time zone: `2026-11-27 10:40 UTC`.
    package var moment: String
    /// What the report was made by and from, as a sentence.
    package var source: String
    /// What somebody should look at; empty if nothing is known to be wrong.
    package var findings: [Finding] = []
    /// What nobody knows; only if this is empty, too, all is well.
    package var unknowns: [Finding] = []
    /// What is known to be well, as sentences.
    package var assurances: [String] = []
    package var figures: [Figure] = []
    package var sections: [Section] = []

    package init(network: String, made: String, moment: String, source: String) {
        self.network = network
        self.made = made
        self.moment = moment
        self.source = source
    }

    /// How everything stands, in one sentence. All is well only if nothing is wrong and nothing is unknown.
    package var headline: String {
        let unknown = unknowns.isEmpty ? "" : ", and not everything is known"
        switch findings.count {
        case 0:
            return unknowns.isEmpty
                ? "All is as it should be" : "Nothing is known to be wrong, but not everything is known"
        case 1: return "One thing needs attention" + unknown
        default: return "\(findings.count) things need attention" + unknown
        }
    }

    /// How ``headline`` should be seen.
    package var tone: Tone {
        if findings.contains(where: { $0.tone == .bad }) { return .bad }
        if !findings.isEmpty { return .warning }
        return unknowns.isEmpty ? .good : .unknown
    }
}
