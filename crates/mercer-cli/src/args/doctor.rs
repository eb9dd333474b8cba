//! The flags of `mercer doctor`.

use clap::Args;

use super::groups::MachineArgs;

const DOCTOR_EXAMPLES: &str = "\
Examples:
  mercer doctor
  mercer doctor --threads 1
  mercer doctor --json";

/// Flags of `mercer doctor`.
#[derive(Debug, Args)]
#[command(after_help = DOCTOR_EXAMPLES)]
pub struct DoctorArgs {
    /// Print a JSON report on standard output
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Resource limits.
    #[command(flatten)]
    pub machine: MachineArgs,
}
