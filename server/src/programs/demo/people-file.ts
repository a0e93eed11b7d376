// The demo's passwords: made at its first start and stored beside its database, so that the next start can print them.
import { randomInt } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { makeDataDir } from '../../platform/process/data-dir.ts'
import { people } from './plan.ts'

const fileSchema = z.object({
  /** False until the whole demo business was made. */
  isComplete: z.boolean(),
  passwords: z.record(z.string(), z.string()),
})
export type DemoFile = z.infer<typeof fileSchema>

const fileName = 'demo.json'

/** The demo file of this folder; undefined when there is none. */
export async function readDemoFile(dataDir: string): Promise<DemoFile | undefined> {
  try {
    return fileSchema.parse(JSON.parse(await readFile(join(dataDir, fileName), 'utf8')))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export async function writeDemoFile(dataDir: string, file: DemoFile): Promise<void> {
  await makeDataDir(dataDir)
  const path = join(dataDir, fileName)
  await writeFile(`${path}.new`, JSON.stringify(file, undefined, 2), { mode: 0o600 })
  await rename(`${path}.new`, path)
}

// No letters or digits that look alike: people type the passwords from a terminal.
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'

export function newPasswords(): Record<string, string> {
  const word = () => Array.from({ length: 5 }, () => alphabet[randomInt(alphabet.length)]).join('')
  return Object.fromEntries(people.map(({ username }) => [username, `${word()}-${word()}-${word()}`]))
}
