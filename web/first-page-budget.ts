// Fails the build when the script of the first page is larger than its budget.
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plugin, Rolldown } from 'vite'

type Chunk = Rolldown.OutputChunk

// The entry loads it once the language is known.
const consoleFile = '/src/console.tsx'

interface FirstPage {
  readonly files: readonly string[]
  readonly bytesMax: number
}

/** The scripts that a page needs: the entry, the page's own chunks, and their static imports. */
function scriptsOf(chunks: readonly Chunk[], isFirstPage: (chunk: Chunk) => boolean): readonly Chunk[] {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const needed = new Set<Chunk>()
  const queue = chunks.filter(
    (chunk) => chunk.isEntry || isFirstPage(chunk) || chunk.facadeModuleId?.endsWith(consoleFile),
  )
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

/** The number of bytes that are sent for a file: of its compressed copy, if there is one. */
async function bytesOf(path: string, ending: string): Promise<number> {
  const { size } = await stat(path + ending).catch(() => stat(path))
  return size
}

/**
 * The Vite plugin; it must come after the one that compresses. Each of `firstPages` names the files that a first visit
 * draws, by the ends of their paths, and its budget in bytes by gzip: what a browser gets over plain HTTP.
 */
export function firstPageBudget(firstPages: readonly FirstPage[]): Plugin {
  return {
    name: 'first-page-budget',
    apply: 'build',
    writeBundle: {
      order: 'post',
      sequential: true,
      async handler({ dir = '' }, bundle) {
        const chunks = Object.values(bundle).flatMap((output) => (output.type === 'chunk' ? [output] : []))
        for (const { files, bytesMax } of firstPages) {
          // A page that was moved would be missing from the sum.
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
          const bytes = await weigh('.gz')
          const kilobytes = (count: number) => `${(count / 1000).toFixed(1)} kB`
          const size = `${files.join(' and ')}: ${kilobytes(bytes)} of script by gzip at first, ${kilobytes(await weigh('.br'))} by Brotli`
          if (bytes > bytesMax) this.error(`${size}; the budget is ${kilobytes(bytesMax)}`)
          this.info(size)
        }
      },
    },
  }
}
