//! Recordings as the library writes them (`format`), read back. A process that was killed leaves one without an end, and a full
//! disk one that is cut: what is there counts.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::format::*;

/// What one process did.
#[derive(Debug, Default)]
pub struct Recording {
    pub process: u32,
    /// What it ran.
    pub command: String,
    pub threads: Vec<Thread>,
    pub calls: Vec<Call>,
    pub stages: Vec<Stage>,
    /// CL_QUEUE_PROPERTIES of queues, by their numbers.
    pub queues: BTreeMap<u32, u64>,
    /// By queue and place.
    pub commands: BTreeMap<(u32, u64), Command>,
    /// By their handles.
    pub user_events: HashMap<u64, Vec<UserEvent>>,
    names: Vec<String>,
    signatures: Vec<Signature>,
    words: Vec<u64>,
}

#[derive(Debug)]
pub struct Thread {
    /// The system's number.
    pub id: u32,
    pub name: String,
}

/// A call of the API. Threads are places in [`Recording::threads`].
#[derive(Debug)]
pub struct Call {
    pub thread: usize,
    pub begin: u64,
    pub end: u64,
    signature: usize,
    /// The result and the parameters.
    words: Range<usize>,
}

/// A function of the API.
#[derive(Debug, Default)]
struct Signature {
    function: String,
    parameters: Vec<(String, char)>,
    result: char,
}

/// A value of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    Address(u64),
    Signed(i64),
    Unsigned(u64),
    Text(&'a str),
}

/// A stage of a build.
#[derive(Debug)]
pub struct Stage {
    pub thread: usize,
    pub begin: u64,
    pub end: u64,
    name: usize,
    what: usize,
}

/// What was enqueued, and how it ran; a recording that is cut may have only one of both.
#[derive(Debug, Default)]
pub struct Command {
    pub enqueued: Option<Enqueued>,
    pub ran: Option<Ran>,
}

#[derive(Debug)]
pub struct Enqueued {
    pub thread: usize,
    pub time: u64,
    /// CL_EVENT_COMMAND_TYPE.
    pub kind: u32,
    /// Queue and place, or 0 and the handle of an event of the application.
    pub waits: Vec<(u32, u64)>,
}

#[derive(Debug)]
pub struct Ran {
    pub begin: u64,
    pub end: u64,
    pub status: i64,
    pub what: What,
}

#[derive(Debug)]
pub enum What {
    Launch(Launch),
    /// Bytes.
    Moved(u64),
}

#[derive(Debug)]
pub struct Launch {
    kernel: usize,
    pub dimensions: usize,
    pub global: [u64; 3],
    pub local: [u64; 3],
    pub offset: [u64; 3],
    /// Of the memory objects that it was given.
    pub bytes: u64,
}

#[derive(Debug)]
pub struct UserEvent {
    pub thread: usize,
    pub time: u64,
}

impl Recording {
    /// A file's content.
    ///
    /// # Errors
    /// If it is something else.
    pub fn read(bytes: &[u8]) -> Result<Recording, String> {
        let mut reader = Reader::default();
        let mut at = 0;
        while at + BLOCK_HEAD * 8 <= bytes.len() {
            let first = word(&bytes[at..]);
            if first != MAGIC {
                check(first)?;
                // A block that was not begun.
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

    /// The function that was called.
    pub fn function(&self, call: &Call) -> &str {
        &self.signatures[call.signature].function
    }

    /// The parameters of a call.
    pub fn parameters<'a>(&'a self, call: &Call) -> impl Iterator<Item = (&'a str, Value<'a>)> {
        let words = &self.words[call.words.clone()][1..];
        let parameters = self.signatures[call.signature].parameters.iter();
        parameters.zip(words).map(|((name, kind), &word)| (name.as_str(), self.value(*kind, word)))
    }

    /// The result, and the error code that comes with a handle; nothing for a function that has none.
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

    /// What a stage of a build is called, and what it worked on.
    pub fn stage(&self, stage: &Stage) -> (&str, &str) {
        (self.name(stage.name), self.name(stage.what))
    }

    /// The name of a launch's kernel.
    pub fn kernel(&self, launch: &Launch) -> &str {
        self.name(launch.kernel)
    }
}

/// An error for what is no recording, or one of another version.
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

/// The low and the high half.
fn halves(word: u64) -> (u32, u32) {
    (word as u32, (word >> 32) as u32)
}

#[derive(Default)]
struct Reader {
    recording: Recording,
    /// The place of a thread in the recording, by its number in the file.
    threads: HashMap<u32, usize>,
    /// Names by thread and number; signatures are names, too.
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
            // A record that is shorter than its kind is left out.
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
                let [place, time, kind, waits @ ..] = words else { return None };
                let waits = waits.as_chunks::<2>().0.iter().map(|wait| (wait[0] as u32, wait[1])).collect();
                let enqueued = Enqueued { thread, time: *time, kind: *kind as u32, waits };
                self.command(small, *place).enqueued = Some(enqueued);
            }
            LAUNCH => self.launch(thread, small, words)?,
            COMMAND => {
                let &[place, begin, end, status, moved] = words.first_chunk()?;
                let ran = Ran { begin, end, status: status.cast_signed(), what: What::Moved(moved) };
                self.command(small, place).ran = Some(ran);
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

    fn command(&mut self, queue: u32, place: u64) -> &mut Command {
        self.recording.commands.entry((queue, place)).or_default()
    }

    fn intern(&mut self, text: String) -> usize {
        let names = &mut self.recording.names;
        *self.known.entry(text).or_insert_with_key(|text| {
            names.push(text.clone());
            names.len() - 1
        })
    }

    /// The name that a thread gave this number; no name, if it did not.
    fn numbered(&self, thread: usize, number: u32) -> usize {
        self.names.get(&(thread, number)).copied().unwrap_or(usize::MAX)
    }

    fn launch(&mut self, thread: usize, queue: u32, words: &[u64]) -> Option<()> {
        let &[place, begin, end, status, kernel, gx, gy, gz, lx, ly, lz, ox, oy, oz, bytes] =
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
        let ran = Ran { begin, end, status: status.cast_signed(), what: What::Launch(launch) };
        self.command(queue, place).ran = Some(ran);
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
        // Result and parameters.
        if rest.len() < 1 + parameters.len() {
            return None;
        }
        let texts: Vec<usize> = (0..parameters.len()).filter(|&i| parameters[i].1 == 's').collect();
        let start = self.recording.words.len();
        self.recording.words.extend(rest);
        for i in texts {
            // From here on, a number of all threads.
            let word = self.recording.words[start + 1 + i];
            let name = self.names.get(&(thread, word as u32));
            self.recording.words[start + 1 + i] = name.map_or(0, |&name| name as u64 + 1);
        }
        let words = start..self.recording.words.len();
        self.recording.calls.push(Call { thread, begin: *begin, end: *end, signature, words });
        Some(())
    }
}

/// A record's text.
fn text(words: &[u64]) -> Option<String> {
    let (&length, words) = words.split_first()?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let bytes = bytes.get(..usize::try_from(length).ok()?)?;
    Some(String::from_utf8_lossy(bytes).into_owned())
}

/// `function(parameter:kind,...)kind`.
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
