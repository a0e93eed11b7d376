// Everybody's own preferences. They change nothing for anybody else, so they leave no audit entry.
import { Refusal } from '@tollgate/contract/errors.ts'
import {
  preferencesRoutes,
  screensMax,
  type PreferenceChoices,
} from '@tollgate/contract/users/preferences.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { Db } from '../../platform/db.ts'
import { bindRoutes, type BoundRoutes } from '../../http/handlers.ts'
import { transaction } from '../../platform/transaction.ts'
import { deleteScreen, readPreferences, writeChoices, writeScreen } from './store.ts'

/** The routes of preferences: read all, change some choices, keep the settings of a screen. */
export function bindPreferencesRoutes(db: Db, hasMail: boolean): BoundRoutes {
  return bindRoutes(preferencesRoutes, {
    getPreferences: async (_, { actor }) => ({ ...(await readPreferences(db, actor.userId)), hasMail }),
    editPreferences: ({ body }, { actor }) =>
      transaction(db, async (tx) => {
        const { screens, ...before } = await readPreferences(tx, actor.userId)
        const choices: PreferenceChoices = {
          language: body.language ?? before.language,
          timeZone: body.timeZone ?? before.timeZone,
          numberFormat: body.numberFormat ?? before.numberFormat,
          theme: body.theme ?? before.theme,
          density: body.density ?? before.density,
          mutedMails: body.mutedMails ?? before.mutedMails,
        }
        await writeChoices(tx, actor.userId, choices)
        return { ...choices, screens, hasMail }
      }),
    async keepScreen({ params, body }, { actor }) {
      if (body.value === '') await deleteScreen(db, actor.userId, params.name)
      else if (!(await writeScreen(db, actor.userId, { ...params, value: body.value, max: screensMax })))
        throw new Refusal(
          'wrong_state',
          sentence('At most {count} screens keep their settings.', { count: screensMax }),
        )
    },
  })
}
