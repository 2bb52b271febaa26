//! Decorations of ids, with those that come by groups.

use crate::grammar::{Opcode, decoration};
use crate::module::{Annotation, Id, Module, text};

/// Decoration of an id or of a member.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decoration<'m> {
    /// Number of `Decoration`.
    pub number: u32,
    /// Member of a structure, or [`Annotation::WHOLE`].
    pub member: u32,
    /// Words behind the number.
    pub operands: &'m [u32],
}

/// Number of the decoration `Offset`, which the grammar counts among those of shaders.
pub(crate) const OFFSET: u32 = 35;

/// Maximum number of decorations of a group.
// Arbitrary; there are fewer decorations than that, and producers of today write no groups.
const MAX_OF_GROUP: usize = 64;

impl Module {
    /// Calls `each` for the decorations of an id and of its members.
    pub(crate) fn each_decoration<'m>(&'m self, id: Id, mut each: impl FnMut(Decoration<'m>)) {
        for annotation in self.decorations(id) {
            let words = self.raw(annotation.place as usize);
            let member = annotation.member;
            match Opcode::from_number(words[0] as u16) {
                Some(Opcode::GroupDecorate | Opcode::GroupMemberDecorate) => {
                    for of_group in self.decorations(Id(words[1])).iter().take(MAX_OF_GROUP) {
                        let words = self.raw(of_group.place as usize);
                        if let Some((number, operands)) = direct(words) {
                            each(Decoration { number, member, operands });
                        }
                    }
                }
                _ => {
                    if let Some((number, operands)) = direct(words) {
                        each(Decoration { number, member, operands });
                    }
                }
            }
        }
    }

    /// Returns the operands of a decoration of an id, or `None` if it is not there.
    pub(crate) fn decoration(&self, id: Id, number: u32) -> Option<&[u32]> {
        let mut found = None;
        self.each_decoration(id, |decoration| {
            if decoration.number == number && decoration.member == Annotation::WHOLE {
                found = found.or(Some(decoration.operands));
            }
        });
        found
    }

    /// Checks whether a parameter of a function has an attribute.
    pub(crate) fn has_attribute(&self, id: Id, attribute: u32) -> bool {
        let mut found = false;
        self.each_decoration(id, |of| {
            found |= of.number == decoration::FuncParamAttr && of.operands.first() == Some(&attribute);
        });
        found
    }

    /// Returns the SpecId of a constant.
    pub fn spec_id(&self, id: Id) -> Option<u32> {
        self.decoration(id, decoration::SpecId)?.first().copied()
    }

    /// Checks whether an id has a decoration.
    pub(crate) fn is_decorated(&self, id: Id, number: u32) -> bool {
        self.decoration(id, number).is_some()
    }

    /// Returns the name and the type of an id's linkage, by its decoration LinkageAttributes.
    pub(crate) fn linkage(&self, id: Id) -> Option<(String, u32)> {
        let operands = self.decoration(id, crate::grammar::decoration::LinkageAttributes)?;
        Some((text(operands), *operands.last()?))
    }
}

/// Returns number and operands of an instruction that decorates an id or a member.
fn direct(words: &[u32]) -> Option<(u32, &[u32])> {
    let at = match Opcode::from_number(words[0] as u16)? {
        Opcode::Decorate | Opcode::DecorateId | Opcode::DecorateString => 2,
        Opcode::MemberDecorate | Opcode::MemberDecorateString => 3,
        _ => return None,
    };
    Some((*words.get(at)?, words.get(at + 1..)?))
}
