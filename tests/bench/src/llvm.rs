//! LLVM's C disassembler, if its library is installed.

use std::ffi::{CStr, CString, c_char, c_int, c_void};

use libloading::Library;

/// The library's names, as installed by Debian and by LLVM.
const NAMES: [&str; 3] = ["libLLVM-19.so.1", "libLLVM-19.so", "libLLVM.so.19.1"];

/// `LLVMCreateDisasmCPU` of llvm-c/Disassembler.h.
type Create = unsafe extern "C" fn(
    *const c_char,
    *const c_char,
    *mut c_void,
    c_int,
    *const c_void,
    *const c_void,
) -> *mut c_void;

/// `LLVMDisasmInstruction` of llvm-c/Disassembler.h.
type Disassemble =
    unsafe extern "C" fn(*mut c_void, *const u8, u64, u64, *mut c_char, usize) -> usize;

/// Room for one text.
const ROOM: usize = 256;

/// A disassembler of LLVM for a processor of AMD GCN.
pub struct Disassembler {
    context: *mut c_void,
    disassemble: Disassemble,
    // The functions are in it.
    _library: Library,
}

impl Disassembler {
    /// `None` if libLLVM 19 is not installed.
    pub fn new(processor: &str) -> Option<Disassembler> {
        // SAFETY: loading LLVM runs its initializers, which do not have preconditions.
        let load = |name: &&str| unsafe { Library::new(name) }.ok();
        let library = NAMES.iter().find_map(load)?;
        for part in ["TargetInfo", "Target", "TargetMC", "Disassembler"] {
            let name = format!("LLVMInitializeAMDGPU{part}");
            // SAFETY: these functions have neither arguments nor results (llvm-c/Target.h).
            unsafe { library.get::<unsafe extern "C" fn()>(name.as_bytes()).ok()?() };
        }
        let (triple, cpu) = (CString::new("amdgcn").ok()?, CString::new(processor).ok()?);
        let null = std::ptr::null_mut();
        // SAFETY: the types match the header; the strings outlive the call.
        let (context, disassemble) = unsafe {
            let create = library.get::<Create>(b"LLVMCreateDisasmCPU").ok()?;
            let context = create(triple.as_ptr(), cpu.as_ptr(), null, 0, null, null);
            (context, *library.get::<Disassemble>(b"LLVMDisasmInstruction").ok()?)
        };
        (!context.is_null()).then_some(Disassembler { context, disassemble, _library: library })
    }

    /// Disassembles everything, and passes each text to `take`.
    pub fn each(&mut self, bytes: &[u8], mut take: impl FnMut(&[u8])) {
        let mut text = [0 as c_char; ROOM];
        let mut at = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            let (from, size) = (rest.as_ptr(), rest.len() as u64);
            // SAFETY: the context lives, the pointers are to buffers of these sizes, and the text
            // ends with a zero.
            let (length, written) = unsafe {
                let into = text.as_mut_ptr();
                let length = (self.disassemble)(self.context, from, size, at as u64, into, ROOM);
                (length, CStr::from_ptr(into).to_bytes())
            };
            take(written);
            at += length.max(4);
        }
    }
}
