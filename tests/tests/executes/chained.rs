//! The runner of generated code, on a machine of which each address has an instruction that adds it to a sum.

#[path = "../../../crates/isadl-backends/src/rust/embedded/exec/runner.rs"]
#[allow(dead_code, missing_docs, unreachable_pub)]
mod runner;
#[path = "../../../crates/isadl-backends/src/rust/embedded/exec/step.rs"]
#[allow(dead_code, missing_docs, unreachable_pub)]
mod step;

use runner::{Core, Cpu, Node, Nodes, Runner, STOP, follow, take};
use step::Operands;

/// Instructions before the one that jumps back to the first.
const LENGTH: u64 = 200;

struct Machine {
    address: u64,
    sum: u64,
    /// The instruction that stops, the next time.
    stops: Option<u64>,
    translated: usize,
}

enum Sums {}

#[derive(Debug, PartialEq)]
struct Stopped;

type Own = Node<Machine, Sums>;

fn add(
    m: &mut Machine,
    core: &mut Core<'_, Machine, Sums>,
    nodes: Nodes<'_, Machine, Sums>,
) -> u64 {
    let Some(node) = nodes.as_slice().first() else { return STOP };
    let address = node.operands.n[0];
    if m.stops == Some(address) {
        m.stops = None;
        return core.stop(Stopped, nodes.len());
    }
    m.sum = m.sum.wrapping_mul(31).wrapping_add(address);
    match address {
        LENGTH => take(m, core, node),
        _ => follow(m, core, nodes),
    }
}

impl Cpu<Sums> for Machine {
    type Stop = Stopped;

    fn address(&self) -> u64 {
        self.address
    }

    fn set_address(&mut self, address: u64) {
        self.address = address;
    }

    fn translate(&mut self, address: u64) -> Result<Own, Stopped> {
        self.translated += 1;
        let operands = Operands { n: [address, 0, 0], r: [0; 8] };
        Ok(Node::new(add, operands, 0, 1, address == LENGTH))
    }
}

fn machine(stops: Option<u64>) -> Machine {
    Machine { address: 0, sum: 0, stops, translated: 0 }
}

/// The sum and the address after some instructions.
fn expected(count: u64) -> (u64, u64) {
    let addresses = (0..count).map(|number| number % (LENGTH + 1));
    let sum = addresses.fold(0, |sum: u64, address| sum.wrapping_mul(31).wrapping_add(address));
    (sum, count % (LENGTH + 1))
}

#[test]
fn at_most_63_instructions_are_too_many() {
    let mut most = 0;
    for count in 1..2000 {
        let mut m = machine(None);
        let mut runner = Runner::new();
        let mut all = 0;
        // The second time, blocks go on to each other.
        for _ in 0..2 {
            let (ended, stop) = runner.run(&mut m, count);
            assert_eq!(stop, None);
            assert!((count..count + 64).contains(&ended), "{ended} for {count}");
            (all, most) = (all + ended, most.max(ended - count));
            assert_eq!((m.sum, m.address), expected(all), "{count}");
        }
        assert!(m.translated < 2 * LENGTH as usize, "{} for {count}", m.translated);
    }
    assert_eq!(most, 63);
}

#[test]
fn an_instruction_that_stops_is_where_execution_goes_on() {
    let mut runner = Runner::new();
    for stops in 0..=LENGTH {
        let mut m = machine(None);
        let (before, _) = runner.run(&mut m, 500);
        m.stops = Some(stops);
        let (ended, stop) = runner.run(&mut m, 10_000);
        assert_eq!((stop, m.address), (Some(Stopped), stops));
        assert_eq!((m.sum, m.address), expected(before + ended), "{stops}");
        let (more, _) = runner.run(&mut m, 1);
        assert_eq!((m.sum, m.address), expected(before + ended + more), "{stops}");
        if stops % 50 == 0 {
            runner.forget();
        }
    }
}
