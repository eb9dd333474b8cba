//! A page on which kernels can be explored, and the computations behind it: each panel of the page asks for what it draws, and a
//! newer question of the same panel ends the older one.

mod cache;
mod compute;
mod data;
mod explorer;
mod kernels;
mod panels;
mod plane;
mod query;
mod watch;

pub use data::{Content, DataSet, Labels};
pub use explorer::{Explorer, ExplorerOptions};
