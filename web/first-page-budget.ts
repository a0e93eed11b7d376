// Fails the build when the first page's script outgrows its budget, so that nobody finds out from a slow phone.
import { gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

/** The part of a Rollup chunk that the count needs. */
export interface Chunk {
  readonly fileName: string
  readonly code: string
  readonly isEntry: boolean
  readonly imports: readonly string[]
  readonly facadeModuleId: string | null
}

/** Compressed bytes of the scripts a page needs: the entry, the page's own chunk, and what they import statically. */
export function firstPageBytes(chunks: readonly Chunk[], isFirstPage: (chunk: Chunk) => boolean): number {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const needed = new Set<Chunk>()
  const queue = chunks.filter((chunk) => chunk.isEntry || isFirstPage(chunk))
  for (let chunk = queue.pop(); chunk; chunk = queue.pop()) {
    if (needed.has(chunk)) continue
    needed.add(chunk)
    for (const name of chunk.imports) {
      const imported = byName.get(name)
      if (imported) queue.push(imported)
    }
  }
  return [...needed].reduce((sum, chunk) => sum + gzipSync(chunk.code).length, 0)
}

/** The Vite plugin: each of `firstPages` names the files that a first visit draws, by the ends of their paths. */
export function firstPageBudget(firstPages: readonly (readonly string[])[], bytesMax: number): Plugin {
  return {
    name: 'first-page-budget',
    apply: 'build',
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).flatMap((output) => (output.type === 'chunk' ? [output] : []))
      for (const files of firstPages) {
        // A page that has moved would weigh nothing.
        for (const file of files)
          if (!chunks.some(({ facadeModuleId }) => facadeModuleId?.endsWith(file)))
            this.error(`${file} is in no chunk of its own: name the first page's files anew`)
        const bytes = firstPageBytes(chunks, (chunk) =>
          files.some((file) => chunk.facadeModuleId?.endsWith(file)),
        )
        const size = `${files.join(' and ')}: ${(bytes / 1000).toFixed(1)} kB of compressed script at first`
        if (bytes > bytesMax) this.error(`${size}; the budget is ${bytesMax / 1000} kB`)
        this.info(size)
      }
    },
  }
}
