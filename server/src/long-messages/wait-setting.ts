// How long a long message waits for its segments.
import { z } from 'zod'
import { schemaMessage } from '@tollgate/contract/schema-messages.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { Db } from '../platform/db.ts'
import type { Settings } from '../settings/index.ts'

const minuteMs = 60_000
const waitMinutesDefault = 10
const waitMinutesMax = 1_440

/** Declares the setting and returns its reader, in milliseconds. Call it once. */
export function defineMessageWait(settings: Pick<Settings, 'define'>): (db: Db) => Promise<number> {
  const setting = settings.define({
    key: 'message_wait_minutes',
    description:
      'How many minutes a long message waits for its next part. Then message.completed tells what came, with the missing parts.',
    fallback: waitMinutesDefault,
    schema: z.coerce
      .number<string>('Enter a whole number of minutes')
      .int('Enter a whole number of minutes')
      .min(1, schemaMessage(sentence('At least 1 minute')))
      .max(
        waitMinutesMax,
        schemaMessage(sentence('At most 1440 minutes: no message waits longer than a day')),
      ),
  })
  return async (db) => (await setting.get(db)) * minuteMs
}
