//! Image formats: the channels of a texel, their order and their type (API s5.3.1.1).

macro_rules! numbered {
    ($(#[$doc:meta])* $enum:ident { $($name:ident = $number:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u32)]
        pub enum $enum { $($name = $number),* }

        impl $enum {
            /// All of them.
            pub const ALL: &'static [$enum] = &[$($enum::$name),*];

            /// Returns the value that has this number in the host API.
            pub fn from_number(number: u32) -> Option<$enum> {
                Self::ALL.iter().copied().find(|one| *one as u32 == number)
            }
            /// Returns the value with this name.
            pub fn from_name(name: &str) -> Option<$enum> {
                Self::ALL.iter().copied().find(|one| one.name() == name)
            }
            /// Returns the name without its prefix.
            pub fn name(self) -> &'static str {
                match self { $($enum::$name => stringify!($name)),* }
            }
        }
    };
}

numbered! {
    /// Channel orders, with the numbers of the host API (cl_channel_order).
    #[expect(non_camel_case_types, reason = "the names of the specification")]
    Order {
        R = 0x10B0, A = 0x10B1, RG = 0x10B2, RA = 0x10B3, RGB = 0x10B4, RGBA = 0x10B5,
        BGRA = 0x10B6, ARGB = 0x10B7, INTENSITY = 0x10B8, LUMINANCE = 0x10B9, Rx = 0x10BA,
        RGx = 0x10BB, RGBx = 0x10BC, DEPTH = 0x10BD, sRGB = 0x10BF, sRGBx = 0x10C0,
        sRGBA = 0x10C1, sBGRA = 0x10C2, ABGR = 0x10C3,
    }
}

numbered! {
    /// Channel types, with the numbers of the host API (cl_channel_type).
    #[expect(non_camel_case_types, reason = "the names of the specification")]
    ChannelType {
        SNORM_INT8 = 0x10D0, SNORM_INT16 = 0x10D1, UNORM_INT8 = 0x10D2, UNORM_INT16 = 0x10D3,
        UNORM_SHORT_565 = 0x10D4, UNORM_SHORT_555 = 0x10D5, UNORM_INT_101010 = 0x10D6,
        SIGNED_INT8 = 0x10D7, SIGNED_INT16 = 0x10D8, SIGNED_INT32 = 0x10D9, UNSIGNED_INT8 = 0x10DA,
        UNSIGNED_INT16 = 0x10DB, UNSIGNED_INT32 = 0x10DC, HALF_FLOAT = 0x10DD, FLOAT = 0x10DE,
        UNORM_INT_101010_2 = 0x10E0,
    }
}

/// Source of a component that a kernel reads (OpenCL C s6.13.14).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampledType {
    Channel(u8),
    Zero,
    One,
}

/// Type that kernels read the values of a channel as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelClass {
    /// Read by `read_imagef`.
    Float,
    /// Read by `read_imagei`.
    Signed,
    /// Read by `read_imageui`.
    Unsigned,
}

/// Bit field of a packed texel: position of the lowest bit, and number of bits.
pub type Field = (u32, u32);

/// Valid combination of a channel order and a channel type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    order: Order,
    ty: ChannelType,
}

impl Format {
    /// Returns the format with these numbers of the host API; `None` if they are unknown, or the combination is not
    /// valid.
    pub fn from_numbers(order: u32, ty: u32) -> Option<Format> {
        Format::new(Order::from_number(order)?, ChannelType::from_number(ty)?)
    }

    /// Returns the format of an order and a type, if the combination is valid.
    pub fn new(order: Order, ty: ChannelType) -> Option<Format> {
        use ChannelType as T;
        let allowed = match order {
            Order::INTENSITY | Order::LUMINANCE => matches!(
                ty,
                T::UNORM_INT8 | T::UNORM_INT16 | T::SNORM_INT8 | T::SNORM_INT16 | T::HALF_FLOAT | T::FLOAT
            ),
            Order::DEPTH => matches!(ty, T::UNORM_INT16 | T::FLOAT),
            Order::RGB | Order::RGBx => {
                matches!(ty, T::UNORM_SHORT_565 | T::UNORM_SHORT_555 | T::UNORM_INT_101010)
            }
            Order::BGRA | Order::ARGB | Order::ABGR => {
                matches!(ty, T::UNORM_INT8 | T::SNORM_INT8 | T::SIGNED_INT8 | T::UNSIGNED_INT8)
            }
            Order::sRGB | Order::sRGBx | Order::sRGBA | Order::sBGRA => ty == T::UNORM_INT8,
            Order::RGBA => !ty.is_packed() || ty == T::UNORM_INT_101010_2,
            Order::R | Order::A | Order::RG | Order::RA | Order::Rx | Order::RGx => !ty.is_packed(),
        };
        allowed.then_some(Format { order, ty })
    }

    /// Returns all formats.
    pub fn all() -> impl Iterator<Item = Format> {
        let pairs = Order::ALL.iter().flat_map(|&order| ChannelType::ALL.iter().map(move |&ty| (order, ty)));
        pairs.filter_map(|(order, ty)| Format::new(order, ty))
    }

    /// Returns the order of the channels.
    pub fn order(self) -> Order {
        self.order
    }

    /// Returns the type of the channels.
    pub fn channel_type(self) -> ChannelType {
        self.ty
    }

    /// Returns the size of a texel in bytes (CL_IMAGE_ELEMENT_SIZE).
    pub fn texel_size(self) -> usize {
        match self.ty.packed_size() {
            Some(size) => size,
            None => self.channels().len() * self.ty.channel_size(),
        }
    }

    /// Returns, for each channel in memory, the component that is written to it (0 is red, 3 alpha); for packed
    /// texels, the component of each field.
    pub fn channels(self) -> &'static [u8] {
        match self.order {
            // The `x` of these orders is not a channel: it only makes the border transparent.
            Order::R | Order::Rx | Order::INTENSITY | Order::LUMINANCE | Order::DEPTH => &[0],
            Order::A => &[3],
            Order::RG | Order::RGx => &[0, 1],
            Order::RA => &[0, 3],
            Order::RGB | Order::RGBx | Order::sRGB => &[0, 1, 2],
            // The `x` of sRGBx is stored, with undefined contents.
            Order::RGBA | Order::sRGBA | Order::sRGBx => &[0, 1, 2, 3],
            Order::BGRA | Order::sBGRA => &[2, 1, 0, 3],
            Order::ARGB => &[3, 0, 1, 2],
            Order::ABGR => &[3, 2, 1, 0],
        }
    }

    /// Returns the sources of red, green, blue and alpha when a kernel reads.
    pub fn view(self) -> [SampledType; 4] {
        use SampledType::{Channel as C, One, Zero};
        match self.order {
            Order::R | Order::Rx | Order::DEPTH => [C(0), Zero, Zero, One],
            Order::A => [Zero, Zero, Zero, C(0)],
            Order::RG | Order::RGx => [C(0), C(1), Zero, One],
            Order::RA => [C(0), Zero, Zero, C(1)],
            Order::RGB | Order::sRGB | Order::RGBx | Order::sRGBx => [C(0), C(1), C(2), One],
            Order::RGBA | Order::sRGBA => [C(0), C(1), C(2), C(3)],
            Order::BGRA | Order::sBGRA => [C(2), C(1), C(0), C(3)],
            Order::ARGB => [C(1), C(2), C(3), C(0)],
            Order::ABGR => [C(3), C(2), C(1), C(0)],
            Order::INTENSITY => [C(0); 4],
            Order::LUMINANCE => [C(0), C(0), C(0), One],
        }
    }

    /// Checks whether red, green and blue are in the sRGB color space.
    pub fn is_srgb(self) -> bool {
        matches!(self.order, Order::sRGB | Order::sRGBx | Order::sRGBA | Order::sBGRA)
    }

    /// Checks whether the border color of CLK_ADDRESS_CLAMP is opaque: (0, 0, 0, 1) (OpenCL C s6.13.14.2).
    pub fn has_opaque_border(self) -> bool {
        matches!(
            self.order,
            Order::R | Order::RG | Order::RGB | Order::sRGB | Order::LUMINANCE | Order::DEPTH
        )
    }

    /// Returns the type that kernels read components as.
    pub fn class(self) -> ChannelClass {
        self.ty.class()
    }

    /// Checks whether a full profile device must support the format, at least for reading (API s5.3.2.1).
    pub fn is_required(self) -> bool {
        match self.order {
            Order::R | Order::RG | Order::RGBA => !self.ty.is_packed(),
            Order::BGRA => self.ty == ChannelType::UNORM_INT8,
            Order::sRGBA | Order::DEPTH => true,
            _ => false,
        }
    }
}

impl ChannelType {
    /// Checks whether several channels are packed into one word.
    pub fn is_packed(self) -> bool {
        self.packed_size().is_some()
    }

    /// Returns the size in bytes of the word that contains all channels.
    pub fn packed_size(self) -> Option<usize> {
        match self {
            ChannelType::UNORM_SHORT_565 | ChannelType::UNORM_SHORT_555 => Some(2),
            ChannelType::UNORM_INT_101010 | ChannelType::UNORM_INT_101010_2 => Some(4),
            _ => None,
        }
    }

    /// Returns the fields of a packed word, red first; empty if the type is not packed.
    pub fn fields(self) -> &'static [Field] {
        match self {
            ChannelType::UNORM_SHORT_565 => &[(11, 5), (5, 6), (0, 5)],
            ChannelType::UNORM_SHORT_555 => &[(10, 5), (5, 5), (0, 5)],
            ChannelType::UNORM_INT_101010 => &[(20, 10), (10, 10), (0, 10)],
            ChannelType::UNORM_INT_101010_2 => &[(22, 10), (12, 10), (2, 10), (0, 2)],
            _ => &[],
        }
    }

    /// Returns the size in bytes of a channel; for packed types, of the word.
    pub fn channel_size(self) -> usize {
        match self {
            ChannelType::SNORM_INT8
            | ChannelType::UNORM_INT8
            | ChannelType::SIGNED_INT8
            | ChannelType::UNSIGNED_INT8 => 1,
            ChannelType::SNORM_INT16
            | ChannelType::UNORM_INT16
            | ChannelType::SIGNED_INT16
            | ChannelType::UNSIGNED_INT16
            | ChannelType::HALF_FLOAT
            | ChannelType::UNORM_SHORT_565
            | ChannelType::UNORM_SHORT_555 => 2,
            _ => 4,
        }
    }

    /// Returns the type that kernels read components as.
    pub fn class(self) -> ChannelClass {
        match self {
            ChannelType::SIGNED_INT8 | ChannelType::SIGNED_INT16 | ChannelType::SIGNED_INT32 => {
                ChannelClass::Signed
            }
            ChannelType::UNSIGNED_INT8 | ChannelType::UNSIGNED_INT16 | ChannelType::UNSIGNED_INT32 => {
                ChannelClass::Unsigned
            }
            _ => ChannelClass::Float,
        }
    }

    /// Returns, for a normalized type that is not packed, the number that represents 1, and `true` if the type is
    /// signed.
    pub fn normalized(self) -> Option<(f32, bool)> {
        match self {
            ChannelType::UNORM_INT8 => Some((255.0, false)),
            ChannelType::UNORM_INT16 => Some((65535.0, false)),
            ChannelType::SNORM_INT8 => Some((127.0, true)),
            ChannelType::SNORM_INT16 => Some((32767.0, true)),
            _ => None,
        }
    }
}
