// The common settings of all connections to upstreams. A link uses new values from its next bind on.
import { z } from 'zod'
import { linkConfigSchema, type LinkConfig } from '@tollgate/contract/connections/interconnection.ts'
import type { Db } from '../platform/db.ts'
import type { Settings } from '../settings/index.ts'

type LinkTimers = Omit<LinkConfig, 'isDelivering'>

/** The keys under which `PUT /api/admin/settings/{key}` takes them too. */
export const linkSettingKeys = {
  enquireLinkSeconds: 'smpp_enquire_link_seconds',
  answerSeconds: 'smpp_answer_seconds',
  sendWindow: 'smpp_send_window',
  retryPauseSeconds: 'smpp_retry_pause_seconds',
} as const satisfies Record<keyof LinkTimers, string>

export const defaultLinkTimers: LinkTimers = {
  enquireLinkSeconds: 30,
  answerSeconds: 30,
  // SMPP 3.4 §2.7 advises a window of at most 10 requests that wait for their answers.
  sendWindow: 10,
  retryPauseSeconds: 60,
}

const descriptions: Readonly<Record<keyof LinkTimers, string>> = {
  enquireLinkSeconds: 'Seconds of silence before a connection is asked whether it is alive.',
  answerSeconds: 'Seconds to wait for the answer to a message that we sent over a connection.',
  sendWindow: 'Messages that wait for their answers on one connection, 1 to 100.',
  retryPauseSeconds: 'The longest pause in seconds between two attempts to connect.',
}

/** Reads the timers as they are now. */
export type LinkSettings = (db: Db) => Promise<LinkTimers>

/** Declares the settings and returns their reader. Call it once. */
export function defineLinkSettings(settings: Pick<Settings, 'define'>): LinkSettings {
  const define = (name: keyof LinkTimers) =>
    settings.define<number>({
      key: linkSettingKeys[name],
      description: descriptions[name],
      fallback: defaultLinkTimers[name],
      schema: z.string().transform((text, context) => {
        const read = linkConfigSchema.shape[name].safeParse(text)
        if (read.success) return read.data
        context.addIssue(read.error.issues[0]?.message ?? 'Enter a whole number')
        return z.NEVER
      }),
    })
  const [enquire, answer, window, pause] = [
    define('enquireLinkSeconds'),
    define('answerSeconds'),
    define('sendWindow'),
    define('retryPauseSeconds'),
  ]
  return async (db) => ({
    enquireLinkSeconds: await enquire.get(db),
    answerSeconds: await answer.get(db),
    sendWindow: await window.get(db),
    retryPauseSeconds: await pause.get(db),
  })
}
