// A folder for what a test writes.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'
import { getCurrentTest } from 'vitest/suite'

/** A folder of its own, removed after the test; after the test file when it is made at the file's top. */
export async function temporaryFolder(): Promise<string> {
  const { folder, remove } = await makeTemporaryFolder()
  if (getCurrentTest() === undefined) afterAll(remove)
  else onTestFinished(remove)
  return folder
}

/** As {@link temporaryFolder}; the caller removes it. */
export async function makeTemporaryFolder(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'tg-'))
  // As root the database runs as another account, which must be able to pass.
  await chmod(folder, 0o711)
  // The database of a killed gateway takes a moment to end.
  return {
    folder,
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
  }
}
