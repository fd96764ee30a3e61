import { randomFillSync } from 'node:crypto';
import type { MemoryKind } from '../pure/fits';

const MIB = 1024 * 1024;

/**
 * V8 keeps a longer one-byte string outside its heap, and a rope or a repeat would be no memory at
 * all: pieces of 1000 KiB decoded from bytes are flat strings on the heap.
 */
const STRING_BYTES = 1000 * 1024;
const BUFFER_BYTES = MIB;
/** Three words of header and five fields of a word each, on a 64-bit Node without compressed pointers. */
const OBJECT_BYTES = 64;
const SLOT_BYTES = 8;
const OBJECTS_A_PIECE = Math.floor(MIB / (OBJECT_BYTES + SLOT_BYTES));
/** Bytes that neither a compressing swap nor page merging makes small. */
function noise(): Buffer {
  madeNoise ??= randomFillSync(Buffer.allocUnsafeSlow(BUFFER_BYTES));
  return madeNoise;
}
let madeNoise: Buffer | undefined;

interface Piece {
  bytes: number;
  value: unknown;
}

/** Memory of one execution: grows piece by piece, is given back by `release`. */
export class HeldMemory {
  private pieces: Piece[] = [];
  bytes = 0;

  constructor(private readonly kind: MemoryKind) {
    reachable.add(this);
  }

  /** Grows by one piece, at most to `targetBytes`. */
  growTowards(targetBytes: number): void {
    const piece = makePiece[this.kind](targetBytes - this.bytes, this.pieces.length);
    this.pieces.push(piece);
    this.bytes += piece.bytes;
  }

  release(): void {
    this.pieces = [];
    this.bytes = 0;
    reachable.delete(this);
  }

  leak(): void {
    leakedBytes += this.bytes;
  }
}

/** Keeps what is held from the garbage collector; a leak stays here for good. */
const reachable = new Set<HeldMemory>();
let leakedBytes = 0;

export function leakedMiB(): number {
  return leakedBytes / MIB;
}

const makePiece: Record<MemoryKind, (leftBytes: number, index: number) => Piece> = {
  strings(leftBytes) {
    const bytes = Math.min(STRING_BYTES, leftBytes);
    return { bytes, value: noise().toString('latin1', 0, bytes) };
  },
  buffers(leftBytes) {
    const bytes = Math.min(BUFFER_BYTES, leftBytes);
    const value = Buffer.allocUnsafeSlow(bytes);
    noise().copy(value, 0, 0, bytes);
    return { bytes, value };
  },
  objects(leftBytes, index) {
    const count = Math.min(
      OBJECTS_A_PIECE,
      Math.max(1, Math.floor(leftBytes / (OBJECT_BYTES + SLOT_BYTES))),
    );
    const value = new Array<object>(count);
    for (let i = 0; i < count; i += 1) {
      value[i] = { id: i, piece: index, left: i ^ index, right: i + index, visits: 0 };
    }
    // What is left below one object is counted as made, so that the end is reached.
    const bytes = count * (OBJECT_BYTES + SLOT_BYTES);
    return { bytes: leftBytes - bytes < OBJECT_BYTES + SLOT_BYTES ? leftBytes : bytes, value };
  },
};
