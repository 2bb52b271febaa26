//! Parser of the library's recordings (`format`). The recording of a process that was killed has no end, and a full
//! disk truncates recordings; complete records of such files are used.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::format::*;

/// Recording of one process.
#[derive(Debug, Default)]
pub struct Recording {
    pub process: u32,
    /// Command line of the process.
    pub command: String,
    pub threads: Vec<Thread>,
    pub calls: Vec<Call>,
    pub stages: Vec<Stage>,
    /// CL_QUEUE_PROPERTIES of queues, by queue number.
    pub queues: BTreeMap<u32, u64>,
    /// Commands by queue number and position in the queue.
    pub commands: BTreeMap<(u32, u64), Command>,
    /// User events by handle.
    pub user_events: HashMap<u64, Vec<UserEvent>>,
    names: Vec<String>,
    signatures: Vec<Signature>,
    words: Vec<u64>,
}

#[derive(Debug)]
pub struct Thread {
    /// Thread id of the system.
    pub id: u32,
    pub name: String,
}

/// Call of the API. The thread is an index into [`Recording::threads`].
#[derive(Debug)]
pub struct Call {
    pub thread: usize,
    pub begin: u64,
    pub end: u64,
    signature: usize,
    /// Range of the result and the parameters in `words`.
    words: Range<usize>,
}

/// Function of the API.
#[derive(Debug, Default)]
struct Signature {
    function: String,
    parameters: Vec<(String, char)>,
    result: char,
}

/// Value of a parameter or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    Address(u64),
    Signed(i64),
    Unsigned(u64),
    Text(&'a str),
}

/// Stage of a build.
#[derive(Debug)]
pub struct Stage {
    pub thread: usize,
    pub begin: u64,
    pub end: u64,
    name: usize,
    what: usize,
}

/// Enqueue and execution of a command; a truncated recording may lack one of them.
#[derive(Debug, Default)]
pub struct Command {
    pub enqueued: Option<Enqueued>,
    pub execution: Option<Execution>,
}

#[derive(Debug)]
pub struct Enqueued {
    pub thread: usize,
    pub time: u64,
    /// Constant of CL_EVENT_COMMAND_TYPE.
    pub kind: u32,
    /// Awaited commands by queue number and position, or 0 and the handle of a user event.
    pub waits: Vec<(u32, u64)>,
}

#[derive(Debug)]
pub struct Execution {
    pub begin: u64,
    pub end: u64,
    pub status: i64,
    pub what: CommandDetails,
}

#[derive(Debug)]
pub enum CommandDetails {
    Launch(Launch),
    /// Number of bytes transferred.
    Moved(u64),
}

#[derive(Debug)]
pub struct Launch {
    kernel: usize,
    pub dimensions: usize,
    pub global: [u64; 3],
    pub local: [u64; 3],
    pub offset: [u64; 3],
    /// Total size of the memory objects among the arguments.
    pub bytes: u64,
}

#[derive(Debug)]
pub struct UserEvent {
    pub thread: usize,
    pub time: u64,
}

impl Recording {
    /// Parses the contents of a file.
    ///
    /// # Errors
    /// If the file is not a recording of this version.
    pub fn read(bytes: &[u8]) -> Result<Recording, String> {
        let mut reader = Reader::default();
        let mut at = 0;
        while at + BLOCK_HEAD * 8 <= bytes.len() {
            let first = word(&bytes[at..]);
            if first != MAGIC {
                check(first)?;
                // The library has not begun to write this block.
                at += PAGE;
                continue;
            }
            let (size, thread) = halves(word(&bytes[at + 8..]));
            let size = size as usize;
            if size == 0 || !size.is_multiple_of(PAGE) {
                at += PAGE;
                continue;
            }
            let end = bytes.len().min(at + size);
            let words: Vec<u64> = bytes[at..end].chunks_exact(8).map(word).collect();
            reader.block(thread, words.get(BLOCK_HEAD..).unwrap_or_default());
            at += size;
        }
        Ok(reader.recording)
    }

    fn name(&self, number: usize) -> &str {
        self.names.get(number).map_or("?", String::as_str)
    }

    /// Returns the name of the called function.
    pub fn function(&self, call: &Call) -> &str {
        &self.signatures[call.signature].function
    }

    /// Returns the parameters of a call with their names.
    pub fn parameters<'a>(&'a self, call: &Call) -> impl Iterator<Item = (&'a str, Value<'a>)> {
        let words = &self.words[call.words.clone()][1..];
        let parameters = self.signatures[call.signature].parameters.iter();
        parameters.zip(words).map(|((name, kind), &word)| (name.as_str(), self.value(*kind, word)))
    }

    /// Returns the result, and the error code of a function that returns a handle; `None` for a function without
    /// either.
    pub fn result(&self, call: &Call) -> (Option<Value<'_>>, Option<i64>) {
        let words = &self.words[call.words.clone()];
        let signature = &self.signatures[call.signature];
        match signature.result {
            'v' => (None, None),
            'i' => (Some(Value::Signed(words[0].cast_signed())), Some(words[0].cast_signed())),
            'o' => {
                let code = words.get(1 + signature.parameters.len());
                (Some(Value::Address(words[0])), code.map(|code| code.cast_signed()))
            }
            kind => (Some(self.value(kind, words[0])), None),
        }
    }

    fn value(&self, kind: char, word: u64) -> Value<'_> {
        match kind {
            'i' => Value::Signed(word.cast_signed()),
            'u' => Value::Unsigned(word),
            's' if word != 0 => Value::Text(self.name(word as usize - 1)),
            _ => Value::Address(word),
        }
    }

    /// Returns the name of a stage of a build, and the subject it worked on.
    pub fn stage(&self, stage: &Stage) -> (&str, &str) {
        (self.name(stage.name), self.name(stage.what))
    }

    /// Returns the name of a launch's kernel.
    pub fn kernel(&self, launch: &Launch) -> &str {
        self.name(launch.kernel)
    }
}

/// Reports a file that is not a recording, or is one of another version.
fn check(first: u64) -> Result<(), String> {
    const VERSION: u64 = 0xff;
    match first {
        0 => Ok(()),
        other if other & !VERSION == MAGIC & !VERSION => {
            Err(format!("it is of version {} of recordings, not {}", other & VERSION, MAGIC & VERSION))
        }
        _ => Err("it is no recording".into()),
    }
}

fn word(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from_ne_bytes(*bytes))
}

/// Returns the low and the high half of a word.
fn halves(word: u64) -> (u32, u32) {
    (word as u32, (word >> 32) as u32)
}

#[derive(Default)]
struct Reader {
    recording: Recording,
    /// Index of a thread in the recording, by its number in the file.
    threads: HashMap<u32, usize>,
    /// Index of a name, by thread and number in the file; signatures are names as well.
    names: HashMap<(usize, u32), usize>,
    signatures: HashMap<usize, usize>,
    known: HashMap<String, usize>,
}

impl Reader {
    fn block(&mut self, thread: u32, mut words: &[u64]) {
        let next = self.recording.threads.len();
        let thread = *self.threads.entry(thread).or_insert(next);
        if thread == next {
            self.recording.threads.push(Thread { id: 0, name: String::new() });
        }
        while let Some(&first) = words.first() {
            let count = first as usize >> 8 & 0xffff;
            if count == 0 || count > words.len() {
                return;
            }
            // A record that is too short for its kind is skipped.
            let _ = self.record(thread, first as u8, (first >> 32) as u32, &words[1..count]);
            words = &words[count..];
        }
    }

    fn record(&mut self, thread: usize, tag: u8, small: u32, words: &[u64]) -> Option<()> {
        match u64::from(tag) {
            PROCESS => {
                self.recording.process = small;
                let text = text(words)?;
                self.recording.command = text.split('\0').collect::<Vec<_>>().join(" ").trim().to_owned();
            }
            THREAD => self.recording.threads[thread] = Thread { id: small, name: text(words)? },
            STRING => {
                let number = self.intern(text(words)?);
                self.names.insert((thread, small), number);
            }
            CALL => self.call(thread, small, words)?,
            QUEUE => {
                self.recording.queues.insert(small, *words.first()?);
            }
            ENQUEUED => {
                let [position, time, kind, waits @ ..] = words else { return None };
                let waits = waits.as_chunks::<2>().0.iter().map(|wait| (wait[0] as u32, wait[1])).collect();
                let enqueued = Enqueued { thread, time: *time, kind: *kind as u32, waits };
                self.command(small, *position).enqueued = Some(enqueued);
            }
            LAUNCH => self.launch(thread, small, words)?,
            COMMAND => {
                let &[position, begin, end, status, moved] = words.first_chunk()?;
                let execution = Execution {
                    begin,
                    end,
                    status: status.cast_signed(),
                    what: CommandDetails::Moved(moved),
                };
                self.command(small, position).execution = Some(execution);
            }
            STAGE => {
                let &[begin, end, what] = words.first_chunk()?;
                let (name, what) = (self.numbered(thread, small), self.numbered(thread, what as u32));
                self.recording.stages.push(Stage { thread, begin, end, name, what });
            }
            USER_EVENT => {
                let &[handle, time] = words.first_chunk()?;
                let events = self.recording.user_events.entry(handle).or_default();
                events.push(UserEvent { thread, time });
            }
            _ => {}
        }
        Some(())
    }

    fn command(&mut self, queue: u32, position: u64) -> &mut Command {
        self.recording.commands.entry((queue, position)).or_default()
    }

    fn intern(&mut self, text: String) -> usize {
        let names = &mut self.recording.names;
        *self.known.entry(text).or_insert_with_key(|text| {
            names.push(text.clone());
            names.len() - 1
        })
    }

    /// Returns the index of the name with a thread's number, or `usize::MAX` if the thread has not defined it.
    fn numbered(&self, thread: usize, number: u32) -> usize {
        self.names.get(&(thread, number)).copied().unwrap_or(usize::MAX)
    }

    fn launch(&mut self, thread: usize, queue: u32, words: &[u64]) -> Option<()> {
        let &[position, begin, end, status, kernel, gx, gy, gz, lx, ly, lz, ox, oy, oz, bytes] =
            words.first_chunk()?;
        let (kernel, dimensions) = halves(kernel);
        let launch = Launch {
            kernel: self.numbered(thread, kernel),
            dimensions: (dimensions as usize).clamp(1, 3),
            global: [gx, gy, gz],
            local: [lx, ly, lz],
            offset: [ox, oy, oz],
            bytes,
        };
        let execution =
            Execution { begin, end, status: status.cast_signed(), what: CommandDetails::Launch(launch) };
        self.command(queue, position).execution = Some(execution);
        Some(())
    }

    fn call(&mut self, thread: usize, number: u32, words: &[u64]) -> Option<()> {
        let [begin, end, rest @ ..] = words else { return None };
        let name = self.numbered(thread, number);
        let signatures = &mut self.recording.signatures;
        let signature = *self.signatures.entry(name).or_insert_with(|| {
            signatures.push(signature(self.recording.names.get(name).map_or("?", String::as_str)));
            signatures.len() - 1
        });
        let parameters = &self.recording.signatures[signature].parameters;
        // The result and all parameters must be present.
        if rest.len() < 1 + parameters.len() {
            return None;
        }
        let texts: Vec<usize> = (0..parameters.len()).filter(|&i| parameters[i].1 == 's').collect();
        let start = self.recording.words.len();
        self.recording.words.extend(rest);
        for i in texts {
            // The thread's number of a text is replaced by its index in the recording plus one; 0 means none.
            let word = self.recording.words[start + 1 + i];
            let name = self.names.get(&(thread, word as u32));
            self.recording.words[start + 1 + i] = name.map_or(0, |&name| name as u64 + 1);
        }
        let words = start..self.recording.words.len();
        self.recording.calls.push(Call { thread, begin: *begin, end: *end, signature, words });
        Some(())
    }
}

/// Returns the text of a record.
fn text(words: &[u64]) -> Option<String> {
    let (&length, words) = words.split_first()?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let bytes = bytes.get(..usize::try_from(length).ok()?)?;
    Some(String::from_utf8_lossy(bytes).into_owned())
}

/// Parses a signature: `function(parameter:kind,...)kind`.
fn signature(text: &str) -> Signature {
    let (function, rest) = text.split_once('(').unwrap_or((text, ")v"));
    let (parameters, result) = rest.split_once(')').unwrap_or((rest, "v"));
    let parameter = |text: &str| {
        let (name, kind) = text.split_once(':')?;
        Some((name.to_owned(), kind.chars().next()?))
    };
    Signature {
        function: function.to_owned(),
        parameters: parameters.split(',').filter_map(parameter).collect(),
        result: result.chars().next().unwrap_or('v'),
    }
}
