// The link by which a person chooses the first password of an account that staff have made.
import type { Invitation } from '@tollgate/contract/users/users.ts'
import type { Audit } from '../../audit/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import type { Caller } from '../../http/handlers.ts'
import { aboutUser } from '../about-user.ts'
import type { UserRow } from '../accounts/store.ts'
import { linkLifeMs } from './link-rules.ts'
import { hashOfToken, newToken, pathOf } from './link-token.ts'
import { mailInvitation, type ResetMailParts } from './mails.ts'
import { insertLink } from './store.ts'

export interface InviteParts extends ResetMailParts {
  readonly clock: Clock
  readonly audit: Pick<Audit, 'record'>
}

/** Makes the link in the transaction that made the account, and mails it where that is possible. */
export async function invite(
  parts: InviteParts,
  tx: Db,
  user: UserRow,
  { actor, ip }: Caller,
): Promise<Invitation> {
  const token = newToken()
  const path = pathOf(token)
  const at = parts.clock.now()
  const expiresAt = new Date(at.getTime() + linkLifeMs('invitation', user.role))
  const link = await insertLink(tx, {
    user_id: user.id,
    way: 'invitation',
    role: user.role,
    requested_by: actor.userId,
    token_hash: hashOfToken(token),
    requested_at: at,
    expires_at: expiresAt,
  })
  const isMailed = await mailInvitation(parts, tx, user, { path, expiresAt })
  const after = { link, state: 'open', expiresAt: expiresAt.toISOString() }
  await parts.audit.record(tx, { actor, ip, action: 'reset-link.create', ...aboutUser(user.id), after })
  return { path, expiresAt: expiresAt.toISOString(), isMailed }
}
