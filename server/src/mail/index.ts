// Entry of the mail slice: an outbox in the database, and a job that sends it through the operator's mail server.
import type { RawBuilder } from 'kysely'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import type { Job } from '../platform/work/jobs.ts'
import type { Logger } from '../platform/log.ts'
import { createDeliver } from './deliver.ts'
import { createSend, type SmtpSettings } from './send.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { bodyContext } from './encrypted-body.ts'
import { insertMails, insertEncryptedMail, pruneMails, type DailyCap, type NewMail } from './store.ts'

interface MailDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Logger
  readonly secrets: Pick<Secrets, 'encrypt' | 'decrypt'>
  readonly smtp: SmtpSettings
  /** How long each step of an attempt may take; 10 s by default. For tests. */
  readonly timeoutMs?: number
}

export interface Mail {
  readonly jobs: readonly Job[]
  /**
   * Queues plain texts; in a transaction they are queued only if it commits. `mails` is a query that returns event_key,
   * recipient, subject and body. A mail whose event_key exists already is skipped. Beyond `cap` nothing is queued. Returns
   * how many were queued.
   */
  enqueue(tx: Db, mails: RawBuilder<unknown>, cap?: DailyCap): Promise<number>
  /** Queues one text that contains a secret: it is stored encrypted, and deleted once it was sent or has failed. */
  enqueueEncrypted(tx: Db, mail: NewMail, cap?: DailyCap): Promise<number>
  /** Sends the mails that are due, as the job does each second. Never throws because of the mail server. */
  sendDue(): Promise<void>
  /** Deletes mails that were sent or failed 30 days ago, as the job does each hour. */
  prune(): Promise<void>
}

const timeoutMs = 10_000
const prunePageSize = 5_000

/** Builds the slice; only where a mail server is configured. */
export function createMail(deps: MailDeps): Mail {
  const { db, clock, smtp } = deps
  const deliver = createDeliver({ ...deps, send: createSend(smtp, deps.timeoutMs ?? timeoutMs) })
  async function prune(signal?: AbortSignal): Promise<void> {
    while (signal?.aborted !== true && (await pruneMails(db, clock.now(), prunePageSize)) === prunePageSize);
  }
  return {
    jobs: [
      { name: 'send-mails', everyMs: 1_000, run: deliver },
      { name: 'prune-mails', everyMs: 3_600_000, run: prune },
    ],
    enqueue: (tx, mails, cap) => insertMails(tx, mails, clock.now(), cap),
    enqueueEncrypted(tx, { body, ...mail }, cap) {
      const encryptedBody = deps.secrets.encrypt(body, bodyContext(mail.eventKey))
      return insertEncryptedMail(tx, { ...mail, encryptedBody }, clock.now(), cap)
    },
    sendDue: () => deliver(),
    prune: () => prune(),
  }
}
