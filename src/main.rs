//! The program `warpstack`; everything it does is in the library, from `warpstack::cli::main` on.

fn main() -> std::process::ExitCode {
    warpstack::cli::main()
}
