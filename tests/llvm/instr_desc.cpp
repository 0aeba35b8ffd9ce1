// What LLVM's instruction descriptions say that an instruction of AMD GCN, RISC-V or A64 reads and writes.
//
// Reads lines of bytes in hexadecimal, in the order of memory, and writes for each the bytes, the
// name of LLVM's instruction, what it defines, what it uses, and what else is said of it, with tabs
// between them; operands first, then what is implicit. A use that is tied to a definition is marked
// with `=`. Where a branch goes is said as for an instruction at address 0.
//
//   g++ -std=c++17 instr_desc.cpp $(llvm-config-19 --cxxflags --ldflags --libs) -o instr_desc
//   ./instr_desc amdgcn gfx900 "" < words.txt
//   ./instr_desc riscv64 "" +m,+a < words.txt
//   ./instr_desc aarch64 "" +lse < words.txt

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include <iostream>
#include <memory>
#include <string>
#include <vector>

using namespace llvm;

static std::vector<uint8_t> bytes_of(const std::string &hex) {
  std::vector<uint8_t> bytes;
  for (size_t at = 0; at + 1 < hex.size(); at += 2)
    bytes.push_back(std::stoi(hex.substr(at, 2), nullptr, 16));
  return bytes;
}

int main(int count, char **arguments) {
  if (count != 4) {
    std::cerr << "usage: instr_desc TRIPLE PROCESSOR FEATURES < words\n";
    return 2;
  }
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUDisassembler();
  LLVMInitializeRISCVTargetInfo();
  LLVMInitializeRISCVTargetMC();
  LLVMInitializeRISCVDisassembler();
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64Disassembler();
  std::string error;
  Triple triple(arguments[1]);
  const Target *target = TargetRegistry::lookupTarget(triple.str(), error);
  std::unique_ptr<MCRegisterInfo> registers(target->createMCRegInfo(triple.str()));
  std::unique_ptr<MCAsmInfo> assembly(
      target->createMCAsmInfo(*registers, triple.str(), MCTargetOptions()));
  std::unique_ptr<MCInstrInfo> instructions(target->createMCInstrInfo());
  std::unique_ptr<MCInstrAnalysis> analysis(target->createMCInstrAnalysis(instructions.get()));
  std::unique_ptr<MCSubtargetInfo> processor(
      target->createMCSubtargetInfo(triple.str(), arguments[2], arguments[3]));
  MCContext context(triple, assembly.get(), registers.get(), processor.get());
  std::unique_ptr<MCDisassembler> disassembler(
      target->createMCDisassembler(*processor, context));
  std::string line;
  while (std::getline(std::cin, line)) {
    std::vector<uint8_t> bytes = bytes_of(line);
    MCInst inst;
    uint64_t size;
    if (disassembler->getInstruction(inst, size, bytes, 0, nulls()) != MCDisassembler::Success) {
      outs() << line << "\tinvalid\t\t\t\n";
      continue;
    }
    const MCInstrDesc &description = instructions->get(inst.getOpcode());
    std::string defs, uses;
    for (unsigned at = 0; at < inst.getNumOperands(); ++at) {
      const MCOperand &operand = inst.getOperand(at);
      if (!operand.isReg() || !operand.getReg())
        continue;
      bool is_def = at < description.getNumDefs();
      bool is_tied =
          !is_def && at < description.getNumOperands() &&
          description.getOperandConstraint(at, MCOI::TIED_TO) != -1;
      std::string &list = is_def ? defs : uses;
      list += (list.empty() ? "" : " ") + std::string(is_tied ? "=" : "") +
              registers->getName(operand.getReg());
    }
    for (MCPhysReg reg : description.implicit_defs())
      defs += std::string(defs.empty() ? "" : " ") + registers->getName(reg);
    for (MCPhysReg reg : description.implicit_uses())
      uses += std::string(uses.empty() ? "" : " ") + registers->getName(reg);
    std::string flags;
    auto add = [&flags](bool holds, const char *name) {
      if (holds)
        flags += (flags.empty() ? "" : " ") + std::string(name);
    };
    add(description.mayLoad(), "load");
    add(description.mayStore(), "store");
    add(analysis->isBranch(inst), "branch");
    add(analysis->isConditionalBranch(inst), "conditional");
    add(analysis->isIndirectBranch(inst), "indirect");
    add(analysis->isCall(inst), "call");
    add(analysis->isReturn(inst), "return");
    add(description.isBarrier(), "barrier");
    add(description.mayRaiseFPException(), "exception");
    uint64_t destination;
    if (analysis->evaluateBranch(inst, 0, size, destination))
      flags += (flags.empty() ? "to:" : " to:") + std::to_string(int64_t(destination));
    outs() << line << '\t' << instructions->getName(inst.getOpcode()) << '\t' << defs << '\t'
           << uses << '\t' << flags << '\n';
  }
}
