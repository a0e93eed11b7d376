import { z } from 'zod'

/** The start of a rate as a field of date and time in UTC: empty is now, which sends nothing. */
export const rateStartSchema = z.string().transform((text) => (text === '' ? undefined : `${text}:00Z`))
