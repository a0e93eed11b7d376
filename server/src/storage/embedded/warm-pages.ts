// Lets a server that starts again have the same pages in memory as before.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Makes PostgreSQL save every five minutes, and when it stops, which pages it holds, and read them again after a start
 * (decision 13). `programs` is the folder from {@link prepareBinaries}; without the library nothing is set, since a
 * server that cannot load one does not start.
 */
export async function warmSettings(programs: string): Promise<Readonly<Record<string, string>>> {
  const libraries = await readdir(join(programs, '..', 'lib', 'postgresql')).catch(() => [])
  return libraries.some((name) => name.startsWith('pg_prewarm.'))
    ? { shared_preload_libraries: 'pg_prewarm' }
    : {}
}
