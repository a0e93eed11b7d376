// Fails the build when the first page's script outgrows its budget, so that nobody finds out from a slow phone.
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plugin, Rolldown } from 'vite'

type Chunk = Rolldown.OutputChunk

/** The scripts a page needs: the entry, the page's own chunks, and what they import statically. */
function scriptsOf(chunks: readonly Chunk[], isFirstPage: (chunk: Chunk) => boolean): readonly Chunk[] {
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
  return [...needed]
}

/** What is sent of a file: the compressed one beside it, where there is one. */
async function bytesOf(path: string, ending: string): Promise<number> {
  const { size } = await stat(path + ending).catch(() => stat(path))
  return size
}

/**
 * The Vite plugin, after the one that compresses: each of `firstPages` names the files that a first visit draws, by
 * the ends of their paths; `bytesMax` is of Brotli.
 */
export function firstPageBudget(firstPages: readonly (readonly string[])[], bytesMax: number): Plugin {
  return {
    name: 'first-page-budget',
    apply: 'build',
    writeBundle: {
      order: 'post',
      sequential: true,
      async handler({ dir = '' }, bundle) {
        const chunks = Object.values(bundle).flatMap((output) => (output.type === 'chunk' ? [output] : []))
        for (const files of firstPages) {
          // A page that has moved would weigh nothing.
          for (const file of files)
            if (!chunks.some(({ facadeModuleId }) => facadeModuleId?.endsWith(file)))
              this.error(`${file} is in no chunk of its own: name the first page's files anew`)
          const scripts = scriptsOf(chunks, ({ facadeModuleId }) =>
            files.some((file) => facadeModuleId?.endsWith(file)),
          )
          const weigh = async (ending: string) => {
            const sizes = await Promise.all(
              scripts.map(({ fileName }) => bytesOf(join(dir, fileName), ending)),
            )
            return sizes.reduce((sum, size) => sum + size, 0)
          }
          const bytes = await weigh('.br')
          const kilobytes = (count: number) => `${(count / 1000).toFixed(1)} kB`
          const size = `${files.join(' and ')}: ${kilobytes(bytes)} of compressed script at first, ${kilobytes(await weigh('.gz'))} by gzip`
          if (bytes > bytesMax) this.error(`${size}; the budget is ${kilobytes(bytesMax)}`)
          this.info(size)
        }
      },
    },
  }
}
