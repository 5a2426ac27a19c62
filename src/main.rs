fn main() -> std::process::ExitCode {
    warpstack::cli::main()
}
