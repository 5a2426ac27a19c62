//! The program `warpstack`; everything it does is in the library, from `warpstack::commands::main` on.

fn main() -> std::process::ExitCode {
    warpstack::commands::main()
}
