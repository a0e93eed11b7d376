// Where databases of tests lie.
import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const memory = '/dev/shm'

/** In memory where Linux has so much room there: on a disk, making and dropping a database takes ten times as long. */
export function quickFolder(roomBytes: number): string {
  try {
    const { bavail, bsize } = statfsSync(memory)
    if (bavail * bsize > roomBytes) return memory
  } catch {
    // Not Linux.
  }
  return tmpdir()
}
