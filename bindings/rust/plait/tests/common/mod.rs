// SPDX-License-Identifier: MIT
//! The golden vectors: numbers of case.json and arrays of .npy files.
use std::convert::TryInto;
use std::fs;
use std::path::{Path, PathBuf};

pub struct Vector {
    folder: PathBuf,
    case: String,
}

/// The cases whose names begin with `prefix`.
pub fn vectors(prefix: &str) -> Vec<Vector> {
    let root = std::env::var("PLAIT_VECTORS")
        .map(PathBuf::from)
        .unwrap_or_else(|_| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/vectors"));
    let mut found: Vec<Vector> = fs::read_dir(&root)
        .unwrap_or_else(|error| panic!("{}: {}", root.display(), error))
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.is_dir() && path.file_name().unwrap().to_string_lossy().starts_with(prefix)
        })
        .map(|folder| Vector {
            case: fs::read_to_string(folder.join("case.json")).unwrap(),
            folder,
        })
        .collect();
    assert!(!found.is_empty(), "no vectors {}* in {}", prefix, root.display());
    found.sort_by(|a, b| a.folder.cmp(&b.folder));
    found
}

pub trait Value: Copy + PartialEq + std::fmt::Debug {
    fn read(bytes: &[u8]) -> Self;
}
macro_rules! values {
    ($($kind:ty)*) => { $(impl Value for $kind {
        fn read(bytes: &[u8]) -> Self { <$kind>::from_le_bytes(bytes.try_into().unwrap()) }
    })* };
}
values!(u8 u16 i32 i64 f32);

impl Vector {
    pub fn name(&self) -> String {
        self.folder.file_name().unwrap().to_string_lossy().into_owned()
    }

    /// A text of case.json as it stands there, up to the next comma or line end.
    pub fn text(&self, key: &str) -> String {
        let mark = format!("\"{}\":", key);
        let at = self.case.find(&mark).unwrap_or_else(|| panic!("{} has no {}", self.name(), key));
        let rest = &self.case[at + mark.len()..];
        let end = rest.find([',', '\n', '}']).unwrap();
        rest[..end].trim().trim_matches('"').to_string()
    }

    pub fn int(&self, key: &str) -> i64 {
        self.text(key).parse().unwrap()
    }

    pub fn float(&self, key: &str) -> f32 {
        self.text(key).parse().unwrap()
    }

    /// The values of a version 1 .npy file in C order.
    pub fn array<T: Value>(&self, name: &str) -> Vec<T> {
        let bytes = fs::read(self.folder.join(format!("{}.npy", name))).unwrap();
        assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
        let header = 10 + u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
        assert!(String::from_utf8_lossy(&bytes[..header]).contains("'fortran_order': False"));
        bytes[header..].chunks(std::mem::size_of::<T>()).map(T::read).collect()
    }
}

/// The value of bf16 bits.
#[allow(dead_code)]
pub fn wide(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}
