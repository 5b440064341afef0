//! Spells JSON: blanks, the order of keys, escapes and unknown keys follow from a seed.

/// Stands for a lone surrogate in a text: spelled as half an escape pair, read as U+FFFD.
pub(crate) const LONE: char = '\u{f8ff}';

/// Writes JSON in ever other ways.
pub(crate) struct Pen {
    /// 0: plain.
    pub(crate) state: u64,
    /// Whether blanks may be line breaks.
    pub(crate) breaks: bool,
    pub(crate) tag: u64,
}

impl Pen {
    pub(crate) fn new(seed: u64, breaks: bool) -> Self {
        Self { state: seed, breaks: breaks && seed != 0, tag: 0 }
    }

    /// A number below `sides`; always 0 where the spelling is plain.
    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        if self.state == 0 {
            return 0;
        }
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407)
            | 1;
        let mixed = (self.state ^ (self.state >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (mixed >> 33) % sides
    }

    pub(crate) fn one_of<'s>(&mut self, choices: &[&'s str]) -> &'s str {
        choices[self.roll(choices.len() as u64) as usize]
    }

    pub(crate) fn blank(&mut self) -> &'static str {
        let blank = self.one_of(&["", "", " ", " ", "  ", "\t", "\n", "\r\n  "]);
        if self.breaks || !blank.contains('\n') { blank } else { "" }
    }

    pub(crate) fn string(&mut self, text: &str) -> String {
        let mut out = String::from("\"");
        let mut half = false;
        for c in text.chars() {
            let was_half = std::mem::replace(&mut half, c == LONE);
            match c {
                LONE => {
                    out.push_str(if !was_half && self.roll(2) == 1 { "\\uDE00" } else { "\\ud83d" })
                }
                '"' => out.push_str("\\\""),
                '\\' => out.push_str(self.one_of(&["\\\\", "\\u005c"])),
                '\n' => out.push_str(self.one_of(&["\\n", "\\n", "\\u000a"])),
                '\t' => out.push_str("\\t"),
                '\0'..'\u{20}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
                '/' => out.push_str(self.one_of(&["/", "\\/"])),
                _ if self.roll(24) == 1 => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        out.push_str(&if unit.is_multiple_of(2) {
                            format!("\\u{unit:04x}")
                        } else {
                            format!("\\u{unit:04X}")
                        });
                    }
                }
                _ => out.push(c),
            }
        }
        out.push('"');
        out
    }

    pub(crate) fn list(&mut self, items: &[String]) -> String {
        let mut out = String::from("[");
        out.push_str(self.blank());
        for (place, item) in items.iter().enumerate() {
            if place > 0 {
                out.push_str(self.blank());
                out.push(',');
                out.push_str(self.blank());
            }
            out.push_str(item);
        }
        out.push_str(self.blank());
        out.push(']');
        out
    }

    /// An object with these entries, in any order, and perhaps with some that nobody knows.
    pub(crate) fn object(&mut self, entries: Vec<(&str, String)>) -> String {
        const NOISE: &[&str] = &[
            "1.0",
            "1e5",
            "-0",
            "123456789012345678901234567890",
            "1E400",
            "0.1234567890123456789",
            "null",
            "true",
            "\"\\ud83d\"",
            "\"\\u00e9\\/ ]}\"",
            "[ ]",
            "{ \"a\" : 1 , \"a\":2}",
            "[[{\"role\": \"user\"}]]",
        ];
        let mut entries = entries;
        for _ in 0..self.roll(8).saturating_sub(5) {
            entries.push((
                self.one_of(&["x_odd", "x_odd", "x_other", "metadata"]),
                self.one_of(NOISE).to_owned(),
            ));
        }
        for place in 0..entries.len() {
            let other = self.roll(entries.len() as u64) as usize;
            if self.state != 0 && self.roll(3) == 0 {
                entries.swap(place, other);
            }
        }
        let mut out = String::from("{");
        out.push_str(self.blank());
        for (place, (key, value)) in entries.iter().enumerate() {
            if place > 0 {
                out.push_str(self.blank());
                out.push(',');
                out.push_str(self.blank());
            }
            out.push_str(&self.string(key));
            out.push_str(self.blank());
            out.push(':');
            out.push_str(if self.state == 0 { " " } else { self.blank() });
            out.push_str(value);
        }
        out.push_str(self.blank());
        out.push('}');
        out
    }
}
