//! What must be looked at before the standard library is set up, which opens the null device for closed descriptors.

#![allow(unsafe_code)] // it runs before the standard library does

use std::ffi::c_int;

unsafe extern "C" {
    fn fcntl(descriptor: c_int, command: c_int, ...) -> c_int;
}

const STDOUT: c_int = 1;
/// The same number on every Unix.
const F_GETFD: c_int = 1;

extern "C" fn look() {
    // SAFETY: the call asks for the flags of a descriptor and touches no memory; one that is closed is an error.
    if unsafe { fcntl(STDOUT, F_GETFD) } == -1 {
        mercer_cli::stdout::note_closed();
    }
}

// SAFETY: functions in this section are called by the loader before `main`, with arguments that C lets them ignore. The
// function relies on nothing that is not there yet: it makes one system call and stores into an atomic.
#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static LOOK: extern "C" fn() = look;
