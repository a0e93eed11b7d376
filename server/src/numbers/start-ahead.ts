// When a rate or a tariff may start.
import { Refusal } from '@tollgate/contract/errors.ts'
import { labelled, spoken } from '@tollgate/contract/sentences.ts'

const aheadMinMs = 60_000
const aheadMaxMs = 366 * 86_400_000

/** A chosen start. Throws Refusal invalid with `fields.startsAt` when it is less than a minute or more than a year after `now`. */
export function startAhead(startsAt: string, now: Date): Date {
  const start = new Date(startsAt)
  const ahead = start.getTime() - now.getTime()
  if (ahead < aheadMinMs || ahead > aheadMaxMs) {
    const fault = spoken('Choose a time from one minute to one year ahead')
    throw new Refusal('invalid', labelled('startsAt', fault), { fields: { startsAt: fault } })
  }
  return start
}
