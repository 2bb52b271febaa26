//! Pictures in PNG files, with 8 bits per channel of red, green, blue and alpha.

use std::io::Cursor;

use crate::problem::{Problem, Result, failed};

/// Picture, stored row by row.
#[derive(Debug, PartialEq, Eq)]
pub struct Picture {
    pub width: usize,
    pub height: usize,
    pub pixels: Vec<[u8; 4]>,
}

impl Picture {
    /// Decodes a file; pictures with palettes, with 16 bits or without alpha are converted.
    ///
    /// # Errors
    /// Returns the description of the defect.
    pub fn read(file: &[u8]) -> Result<Picture> {
        let wrong = |error: png::DecodingError| Problem::Input(error.to_string());
        let mut decoder = png::Decoder::new(Cursor::new(file));
        decoder
            .set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
        let mut reader = decoder.read_info().map_err(wrong)?;
        let size =
            reader.output_buffer_size().ok_or_else(|| Problem::Input("the picture is too large".into()))?;
        let mut bytes = vec![0; size];
        let info = reader.next_frame(&mut bytes).map_err(wrong)?;
        bytes.truncate(info.buffer_size());
        let pixels = match info.color_type {
            png::ColorType::Rgba => bytes.as_chunks::<4>().0.to_vec(),
            png::ColorType::GrayscaleAlpha => {
                bytes.as_chunks::<2>().0.iter().map(|&[v, a]| [v, v, v, a]).collect()
            }
            png::ColorType::Rgb => bytes.as_chunks::<3>().0.iter().map(|&[r, g, b]| [r, g, b, 255]).collect(),
            png::ColorType::Grayscale => bytes.iter().map(|&v| [v, v, v, 255]).collect(),
            png::ColorType::Indexed => return failed("the picture's palette was not expanded"),
        };
        Ok(Picture { width: info.width as usize, height: info.height as usize, pixels })
    }

    /// Encodes the picture as a file.
    ///
    /// # Errors
    /// If the picture is too large.
    pub fn write(&self) -> Result<Vec<u8>> {
        let wrong = |error: png::EncodingError| Problem::Failed(error.to_string());
        let side =
            |size: usize| u32::try_from(size).map_err(|_| Problem::Input("the picture is too large".into()));
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, side(self.width)?, side(self.height)?);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(wrong)?;
        writer.write_image_data(self.pixels.as_flattened()).map_err(wrong)?;
        writer.finish().map_err(wrong)?;
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let pixels = (0..6).map(|i| [i, 2 * i, 255 - i, 128 + i]).collect();
        let picture = Picture { width: 3, height: 2, pixels };
        let file = picture.write().expect("a file");
        assert_eq!(Picture::read(&file).expect("a picture"), picture);
        assert!(Picture::read(&file[..20]).is_err());
    }
}
