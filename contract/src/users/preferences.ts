// What each person chooses for the console and for the mails they get. It follows the person to every browser.
import { z } from 'zod'
import { okSchema } from '../fields.ts'
import { routes } from '../route.ts'
import { isTimeZone } from '../zones.ts'

export const languages = ['en', 'he'] as const
export type Language = (typeof languages)[number]

export const themes = ['system', 'light', 'dark'] as const

export const densities = ['normal', 'compact'] as const

/** How figures are grouped: 1,234.50, 1.234,50 or 1 234,50. */
export const numberFormats = ['comma', 'point', 'space'] as const
export type FigureFormat = (typeof numberFormats)[number]

/**
 * The mails that a person may switch off. Those about sign-ins, passwords, second factors, payout addresses and settings
 * that guard money are always sent: they tell the owner what somebody else may have done.
 */
export const mailKinds = ['bills', 'payments', 'overdue', 'auditHead'] as const
export type MailKind = (typeof mailKinds)[number]

const choicesSchema = z.object({
  language: z.enum(languages),
  /** A name of the IANA database, such as Asia/Jerusalem. Billing periods and figures by day stay in UTC. */
  timeZone: z.string().min(1).max(64).refine(isTimeZone, 'Choose a time zone'),
  numberFormat: z.enum(numberFormats),
  theme: z.enum(themes),
  density: z.enum(densities),
  /** Kinds of mail that are not sent to this person. */
  mutedMails: z.array(z.enum(mailKinds)).max(mailKinds.length),
})
export type PreferenceChoices = z.infer<typeof choicesSchema>

/** What holds for somebody who has chosen nothing. */
export const defaultChoices: PreferenceChoices = {
  language: 'en',
  timeZone: 'UTC',
  numberFormat: 'comma',
  theme: 'system',
  density: 'normal',
  mutedMails: [],
}

/** How many settings of screens one person may keep. Beyond it a script could fill the table. */
export const screensMax = 200

const screenName = z.string().regex(/^[a-z][a-z0-9.-]{0,79}$/, 'Use small letters, digits, dots and dashes')

const preferencesSchema = choicesSchema.extend({
  /** Settings of single screens by their names: saved views, columns and the like, as JSON text that only the console reads. */
  screens: z.record(z.string(), z.string()),
  /** Whether the gateway has a mail server; without one no mail is sent to anybody. */
  hasMail: z.boolean(),
})
export type Preferences = z.infer<typeof preferencesSchema>

export const preferencesRoutes = routes({
  getPreferences: {
    method: 'GET',
    path: '/api/user/preferences',
    summary:
      'What one has chosen for the console: language, time zone, looks, mails, and the settings of screens.',
    access: 'signedIn',
    response: preferencesSchema,
  },
  editPreferences: {
    method: 'PATCH',
    path: '/api/user/preferences',
    summary: 'Change some of one’s own choices; those that are not named stay.',
    access: 'signedIn',
    body: choicesSchema.partial(),
    response: preferencesSchema,
  },
  keepScreen: {
    method: 'PUT',
    path: '/api/user/preferences/screens/{name}',
    summary: 'Keep the settings of one screen; an empty text forgets them.',
    access: 'signedIn',
    params: z.object({ name: screenName }),
    body: z.object({ value: z.string().max(8_000, 'At most 8,000 characters') }),
    response: okSchema,
  },
})
