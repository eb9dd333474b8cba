//! All substrings of a sequence, and how often each occurs, in space and time proportional to its length.
//!
//! A suffix automaton (Blumer et al., 1985): a state stands for the substrings that end at the same places, which are suffixes
//! of one another; `len` is the length of the longest, and `link` leads to the state of those that are shorter. Reading another
//! sequence, the automaton knows after each symbol the longest suffix read that is a substring of its own.

/// The state of the empty sequence.
const ROOT: u32 = 0;
const NONE: u32 = u32::MAX;

/// Where a symbol leads: the next state, and the most symbols of what was matched before that can be kept.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub state: u32,
    pub keep: i32,
}

/// No symbol of the sequence: nothing is kept, not even the symbol itself.
const NOWHERE: Step = Step { state: ROOT, keep: -1 };

struct State {
    len: u32,
    link: u32,
    first: u32, // its first edge
    count: u32, // how often its substrings occur
}

/// Edges of a state are a chain, which is short but for few states.
struct Edge {
    symbol: u32,
    target: u32,
    next: u32,
}

/// The automaton of a sequence over the symbols 0, 1, …, `alphabet - 1`.
pub(super) struct Automaton {
    states: Vec<State>,
    edges: Vec<Edge>,
    alphabet: usize,
    /// Steps from every state for every symbol and for none, if there are not too many.
    table: Vec<Step>,
}

/// The most steps of a table.
const TABLE: usize = 1 << 20;

impl Automaton {
    /// The automaton of `sequence`.
    pub(super) fn new(sequence: &[u32], alphabet: usize) -> Self {
        let mut automaton = Self {
            states: Vec::with_capacity(2 * sequence.len() + 1),
            edges: Vec::with_capacity(3 * sequence.len()),
            alphabet,
            table: Vec::new(),
        };
        automaton.state(0, NONE, NONE, 0);
        let mut last = ROOT;
        for &symbol in sequence {
            last = automaton.extend(last, symbol);
        }
        let order = automaton.by_length();
        for &state in order.iter().rev() {
            let State { link, count, .. } = automaton.states[state as usize];
            if link != NONE {
                automaton.states[link as usize].count += count;
            }
        }
        if automaton.states.len() * (alphabet + 1) <= TABLE {
            automaton.tabulate(&order);
        }
        automaton
    }

    fn state(&mut self, len: u32, link: u32, first: u32, count: u32) -> u32 {
        self.states.push(State { len, link, first, count });
        (self.states.len() - 1) as u32
    }

    /// The state of the whole sequence read so far, longer by `symbol`.
    fn extend(&mut self, last: u32, symbol: u32) -> u32 {
        let whole = self.state(self.states[last as usize].len + 1, ROOT, NONE, 1);
        let mut from = last;
        while from != NONE && self.edge(from, symbol).is_none() {
            self.add_edge(from, symbol, whole);
            from = self.states[from as usize].link;
        }
        if from != NONE {
            self.states[whole as usize].link = self.split(from, symbol);
        }
        whole
    }

    /// The state of the longest substring of state `from`, longer by `symbol`, alone: if it shares its state with longer ones, which
    /// do not end here, it gets one of its own.
    fn split(&mut self, from: u32, symbol: u32) -> u32 {
        let edge = self.edge(from, symbol).expect("the caller found it");
        let target = self.edges[edge].target;
        let len = self.states[from as usize].len + 1;
        if self.states[target as usize].len == len {
            return target;
        }
        let own = self.state(len, self.states[target as usize].link, NONE, 0);
        let mut edge = self.states[target as usize].first;
        while edge != NONE {
            let Edge { symbol, target, next } = self.edges[edge as usize];
            self.add_edge(own, symbol, target);
            edge = next;
        }
        self.states[target as usize].link = own;
        let mut from = from;
        while from != NONE {
            match self.edge(from, symbol) {
                Some(edge) if self.edges[edge].target == target => self.edges[edge].target = own,
                _ => break,
            }
            from = self.states[from as usize].link;
        }
        own
    }

    fn add_edge(&mut self, from: u32, symbol: u32, target: u32) {
        let state = &mut self.states[from as usize];
        let next = std::mem::replace(&mut state.first, self.edges.len() as u32);
        self.edges.push(Edge { symbol, target, next });
    }

    fn edge(&self, from: u32, symbol: u32) -> Option<usize> {
        let mut edge = self.states[from as usize].first;
        while edge != NONE {
            let Edge { symbol: own, next, .. } = self.edges[edge as usize];
            if own == symbol {
                return Some(edge as usize);
            }
            edge = next;
        }
        None
    }

    /// All states, those of short substrings first; so links come before the states they lead from.
    fn by_length(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.states.len() as u32).collect();
        order.sort_unstable_by_key(|&state| self.states[state as usize].len);
        order
    }

    /// A state steps as the one its link leads to, but for its own edges.
    fn tabulate(&mut self, order: &[u32]) {
        let width = self.alphabet + 1;
        self.table = vec![NOWHERE; self.states.len() * width];
        for &at in order {
            let state = &self.states[at as usize];
            let own = at as usize * width;
            if state.link != NONE {
                let link = state.link as usize * width;
                self.table.copy_within(link..link + width, own);
            }
            let mut edge = state.first;
            while edge != NONE {
                let Edge { symbol, target, next } = self.edges[edge as usize];
                self.table[own + symbol as usize] = Step { state: target, keep: state.len as i32 };
                edge = next;
            }
        }
    }

    /// Where `symbol` leads from `state`; symbols from `alphabet` on do not occur in the sequence.
    #[inline(always)]
    pub(super) fn step(&self, state: u32, symbol: u32) -> Step {
        match self.table.is_empty() {
            false => self.table[state as usize * (self.alphabet + 1) + symbol as usize],
            true => self.search(state, symbol),
        }
    }

    fn search(&self, mut state: u32, symbol: u32) -> Step {
        while state != NONE {
            let State { len, link, .. } = self.states[state as usize];
            if let Some(edge) = self.edge(state, symbol) {
                return Step { state: self.edges[edge].target, keep: len as i32 };
            }
            state = link;
        }
        NOWHERE
    }

    /// For each state (a, b) such that a match of length l that ends there counts a + b·`weights[l]`: the sum, over all its suffixes,
    /// of how often they occur times their weight. `weights[l]` is the weight of all lengths up to l together.
    pub(super) fn sums(&self, weights: &[f64]) -> Vec<(f64, f64)> {
        let mut sums = vec![(0.0, 0.0); self.states.len()];
        for state in self.by_length() {
            let State { link, count, .. } = self.states[state as usize];
            if link != NONE {
                let shorter = weights[self.states[link as usize].len as usize];
                let (a, b) = sums[link as usize];
                let count = f64::from(count);
                sums[state as usize] = (a + b * shorter - count * shorter, count);
            }
        }
        sums
    }
}
