// Hands the first admin's password to whoever starts the gateway.
import type { Logger } from '../log.ts'
import { box } from './box.ts'
import type { Config } from './config.ts'

/** Shown once: on a terminal in a box that nobody overlooks, where the log is JSON as a line of it. */
export function showFirstAdmin(
  { username, password }: { readonly username: string; readonly password: string },
  logFormat: Config['logFormat'],
  log: Pick<Logger, 'warn'>,
): void {
  const line = `First admin: ${username}, password ${password} (shown once)`
  if (logFormat === 'json') return log.warn({}, line)
  const text = process.stdout.isTTY
    ? `${box([
        ['First admin', username],
        ['Password', password],
      ])}\nShown this once.`
    : line
  process.stdout.write(`${text}\n`)
}
