//! Modules that grow by one construct, written word by word. All of them compute with `uint`s and store what they
//! computed, so that nothing is left out.

/// Opcodes, by the names of the specification.
mod op {
    pub const MEMORY_MODEL: u32 = 14;
    pub const ENTRY_POINT: u32 = 15;
    pub const CAPABILITY: u32 = 17;
    pub const TYPE_VOID: u32 = 19;
    pub const TYPE_BOOL: u32 = 20;
    pub const TYPE_INT: u32 = 21;
    pub const TYPE_POINTER: u32 = 32;
    pub const TYPE_FUNCTION: u32 = 33;
    pub const CONSTANT: u32 = 43;
    pub const FUNCTION: u32 = 54;
    pub const FUNCTION_PARAMETER: u32 = 55;
    pub const FUNCTION_END: u32 = 56;
    pub const FUNCTION_CALL: u32 = 57;
    pub const LOAD: u32 = 61;
    pub const STORE: u32 = 62;
    pub const I_ADD: u32 = 128;
    pub const I_MUL: u32 = 132;
    pub const U_LESS_THAN: u32 = 176;
    pub const BITWISE_XOR: u32 = 198;
    pub const PHI: u32 = 245;
    pub const LABEL: u32 = 248;
    pub const BRANCH: u32 = 249;
    pub const BRANCH_CONDITIONAL: u32 = 250;
    pub const RETURN: u32 = 253;
    pub const RETURN_VALUE: u32 = 254;
}

/// Memory operands of an aligned access: the mask's bit, and 4 bytes.
const ALIGNED: [u32; 2] = [2, 4];

/// Number of different constants of a module.
const CONSTANTS: usize = 64;

/// Bytes of the smallest module, which is doubled up to the largest.
const MIN_BYTES: usize = 10 << 10;
const DOUBLINGS: u32 = 10;

/// Family of modules.
pub struct Family {
    pub name: &'static str,
    /// Returns a module of this many units.
    pub generate: fn(usize) -> Vec<u8>,
    /// Numbers of units, if they do not follow from sizes.
    fixed: &'static [usize],
}

/// All families.
pub const FAMILIES: &[Family] = &[
    Family { name: "functions", generate: functions, fixed: &[] },
    Family { name: "kernels", generate: kernels, fixed: &[] },
    Family { name: "blocks", generate: blocks, fixed: &[] },
    Family { name: "straight", generate: straight, fixed: &[] },
    Family { name: "phis", generate: phis, fixed: &[1000, 2000, 4000, 8000, 16_000, 30_000] },
];

impl Family {
    /// Returns the numbers of units of the modules to be measured.
    pub fn counts(&self) -> Vec<usize> {
        if !self.fixed.is_empty() {
            return self.fixed.to_vec();
        }
        let (one, more) = ((self.generate)(1).len(), (self.generate)(101).len());
        let unit = (more - one) / 100;
        let count = |doubling: u32| ((MIN_BYTES << doubling) - (one - unit)).div_ceil(unit).max(1);
        (0..=DOUBLINGS).map(count).collect()
    }
}

/// Module that is being written.
struct Writer {
    words: Vec<u32>,
    next_id: u32,
    void: u32,
    boolean: u32,
    uint: u32,
    pointer: u32,
    /// Type of a function that takes two numbers and returns one.
    function: u32,
    /// Type of a kernel that takes a pointer to global memory.
    kernel: u32,
    constants: Vec<u32>,
}

impl Writer {
    /// Begins a module with this many kernels, and returns their ids. Types and constants have been declared.
    fn new(kernels: usize) -> (Writer, Vec<u32>) {
        let mut w = Writer {
            // Magic number, version 1.4, no generator; the bound is known at the end.
            words: vec![0x0723_0203, 0x0001_0400, 0, 0, 0],
            next_id: 1,
            void: 0,
            boolean: 0,
            uint: 0,
            pointer: 0,
            function: 0,
            kernel: 0,
            constants: Vec::new(),
        };
        // Addresses, Kernel; physical addresses of 64 bits, OpenCL.
        w.put(op::CAPABILITY, &[4]);
        w.put(op::CAPABILITY, &[6]);
        w.put(op::MEMORY_MODEL, &[2, 2]);
        let ids: Vec<u32> = (0..kernels).map(|_| w.id()).collect();
        for (number, id) in ids.iter().enumerate() {
            let mut operands = vec![6, *id];
            operands.extend(words_of(&format!("k{number}")));
            w.put(op::ENTRY_POINT, &operands);
        }
        w.void = w.declare(op::TYPE_VOID, &[]);
        w.boolean = w.declare(op::TYPE_BOOL, &[]);
        w.uint = w.declare(op::TYPE_INT, &[32, 0]);
        // Storage class CrossWorkgroup.
        w.pointer = w.declare(op::TYPE_POINTER, &[5, w.uint]);
        w.function = w.declare(op::TYPE_FUNCTION, &[w.uint, w.uint, w.uint]);
        w.kernel = w.declare(op::TYPE_FUNCTION, &[w.void, w.pointer]);
        // Odd numbers, so that no product loses bits.
        w.constants = (0..CONSTANTS as u32)
            .map(|n| w.value(op::CONSTANT, w.uint, &[n.wrapping_mul(0x9E37_79B9) | 1]))
            .collect();
        (w, ids)
    }

    fn id(&mut self) -> u32 {
        self.next_id += 1;
        self.next_id - 1
    }

    /// Appends an instruction.
    fn put(&mut self, opcode: u32, operands: &[u32]) {
        self.words.push((operands.len() as u32 + 1) << 16 | opcode);
        self.words.extend(operands);
    }

    /// Appends a declaration of a type, and returns its id.
    fn declare(&mut self, opcode: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        self.put(opcode, &[&[id], operands].concat());
        id
    }

    /// Appends an instruction with a result, and returns its id.
    fn value(&mut self, opcode: u32, of: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        self.put(opcode, &[&[of, id], operands].concat());
        id
    }

    /// Begins a kernel with its first block, and returns its parameter and the number that this points at.
    fn begin_kernel(&mut self, id: u32) -> (u32, u32) {
        self.put(op::FUNCTION, &[self.void, id, 0, self.kernel]);
        let at = self.value(op::FUNCTION_PARAMETER, self.pointer, &[]);
        self.declare(op::LABEL, &[]);
        (at, self.value(op::LOAD, self.uint, &[&[at], &ALIGNED[..]].concat()))
    }

    /// Stores a kernel's result and ends it.
    fn end_kernel(&mut self, at: u32, result: u32) {
        self.put(op::STORE, &[&[at, result], &ALIGNED[..]].concat());
        self.put(op::RETURN, &[]);
        self.put(op::FUNCTION_END, &[]);
    }

    /// Appends three operations on two numbers, and returns the result.
    fn mix(&mut self, x: u32, y: u32, number: usize) -> u32 {
        let constant = self.constants[number % CONSTANTS];
        let x = self.value(op::I_MUL, self.uint, &[x, constant]);
        let x = self.value(op::I_ADD, self.uint, &[x, y]);
        self.value(op::BITWISE_XOR, self.uint, &[x, constant])
    }

    /// Appends a condition, two blocks and the one in which they meet, and returns the number that they choose.
    fn branch(&mut self, x: u32, y: u32, number: usize) -> u32 {
        let condition = self.value(op::U_LESS_THAN, self.boolean, &[x, y]);
        let (yes, no, end) = (self.id(), self.id(), self.id());
        self.put(op::BRANCH_CONDITIONAL, &[condition, yes, no]);
        let mut results = [0; 2];
        for (side, label) in [yes, no].into_iter().enumerate() {
            self.put(op::LABEL, &[label]);
            results[side] = self.mix(x, y, number + side);
            self.put(op::BRANCH, &[end]);
        }
        self.put(op::LABEL, &[end]);
        self.value(op::PHI, self.uint, &[results[0], yes, results[1], no])
    }

    /// Returns the bytes of the module.
    fn finish(mut self) -> Vec<u8> {
        self.words[3] = self.next_id;
        self.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// Returns the words of a string: at least one NUL ends it.
fn words_of(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((text.len() / 4 + 1) * 4, 0);
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

/// Appends a body of about one KB: straight code, two conditions.
fn body(w: &mut Writer, x: u32, y: u32, number: usize) -> u32 {
    let mut x = x;
    for part in 0..2 {
        for step in 0..5 {
            x = w.mix(x, y, number + step);
        }
        x = w.branch(x, y, number + part);
    }
    x
}

/// Returns a module of `count` functions and a kernel that calls each of them.
fn functions(count: usize) -> Vec<u8> {
    let (mut w, kernels) = Writer::new(1);
    let mut functions = Vec::new();
    for number in 0..count {
        functions.push(w.value(op::FUNCTION, w.uint, &[0, w.function]));
        let x = w.value(op::FUNCTION_PARAMETER, w.uint, &[]);
        let y = w.value(op::FUNCTION_PARAMETER, w.uint, &[]);
        w.declare(op::LABEL, &[]);
        let result = body(&mut w, x, y, number);
        w.put(op::RETURN_VALUE, &[result]);
        w.put(op::FUNCTION_END, &[]);
    }
    let (at, first) = w.begin_kernel(kernels[0]);
    let call = |x, function| w.value(op::FUNCTION_CALL, w.uint, &[function, x, first]);
    let result = functions.into_iter().fold(first, call);
    w.end_kernel(at, result);
    w.finish()
}

/// Returns a module of `count` kernels.
fn kernels(count: usize) -> Vec<u8> {
    let (mut w, kernels) = Writer::new(count);
    for (number, id) in kernels.into_iter().enumerate() {
        let (at, x) = w.begin_kernel(id);
        let result = body(&mut w, x, x, number);
        w.end_kernel(at, result);
    }
    w.finish()
}

/// Returns a kernel of `count` conditions one after the other.
fn blocks(count: usize) -> Vec<u8> {
    let (mut w, kernels) = Writer::new(1);
    let (at, first) = w.begin_kernel(kernels[0]);
    let result = (0..count).fold(first, |x, number| w.branch(x, first, number));
    w.end_kernel(at, result);
    w.finish()
}

/// Returns a kernel whose only block has three operations and an access to memory `count` times.
fn straight(count: usize) -> Vec<u8> {
    let (mut w, kernels) = Writer::new(1);
    let (at, mut x) = w.begin_kernel(kernels[0]);
    for number in 0..count {
        x = w.mix(x, x, number);
        w.put(op::STORE, &[&[at, x], &ALIGNED[..]].concat());
    }
    w.end_kernel(at, x);
    w.finish()
}

/// Returns a kernel with a loop in which `count` numbers live: each iteration adds to each of them the next one.
fn phis(count: usize) -> Vec<u8> {
    let (mut w, kernels) = Writer::new(1);
    w.put(op::FUNCTION, &[w.void, kernels[0], 0, w.kernel]);
    let at = w.value(op::FUNCTION_PARAMETER, w.pointer, &[]);
    let (entry, header, end) = (w.declare(op::LABEL, &[]), w.id(), w.id());
    let first = w.value(op::LOAD, w.uint, &[&[at], &ALIGNED[..]].concat());
    let starts: Vec<u32> = (0..count).map(|number| w.mix(first, first, number)).collect();
    w.put(op::BRANCH, &[header]);
    w.put(op::LABEL, &[header]);
    // The loop is one block, which names the sums before it has them.
    let phis: Vec<u32> = (0..count).map(|_| w.id()).collect();
    let sums: Vec<u32> = (0..count).map(|_| w.id()).collect();
    for number in 0..count {
        w.put(op::PHI, &[w.uint, phis[number], starts[number], entry, sums[number], header]);
    }
    for number in 0..count {
        w.put(op::I_ADD, &[w.uint, sums[number], phis[number], phis[(number + 1) % count]]);
    }
    let condition = w.value(op::U_LESS_THAN, w.boolean, &[sums[0], first]);
    w.put(op::BRANCH_CONDITIONAL, &[condition, header, end]);
    w.put(op::LABEL, &[end]);
    let result = sums.iter().skip(1).fold(sums[0], |x, sum| w.value(op::BITWISE_XOR, w.uint, &[x, *sum]));
    w.end_kernel(at, result);
    w.finish()
}
