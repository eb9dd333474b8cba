//! Whether a target is a class or a value.

use clap::{Args, ValueEnum};

/// What is learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TaskKind {
    /// The target is a class label
    Classification,
    /// The target is a number
    Regression,
}

/// Whether the target is a class or a value.
#[derive(Debug, Args)]
pub struct TaskArgs {
    /// Treat a numeric target as class labels
    #[arg(long, help_heading = "Input")]
    pub classify: bool,
    /// What is learned [default: by the target: classification for text and for few distinct integers in LIBSVM text,
    /// regression for other numbers]
    #[arg(
        hide_short_help = true,
        long,
        value_enum,
        value_name = "TASK",
        conflicts_with = "classify",
        help_heading = "Input"
    )]
    pub task: Option<TaskKind>,
}

impl TaskArgs {
    /// What is requested, if anything is.
    pub fn requested(&self) -> Option<TaskKind> {
        self.task.or(self.classify.then_some(TaskKind::Classification))
    }
}
