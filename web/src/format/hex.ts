/** An octet as the SMPP specification writes it: 0x4F. */
export function hexOctet(value: number): string {
  return `0x${value.toString(16).padStart(2, '0').toUpperCase()}`
}
