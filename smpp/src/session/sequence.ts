// SMPP 3.4 §5.1.4: our sequence numbers run from 1 to 0x7FFFFFFF and start over.

const sequenceMax = 0x7fffffff

/** The number after this one. */
export function nextSequence(sequence: number): number {
  return sequence >= sequenceMax ? 1 : sequence + 1
}
