// Limits of processor time, and of what a page takes, were set on one machine. A slower one is given as many times longer.
import { scryptSync } from 'node:crypto'

/**
 * What the hash takes there, computed, not measured: where it took 58 to 70 ms, checking a password and holding messages took
 * 2.8 times as long as there. It needs 16 MB of memory, so it slows down as the work of a database does.
 */
const referenceMs = 21
const hashes = 12

/** How many times longer a processor of this machine works, from 1; waiting for a processor is not counted. */
export function processorFactor(): number {
  const before = process.cpuUsage()
  for (let n = 0; n < hashes; n += 1)
    scryptSync('password', 'salt of 16 bytes', 64, { N: 16_384, r: 8, p: 1 })
  const { user, system } = process.cpuUsage(before)
  return Math.max(1, (user + system) / 1_000 / hashes / referenceMs)
}
