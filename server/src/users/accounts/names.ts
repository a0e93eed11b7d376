// Usernames that may not be chosen: those that suggest the operator, and those that look like another account's.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Role } from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../../platform/db.ts'
import { hasLookAlike } from './store.ts'

// Names that suggest the operator (RFC 2142 lists some), and words of our own screens and logs.
const reserved =
  `abuse accounting admin administrator anonymous api audit billing finance gateway helpdesk hostmaster ledger
  login mailer-daemon moderator monitoring nobody noc no-reply noreply official operator owner password payments payouts
  postmaster register root sales security smpp staff superuser support support-team supportteam sysadmin sysop system
  tollgate webmaster www`.split(/\s+/)

/** The username, in any case, belongs to another account or looks like one that does. */
export function taken(): Refusal {
  return new Refusal('taken', 'This username is taken. Choose another one.', {
    fields: { username: 'This username is taken' },
  })
}

/** Throws Refusal invalid for a name that mixes alphabets, whose letters can look alike. */
function refuseMixedScripts(username: string): void {
  const scripts = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u]
  if (scripts.filter((script) => script.test(username)).length <= 1) return
  throw new Refusal('invalid', 'The username mixes alphabets. Use letters of one of them.', {
    fields: { username: 'Use letters of one alphabet' },
  })
}

/**
 * Throws Refusal taken when the name looks like another account's (Unicode TS 39), or like a reserved one, which only an
 * admin gives, and only to a new account: a person whom others know would become the operator. Throws Refusal invalid when
 * it mixes alphabets. `ownId` is the account that is renamed. Call it under `lockNames` before a name is stored.
 */
export async function refuseName(
  tx: Db,
  username: string,
  by: { readonly role: Role | undefined; readonly ownId?: number },
): Promise<void> {
  refuseMixedScripts(username)
  const names = by.role === 'admin' && by.ownId === undefined ? [] : reserved
  if (await hasLookAlike(tx, username, names, by.ownId)) throw taken()
}
