use warpstack::isa::Kernel;
#[test]
fn scratch() {
    for n in [1, 2, 6] {
        let f = format!("/tmp/exp/rpn{n}.sass");
        let k = Kernel::parse(&std::fs::read_to_string(&f).unwrap(), &f).unwrap();
        eprintln!("{} {} {} {} {:?}", k.name, k.registers, k.frame_bytes, k.instructions.len(), k.parameters);
    }
    for e in std::fs::read_dir("/tmp/sass35").unwrap() {
        let f = e.unwrap().path();
        match Kernel::parse(&std::fs::read_to_string(&f).unwrap(), f.to_str().unwrap()) {
            Ok(k) => eprintln!("{} {} {} consts {:?} glob {}", k.registers, k.frame_bytes, k.instructions.len(), k.constants.iter().map(|(k,v)|(*k,v.len())).collect::<Vec<_>>(), k.global_data.len()),
            Err(e) => eprintln!("{e}"),
        }
    }
}
