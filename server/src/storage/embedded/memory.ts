// How much of the machine's memory the embedded PostgreSQL may keep pages in.
import { totalmem } from 'node:os'

const mb = 1_048_576
const minMb = 256
// Beyond it a stop after much traffic would take longer, since more pages have to be written.
const maxMb = 4_096

/**
 * The setting `shared_buffers`: an eighth of the memory that this process may use, from 256 MB to 4 GB. A search touches
 * some hundred scattered pages. A page that PostgreSQL does not hold itself costs 20 µs, or 100 µs
 * when the system does not hold it either.
 * `memoryBytes` is the machine's, or the container's where that is less.
 */
export function sharedBuffers(memoryBytes: number = usableBytes()): string {
  const share = Math.floor(memoryBytes / 8 / mb)
  return `${Math.min(maxMb, Math.max(minMb, share))}MB`
}

function usableBytes(): number {
  // 0 or absurdly large where there is no limit.
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}
