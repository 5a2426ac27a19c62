//! Does the page "One launch, start to finish" name files and lines that are there?

#[test]
fn every_stop_is_a_line_of_a_file() {
    let page = std::fs::read_to_string("docs/one-launch.md").unwrap();
    let rows = page.lines().filter(|line| line.contains("| `src/"));
    let mut stops = 0;
    for row in rows {
        let mut codes = row.split('`').skip(1).step_by(2);
        let (file, line) = (codes.next().unwrap(), codes.next().unwrap());
        let text = std::fs::read_to_string(file).unwrap();
        assert!(text.contains(line), "{file}: {line}");
        stops += 1;
    }
    assert_eq!(stops, 10);
}
