//! Constants of a module, with the values of specialization constants in place.

use std::sync::Arc;

use grus_support::define_id;

use crate::error::Fault;
use crate::module::Id;
use crate::types::{TypeForm, TypeId, TypeTable};

define_id!(
    /// Row of the constant table.
    ConstId,
    "c"
);

/// Constant of a module.
#[derive(Clone, Debug)]
pub(crate) struct ConstRow {
    pub id: Id,
    pub ty: TypeId,
    pub form: ConstForm,
}

/// Value of a constant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ConstForm {
    /// Zero of any type; undefined values are zero too.
    Null,
    /// Bits of a scalar.
    Bits(u64),
    /// Parts of a vector, structure or array.
    Parts(Arc<[ConstId]>),
    /// Bits of a sampler, as OpenCL C has them.
    Sampler(u32),
    /// Address of a variable, plus bytes.
    Address { variable: Id, offset: i64 },
}

/// Maximum number of parts that instructions make without naming each.
// Arbitrary: 64 MiB.
const MAX_MADE: u64 = 1 << 24;

/// All constants of a module.
#[derive(Debug)]
pub(crate) struct ConstTable {
    /// Row of each id, counted from 1; 0 for ids that are no constants.
    places: Vec<u32>,
    rows: Vec<ConstRow>,
    /// Number of parts that instructions of a few words have made.
    made: u64,
}

impl ConstTable {
    /// Returns an empty table for ids below a bound.
    pub(crate) fn new(bound: u32) -> ConstTable {
        ConstTable { places: vec![0; bound as usize], rows: Vec::new(), made: 0 }
    }

    /// Counts parts that an instruction makes without naming each.
    ///
    /// # Errors
    /// If there are too many with those made before.
    pub(crate) fn count_made(&mut self, parts: u64) -> Result<(), Fault> {
        self.made = self.made.saturating_add(parts);
        if self.made > MAX_MADE { Err(Fault::new("the composite is too large")) } else { Ok(()) }
    }

    /// Adds a constant. Parts that have no id of their own have the id of the whole; they are found by row only.
    pub(crate) fn add(&mut self, row: ConstRow, is_named: bool) -> ConstId {
        let id = ConstId(self.rows.len() as u32);
        if is_named {
            self.places[row.id.0 as usize] = id.0 + 1;
        }
        self.rows.push(row);
        id
    }

    /// Returns the constant of an id.
    #[inline]
    pub(crate) fn find(&self, id: Id) -> Option<ConstId> {
        self.places.get(id.0 as usize)?.checked_sub(1).map(ConstId)
    }

    /// Returns the row of a constant.
    #[inline]
    pub(crate) fn get(&self, id: ConstId) -> &ConstRow {
        &self.rows[id.0 as usize]
    }

    /// Returns the bits of a scalar constant; those of a null are 0.
    pub(crate) fn bits(&self, id: ConstId) -> Option<u64> {
        match self.get(id).form {
            ConstForm::Bits(bits) => Some(bits),
            ConstForm::Null => Some(0),
            _ => None,
        }
    }

    /// Returns the bits of the scalar constant of an id.
    pub(crate) fn bits_of(&self, id: Id) -> Option<u64> {
        self.bits(self.find(id)?)
    }

    /// Returns part `index` of a constant, which is there.
    pub(crate) fn part(&self, id: ConstId, index: u64) -> Option<ConstId> {
        match &self.get(id).form {
            ConstForm::Parts(parts) => parts.get(usize::try_from(index).ok()?).copied(),
            _ => None,
        }
    }

    /// Checks whether a constant is zero in all its bits.
    pub(crate) fn is_zero(&self, id: ConstId) -> bool {
        matches!(self.get(id).form, ConstForm::Null | ConstForm::Bits(0) | ConstForm::Sampler(0))
    }

    /// Writes a constant's bytes into `bytes`, which are zero and as many as its type has. Addresses are handed to
    /// `address` with their offset.
    pub(crate) fn write(
        &self,
        types: &TypeTable,
        id: ConstId,
        bytes: &mut [u8],
        address: &mut impl FnMut(u64, Id, i64),
    ) {
        let mut work = vec![(id, 0u64)];
        while let Some((id, at)) = work.pop() {
            let row = self.get(id);
            match &row.form {
                ConstForm::Null => {}
                ConstForm::Bits(bits) => {
                    let size = types.get(row.ty).size as usize;
                    let at = at as usize;
                    if let Some(place) = bytes.get_mut(at..at + size) {
                        place.copy_from_slice(&bits.to_le_bytes()[..size]);
                    }
                }
                ConstForm::Sampler(bits) => {
                    let at = at as usize;
                    if let Some(place) = bytes.get_mut(at..at + 4) {
                        place.copy_from_slice(&bits.to_le_bytes());
                    }
                }
                ConstForm::Parts(parts) if types.is_packed(row.ty) => {
                    let width = types.value(row.ty).map_or(0, |ty| ty.width as usize);
                    for (lane, &part) in parts.iter().enumerate() {
                        let bits = self.bits(part).unwrap_or(0);
                        for bit in (0..width).filter(|bit| bits >> bit & 1 != 0) {
                            let place = lane * width + bit;
                            if let Some(byte) = bytes.get_mut(at as usize + place / 8) {
                                *byte |= 1 << (place % 8);
                            }
                        }
                    }
                }
                ConstForm::Parts(parts) => {
                    for (index, &part) in parts.iter().enumerate() {
                        if !self.is_zero(part)
                            && let Some((_, offset)) = types.part(row.ty, index as u64)
                        {
                            work.push((part, at + offset));
                        }
                    }
                }
                ConstForm::Address { variable, offset } => address(at, *variable, *offset),
            }
        }
    }

    /// Returns the bits of each lane of a scalar or vector constant, or `None` for others.
    pub(crate) fn lanes(&self, types: &TypeTable, id: ConstId) -> Option<Vec<u64>> {
        let row = self.get(id);
        let count = match *types.form(row.ty) {
            TypeForm::Vector { lanes, .. } => usize::from(lanes),
            _ => 1,
        };
        match &row.form {
            ConstForm::Null => Some(vec![0; count]),
            ConstForm::Bits(bits) => Some(vec![*bits]),
            ConstForm::Parts(parts) => parts.iter().map(|&part| self.bits(part)).collect(),
            ConstForm::Sampler(_) | ConstForm::Address { .. } => None,
        }
    }
}
