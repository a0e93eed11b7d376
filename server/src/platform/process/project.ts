// The project's own folder and version. The code runs both from its sources and from a bundle in dist/.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

function findRoot(): string {
  let folder = import.meta.dirname
  while (!existsSync(join(folder, 'server', 'migrations'))) {
    const above = dirname(folder)
    if (above === folder)
      throw new Error('The project folder (with server/migrations in it) is not above this file')
    folder = above
  }
  return folder
}

/** The folder of the clone. */
export const projectRoot = findRoot()

const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
  readonly version: string
  readonly scripts?: object
}

/** The version of package.json. */
export const version: string = manifest.version

/** Whether this is an unpacked release, which has no scripts of npm: its commands are those of bin/tollgate. */
export const isRelease = manifest.scripts === undefined

export const migrationsFolder = join(projectRoot, 'server', 'migrations')
export const consoleFolder = join(projectRoot, 'web', 'dist')
