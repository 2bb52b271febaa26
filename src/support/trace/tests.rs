//! Tests of single records and blocks. Whole recordings are tested with the tool that reads them
//! (`tools/tests/grus/trace.rs`).

use std::fs;
use std::path::PathBuf;

use super::file::Recording;
use super::format::{BLOCK_HEAD, MAGIC, PAGE, head};
use super::*;

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("grus-recording-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

/// Returns the words of the only file in a folder.
fn words(folder: &PathBuf) -> Vec<u64> {
    let paths: Vec<PathBuf> = fs::read_dir(folder).expect("there").flatten().map(|e| e.path()).collect();
    assert_eq!(paths.len(), 1);
    let bytes = fs::read(&paths[0]).expect("readable");
    bytes.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().expect("8 bytes"))).collect()
}

#[test]
fn nothing_is_recorded_unless_asked_for() {
    assert!(!start() && !is_on() && begin().is_none());
    let number = queue(0);
    assert!(queue(0) > number);
    moved(5);
    assert_eq!(MOVED.get(), 0);
}

#[test]
fn records_are_in_the_file_at_once() {
    let folder = folder("at-once");
    let recording = Recording::create(&folder).expect("a file");
    let mut block = recording.block(1, 7).expect("a block");
    assert!(block.push(head(COMMAND, 3, 9), &[1, 2]));
    assert!(block.push(head(QUEUE, 2, 5), &[3]));
    let seen = words(&folder);
    let size = seen.len() * 8;
    assert!(size >= PAGE);
    assert_eq!(seen[..BLOCK_HEAD], [MAGIC, size as u64 | 7 << 32]);
    assert_eq!(seen[BLOCK_HEAD..][..5], [COMMAND | 3 << 8 | 9 << 32, 1, 2, QUEUE | 2 << 8 | 5 << 32, 3]);
    assert!(seen[BLOCK_HEAD + 5..].iter().all(|&word| word == 0));
    drop(block);
    drop(recording);
    fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn a_full_block_takes_nothing_more() {
    let folder = folder("full");
    let recording = Recording::create(&folder).expect("a file");
    let mut block = recording.block(1, 0).expect("a block");
    let mut count = 0;
    while block.push(head(QUEUE, 2, 1), &[count + 1]) {
        count += 1;
    }
    let seen = words(&folder);
    assert_eq!(count as usize, (seen.len() - BLOCK_HEAD) / 2);
    assert_eq!(seen[seen.len() - 2..], [head(QUEUE, 2, 1), count]);
    // The second block follows the first in the file.
    let mut second = recording.block(2, 1).expect("a block");
    assert!(second.push(head(QUEUE, 2, 1), &[77]));
    let longer = words(&folder);
    assert_eq!(longer[..seen.len()], seen[..]);
    assert_eq!(longer[seen.len() + BLOCK_HEAD + 1], 77);
    drop((block, second, recording));
    fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn files_of_one_process_have_different_names() {
    let folder = folder("names");
    let first = Recording::create(&folder).expect("a file");
    let second = Recording::create(&folder).expect("another");
    assert_eq!(fs::read_dir(&folder).expect("there").count(), 2);
    // A recording that is not kept deletes its file.
    drop(second);
    assert_eq!(fs::read_dir(&folder).expect("there").count(), 1);
    drop(first);
    assert!(Recording::create(&folder.join("none")).is_err());
    fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn threads_name_and_write_what_they_like() {
    let folder = folder("threads");
    let recording: &'static Recording = Box::leak(Box::new(Recording::create(&folder).expect("a file")));
    let make = || {
        let thread = recording.thread();
        let block = recording.block(FIRST_PAGES, thread).expect("a block");
        let (names, signatures) = (FastMap::default(), FastMap::default());
        let forks = fork::count();
        ThreadRecorder { forks, recording, thread, block, pages: FIRST_PAGES, names, signatures, numbers: 0 }
    };
    let write = |fill: u64| {
        let mut writer = make();
        assert_eq!(writer.name(b"saxpy").expect("a number"), 1);
        assert_eq!(writer.name(b"").expect("a number"), 2);
        assert_eq!(writer.name(b"saxpy").expect("the same"), 1);
        for _ in 0..5000 {
            writer.push(QUEUE, 1, &[fill; 6]).expect("room");
        }
        assert!(writer.pages > FIRST_PAGES && writer.pages <= MAX_PAGES);
    };
    std::thread::scope(|scope| {
        for fill in [11, 12, 13] {
            scope.spawn(move || write(fill));
        }
    });
    let seen = words(&folder);
    for fill in [11, 12, 13] {
        assert_eq!(seen.iter().filter(|&&word| word == fill).count(), 30_000);
    }
    let text = head(STRING, 3, 1);
    assert_eq!(seen.windows(3).filter(|w| *w == [text, 5, u64::from_ne_bytes(*b"saxpy\0\0\0")]).count(), 3);
    fs::remove_dir_all(&folder).expect("removed");
}
