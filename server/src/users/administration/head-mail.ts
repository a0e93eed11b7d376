// Mails the published head of the audit log to the admins. With a kept mail anybody can prove that the log was rewritten.
import { sql } from 'kysely'
import { z } from 'zod'
import { spoken } from '@tollgate/contract/sentences.ts'
import { chooseOneOf } from '@tollgate/contract/schema-messages.ts'
import { switchStates, type SwitchState } from '@tollgate/contract/vocabulary.ts'
import type { Mail } from '../../mail/index.ts'
import type { Db } from '../../platform/db.ts'
import type { Settings } from '../../settings/index.ts'

/**
 * Declares the setting `audit_head_mail` and returns the function that queues the mails in the transaction that publishes
 * the head. Nothing is queued where no mail server is configured, or for admins without an address.
 */
export function createHeadMail(
  settings: Settings,
  mail: Pick<Mail, 'enqueue'> | undefined,
): (tx: Db, line: string, at: Date) => Promise<void> {
  const setting = settings.define<SwitchState>({
    key: 'audit_head_mail',
    description: spoken('Whether admins get the signed head of the audit log by mail each day: on or off.'),
    fallback: 'on',
    schema: z.enum(switchStates, chooseOneOf(switchStates)),
  })
  return async (tx, line, at) => {
    if (mail === undefined || (await setting.get(tx)) === 'off') return
    const day = at.toISOString().slice(0, 10)
    const body = [
      'The audit log stood at this entry when the line below was signed:',
      '',
      line,
      '',
      'Keep this mail. If the log is ever rewritten, the line proves it:',
      'npm run verify-audit -- FILE --heads THIS_MAIL',
      '',
    ].join('\n')
    await mail.enqueue(
      tx,
      sql`select ${`audit-head-${day}-`} || id as event_key, email as recipient, ${`Audit log, ${day}`} as subject,
            ${body} as body
          from users where role = 'admin' and status = 'active' and email <> ''
            and wants_mail(id, 'auditHead')`,
    )
  }
}
