// Who may sign up, and how many: the two settings, and the warning at the start.
import { z } from 'zod'
import { chooseOneOf, schemaMessage } from '@tollgate/contract/schema-messages.ts'
import { sentence, spoken } from '@tollgate/contract/sentences.ts'
import { registrationModes, type RegistrationMode } from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../../platform/db.ts'
import { isLoopback } from '../../platform/addresses/network-of.ts'
import type { Setting, Settings } from '../../settings/index.ts'

export interface RegistrationSettings {
  readonly registration: Setting<RegistrationMode>
  /** New accounts that one network may make in an hour, 1 to 10,000. */
  readonly registrationsPerHour: Setting<number>
}

export function defineRegistration(settings: Settings): RegistrationSettings {
  return {
    registration: settings.define<RegistrationMode>({
      key: 'registration',
      description: 'Who may sign up: open, approval (staff activate the account) or closed.',
      fallback: 'open',
      schema: z.enum(registrationModes, chooseOneOf(registrationModes)),
    }),
    registrationsPerHour: settings.define<number>({
      key: 'registrations_per_hour',
      description: spoken('New accounts that people of one network may make for themselves in an hour'),
      fallback: 30,
      schema: z
        .string()
        .regex(/^\d{1,5}$/, 'Enter a whole number')
        .transform(Number)
        .refine(
          (value) => value >= 1 && value <= 10_000,
          schemaMessage(sentence('From {min} to {max}', { min: '1', max: '10000' })),
        ),
    }),
  }
}

/** The warning for a start that listens on `host` where strangers may sign up; undefined for none. */
export async function registrationAdvice(
  db: Db,
  { registration }: RegistrationSettings,
  host: string,
): Promise<string | undefined> {
  if (isLoopback(host) || (await registration.get(db)) !== 'open') return undefined
  return `anybody who reaches ${host} may sign up; with the setting registration = approval staff activate each account first`
}
