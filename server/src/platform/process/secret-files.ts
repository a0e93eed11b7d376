// Secrets that are given as files: NAME_FILE names one, and systemd hands them over in CREDENTIALS_DIRECTORY.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartFailure } from './start-failure.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The settings that hold a secret. */
const secretSettings = [
  'SECRET_KEY',
  'ADMIN_PASSWORD',
  'DATABASE_URL',
  'MIGRATION_DATABASE_URL',
  'DATABASE_READ_URL',
  'SMTP_URL',
  'TRON_API_KEY',
  'METRICS_TOKEN',
] as const

/**
 * The environment with each secret that a file gives instead. A variable goes before its file, and that one before systemd's.
 * Throws StartFailure for a file that cannot be read, and for a variable beside its file.
 */
export function withSecretFiles(environment: Environment): Environment {
  const folder = environment['CREDENTIALS_DIRECTORY']
  const found: Record<string, string> = {}
  for (const name of secretSettings) {
    const path = environment[`${name}_FILE`]?.trim()
    const isGiven = (environment[name] ?? '') !== ''
    if (path !== undefined && path !== '') {
      if (isGiven) throw new StartFailure(`${name} and ${name}_FILE are both given: keep one of them.`)
      found[name] = readSecret(path, `${name}_FILE=${path}`)
    } else if (!isGiven && folder !== undefined) {
      const given = findCredential(folder, name)
      if (given !== undefined) found[name] = given
    }
  }
  return { ...environment, ...found }
}

/** systemd puts the name of a loaded folder before those of its files. */
function findCredential(folder: string, name: string): string | undefined {
  for (const path of [join(folder, name), join(folder, `tollgate_${name}`)])
    try {
      return withoutLineEnd(readFileSync(path, 'utf8'))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT') throw new StartFailure(`The credential ${path} cannot be read (${code}).`)
    }
  return undefined
}

function readSecret(path: string, shown: string): string {
  try {
    return withoutLineEnd(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new StartFailure(
      `${shown} cannot be read (${(error as NodeJS.ErrnoException).code}). Let the account of Tollgate read that file.`,
    )
  }
}

const withoutLineEnd = (text: string) => text.replace(/\r?\n$/, '')
