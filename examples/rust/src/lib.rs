// SPDX-License-Identifier: MIT
//! What the programs need beside plait: golden cases, bf16, a checksum, a fixed sequence.
use std::convert::TryInto;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// A golden case: arrays of .npy files, numbers of case.json.
pub struct Case {
    folder: PathBuf,
    text: String,
}

pub trait Value {
    fn read(bytes: &[u8]) -> Self;
}
macro_rules! values {
    ($($kind:ty)*) => { $(impl Value for $kind {
        fn read(bytes: &[u8]) -> Self { <$kind>::from_le_bytes(bytes.try_into().unwrap()) }
    })* };
}
values!(u16 f32);

impl Case {
    /// A case in the folder of the first argument, or in tests/vectors.
    pub fn open(name: &str) -> Case {
        let vectors = env::args()
            .nth(1)
            .map(PathBuf::from)
            .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors"));
        let folder = vectors.join(name);
        let text = fs::read_to_string(folder.join("case.json"))
            .unwrap_or_else(|error| panic!("{}: {}", folder.display(), error));
        Case { folder, text }
    }

    pub fn number(&self, key: &str) -> f64 {
        let mark = format!("\"{}\":", key);
        let rest = &self.text[self.text.find(&mark).expect(key) + mark.len()..];
        rest[..rest.find([',', '\n']).unwrap()].trim().parse().unwrap()
    }

    pub fn array<T: Value>(&self, name: &str) -> Vec<T> {
        let bytes = fs::read(self.folder.join(format!("{}.npy", name))).unwrap();
        assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00", "{}", name);
        let start = 10 + u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
        bytes[start..].chunks(std::mem::size_of::<T>()).map(T::read).collect()
    }
}

pub fn from_bf16(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// To nearest, ties to even.
pub fn to_bf16(value: f32) -> u16 {
    let bits = value.to_bits();
    ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16) as u16
}

/// FNV-1a of the bytes, as the C programs print it.
pub fn checksum(what: &str, bytes: impl Iterator<Item = u8>) {
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    println!("checksum {:016x} {}", hash, what);
}

/// A fixed sequence of numbers in (-1, 1).
pub struct Noise(pub u64);

impl Noise {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 40) as f64 / f64::from(1 << 23) - 1.0) as f32
    }

    pub fn f32(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.next()).collect()
    }

    pub fn bf16(&mut self, count: usize) -> Vec<u16> {
        (0..count).map(|_| to_bf16(self.next())).collect()
    }
}
