// Front door of the mail slice: an outbox in the database, and the job that hands it to the operator's mail server.
import type { RawBuilder } from 'kysely'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import type { Job } from '../platform/work/jobs.ts'
import type { Logger } from '../platform/log.ts'
import { createDeliver } from './deliver.ts'
import { createSend, type SmtpSettings } from './send.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { placeOfBody } from './sealed-body.ts'
import { insertMails, insertSealedMail, pruneMails, type DailyCap, type NewMail } from './store.ts'

interface MailDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Logger
  readonly secrets: Pick<Secrets, 'seal' | 'open'>
  readonly smtp: SmtpSettings
  /** How long each step of a try may take, 10 s unless given: for tests. */
  readonly timeoutMs?: number
}

export interface Mail {
  readonly jobs: readonly Job[]
  /**
   * Queues plain texts; inside a transaction they exist only if that commits. `mails` is a query that gives event_key
   * (unique: a key that exists is left as it is), recipient, subject and body. Beyond `cap` nothing is queued. Gives how
   * many were.
   */
  enqueue(tx: Db, mails: RawBuilder<unknown>, cap?: DailyCap): Promise<number>
  /** Queues one text that holds a secret: it waits sealed, and is forgotten once it was sent or given up. */
  enqueueSealed(tx: Db, mail: NewMail, cap?: DailyCap): Promise<number>
  /** Sends what is due, as the job does each second. Never throws for what the mail server does. */
  sendDue(): Promise<void>
  /** Forgets mails that ended 30 days ago, as the job does each hour. */
  prune(): Promise<void>
}

const timeoutMs = 10_000
const prunedAtOnce = 5_000

/** Builds the slice; only where a mail server is configured. */
export function createMail(deps: MailDeps): Mail {
  const { db, clock, smtp } = deps
  const deliver = createDeliver({ ...deps, send: createSend(smtp, deps.timeoutMs ?? timeoutMs) })
  async function prune(signal?: AbortSignal): Promise<void> {
    while (signal?.aborted !== true && (await pruneMails(db, clock.now(), prunedAtOnce)) === prunedAtOnce);
  }
  return {
    jobs: [
      { name: 'send-mails', everyMs: 1_000, run: deliver },
      { name: 'prune-mails', everyMs: 3_600_000, run: prune },
    ],
    enqueue: (tx, mails, cap) => insertMails(tx, mails, clock.now(), cap),
    enqueueSealed(tx, { body, ...mail }, cap) {
      const sealedBody = deps.secrets.seal(body, placeOfBody(mail.eventKey))
      return insertSealedMail(tx, { ...mail, sealedBody }, clock.now(), cap)
    },
    sendDue: () => deliver(),
    prune: () => prune(),
  }
}
