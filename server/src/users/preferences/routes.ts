// Everybody's own preferences. They change nothing for anybody else, so they leave no audit entry.
import { Refusal } from '@tollgate/contract/errors.ts'
import { preferencesRoutes, screensMax, type PreferenceChoices } from '@tollgate/contract/preferences.ts'
import type { Db } from '../../platform/db.ts'
import { bindRoutes, type BoundRoutes } from '../../platform/http/handlers.ts'
import { transaction } from '../../platform/transaction.ts'
import { deleteScreen, readPreferences, writeChoices, writeScreen } from './store.ts'

type Changes = { readonly [Key in keyof PreferenceChoices]?: PreferenceChoices[Key] | undefined }

/** The routes of preferences: read all, change some choices, keep the settings of a screen. */
export function bindPreferencesRoutes(db: Db): BoundRoutes {
  return bindRoutes(preferencesRoutes, {
    getPreferences: (_, { actor }) => readPreferences(db, actor.userId),
    editPreferences: ({ body }, { actor }) =>
      transaction(db, async (tx) => {
        const { screens, ...before } = await readPreferences(tx, actor.userId)
        const choices = changed(before, body)
        await writeChoices(tx, actor.userId, choices)
        return { ...choices, screens }
      }),
    async keepScreen({ params, body }, { actor }) {
      if (body.value === '') await deleteScreen(db, actor.userId, params.name)
      else if (!(await writeScreen(db, actor.userId, { ...params, value: body.value, max: screensMax })))
        throw new Refusal('wrong_state', `At most ${screensMax} screens keep their settings.`)
      return {}
    },
  })
}

function changed(before: PreferenceChoices, changes: Changes): PreferenceChoices {
  const named = Object.entries(changes).filter(([, value]) => value !== undefined)
  return { ...before, ...Object.fromEntries(named) }
}
