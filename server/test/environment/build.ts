// Runs once before all tests that start programs: provides the server of the day, beside the one that may be running.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { projectRoot } from '../../src/platform/process/project.ts'

declare module 'vitest' {
  interface ProvidedContext {
    programsFolder: string
  }
}

/** Called by vitest before all tests. @public */
// oxlint-disable-next-line import/no-default-export -- vitest takes a global set-up by its default export only
export default async function build({ provide }: TestProject): Promise<() => Promise<void>> {
  // Inside the project, where the programs find their packages.
  const folder = await mkdtemp(join(projectRoot, 'node_modules', '.tollgate-test-'))
  await promisify(execFile)(process.execPath, [join(projectRoot, 'tools/build.mjs'), '--server-into', folder])
  provide('programsFolder', folder)
  return () => rm(folder, { recursive: true, force: true })
}
