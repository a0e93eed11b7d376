// Compares the files that were written with the server's manifest, which lists each file of a base backup with its hash.
import { createHash } from 'node:crypto'

export interface CopiedFile {
  /** Below the data folder, with slashes. */
  readonly path: string
  readonly size: number
  readonly sha256: string
}

interface Manifest {
  readonly Files: readonly {
    readonly Path?: string
    readonly 'Encoded-Path'?: string
    readonly Size: number
    readonly Checksum?: string
  }[]
  readonly 'Manifest-Checksum': string
}

/** Throws an Error that names the first file that is missing, different, or not in the list. */
export function checkManifest(text: string, copied: readonly CopiedFile[]): void {
  const manifest = JSON.parse(text) as Manifest
  // The last line holds the hash of all lines before it.
  const signed = text.slice(0, text.lastIndexOf('"Manifest-Checksum"'))
  if (createHash('sha256').update(signed).digest('hex') !== manifest['Manifest-Checksum'])
    throw new Error('The backup is not whole: its manifest is damaged')
  const byPath = new Map(copied.map((file) => [file.path, file]))
  for (const listed of manifest.Files) {
    const path = listed.Path ?? Buffer.from(listed['Encoded-Path'] ?? '', 'hex').toString('utf8')
    const file = byPath.get(path)
    if (file === undefined) throw new Error(`The backup is not whole: ${path} is missing`)
    if (file.size !== listed.Size || file.sha256 !== listed.Checksum)
      throw new Error(`The backup is not whole: ${path} is not what the database sent`)
    byPath.delete(path)
  }
  // The WAL is not in the list, since it grows until the end; its segments have checksums of their own.
  for (const path of byPath.keys())
    if (!path.startsWith('pg_wal/'))
      throw new Error(`The backup holds ${path}, which the database did not list`)
}
