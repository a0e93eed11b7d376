// Sends what waits, and writes down what came of it. A mail is claimed before and marked after it is sent: who is
// killed between the two sends it again, since a mail twice is better than none.
import { Counter } from 'prom-client'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import type { Logger } from '../platform/log.ts'
import { registry } from '../platform/metrics.ts'
import { pauseAfterMs } from './backoff.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { bodyContext } from './encrypted-body.ts'
import { isServerFault, type Send, type SmtpSettings } from './send.ts'
import { claimDue, markFailed, markSent, type DueMail } from './store.ts'

const sentCount = new Counter({
  name: 'tollgate_mails_sent_total',
  help: 'Mails that the mail server has taken.',
  registers: [registry],
})
const failedCount = new Counter({
  name: 'tollgate_mails_failed_total',
  help: 'Mails that were given up after two days of tries.',
  registers: [registry],
})

// Small mail servers take few connections at a time from one peer.
const atOnce = 4
// Longer than a try can take, so that no two nodes send one mail.
const claimMs = 120_000
// The pause after a fault of the server, so that not every waiting mail tries it again.
const serverPauseMs = 30_000
const failureLengthMax = 300

interface DeliverDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Logger
  readonly smtp: SmtpSettings
  readonly send: Send
  readonly secrets: Pick<Secrets, 'decrypt'>
}

/** Returns a function that sends mails until none is due or the server fails. */
export function createDeliver(deps: DeliverDeps): (signal?: AbortSignal) => Promise<void> {
  const { db, clock } = deps
  let pausedUntil = new Date(0)
  return async (signal) => {
    while (signal?.aborted !== true && clock.now() >= pausedUntil) {
      const now = clock.now()
      const due = await claimDue(db, now, new Date(now.getTime() + claimMs), atOnce)
      if (due.length === 0) return
      const faults = await Promise.all(due.map((mail) => deliverOne(deps, mail)))
      if (faults.includes(true)) pausedUntil = new Date(clock.now().getTime() + serverPauseMs)
    }
  }
}

/** Sends one mail. Returns true when the server failed, not this mail. */
async function deliverOne(
  { db, clock, log, smtp, send, secrets }: DeliverDeps,
  mail: DueMail,
): Promise<boolean> {
  const { id, recipient, subject, attempts, created_at } = mail
  const domain = smtp.from.address.split('@')[1] ?? ''
  const messageId = `<tollgate.${id}.${created_at.getTime()}@${domain}>`
  try {
    await send({ messageId, recipient, subject, body: bodyOf(mail, secrets) })
  } catch (error) {
    const failure = (error instanceof Error ? error.message : String(error))
      .replace(/\s+/g, ' ')
      .slice(0, failureLengthMax)
    const pauseMs = pauseAfterMs(attempts, Math.random())
    const now = clock.now()
    await markFailed(db, mail, failure, pauseMs === undefined ? null : new Date(now.getTime() + pauseMs), now)
    if (pauseMs === undefined) failedCount.inc()
    log.warn(
      { mail: id, attempts, failure },
      pauseMs === undefined ? 'a mail was given up' : 'a mail was not taken; it is tried again',
    )
    return isServerFault(error)
  }
  sentCount.inc()
  await markSent(db, id, clock.now())
  return false
}

/** The mail's text. A text that this node cannot decrypt is a fault of the mail, not of the server. */
function bodyOf(
  { event_key: eventKey, body, encrypted_body: encrypted }: DueMail,
  secrets: Pick<Secrets, 'decrypt'>,
) {
  if (encrypted === null) return body
  try {
    return secrets.decrypt(encrypted, bodyContext(eventKey)).toString('utf8')
  } catch (cause) {
    const fault = new Error('The text was encrypted with a key that this node does not have.', { cause })
    throw Object.assign(fault, { code: 'EMESSAGE' })
  }
}
