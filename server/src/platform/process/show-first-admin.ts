// Hands the first admin's password to whoever starts the gateway.
import { box } from './box.ts'

/** Shown once, on a terminal in a box that nobody overlooks. */
export function showFirstAdmin(username: string, password: string): void {
  const text = process.stdout.isTTY
    ? `${box([
        ['First admin', username],
        ['Password', password],
      ])}\nShown this once.`
    : `First admin: ${username}, password ${password} (shown once)`
  process.stdout.write(`${text}\n`)
}
