//! Listings of small kernels, as nvdisasm writes them.

/// A Kepler kernel of these instructions, one per control word, each at its own label `.L_n`, and a last section.
pub fn listing(instructions: &[&str], section: &str) -> String {
    let mut text = String::from(
        "\t.headerflags\t@\"EF_CUDA_SM35\"\n\t.section\t.nv.info,\"\"\n\t//----- nvinfo : EIATTR_FRAME_SIZE\n\
         \t.word\tindex@(k)\n\t.word\t0x0\n\t.section\t.text.k,\"ax\"\n\t.sectioninfo\t@\"SHI_REGISTERS=8\"\n",
    );
    for (n, instruction) in instructions.iter().enumerate() {
        let pc = 64 * n + 8;
        text += &format!(
            ".L_{n}:\n /* 0x08a0ac8010acb0a0 */\n /*{pc:04x}*/ {instruction}; /* 0x85800000001c3c02 */\n"
        );
    }
    text + section
}
