//! Parameters that are given separately from a kernel.

use super::{Expr, KernelSpec, Leaf};
use crate::error::Result;
use crate::kernel::Value;

/// A kernel after a parameter was set from outside its text.
pub struct Filled {
    /// The kernel with the value wherever it fits.
    pub spec: KernelSpec,
    /// Members that took the value.
    pub taken: usize,
    /// Members that have the parameter, and set it, or an alternative to it, in the text.
    pub already_set: usize,
}

impl KernelSpec {
    /// The same kernel with `value` for the parameter `name` of all members that have it and leave it open.
    #[doc(hidden)]
    pub fn fill(&self, name: &str, value: Value) -> Result<Filled> {
        let (mut taken, mut already_set) = (0, 0);
        let spec = KernelSpec(self.0.map(&mut |expr| match expr {
            Expr::Leaf(mut leaf) => {
                match leaf.fill(name, value) {
                    Some(true) => taken += 1,
                    Some(false) => already_set += 1,
                    None => {}
                }
                Expr::Leaf(leaf)
            }
            other => other,
        }));
        spec.check()?;
        Ok(Filled { spec, taken, already_set })
    }
}

impl Leaf {
    /// Writes a value for the parameter `name`, or for the alternative to it that has such values, such as a rule's; whether
    /// it was open. None for a family without the parameter.
    fn fill(&mut self, name: &str, value: Value) -> Option<bool> {
        let (index, parameter) = self.family().parameter(name)?;
        if self.written().any(|(other, _)| other.group() == parameter.group()) {
            return Some(false);
        }
        let all = self.family().parameters;
        let alternative =
            all.iter().position(|other| other.group() == parameter.group() && other.allows(value));
        self.write(
            if parameter.allows(value) { index } else { alternative.unwrap_or(index) },
            value,
        );
        Some(true)
    }
}
