// The preferences of the signed-in person: read once the session is known, then kept in step with this browser.
import { useQueryClient } from '@tanstack/react-query'
import { preferencesRoutes, type Preferences } from '@tollgate/contract/preferences.ts'
import { useEffect } from 'react'
import { keepChoices } from '../language/choices.ts'
import { connectSettings, disconnectSettings } from '../ui/screen-settings.ts'
import { applyTheme, onThemeChosen } from '../ui/theme.ts'
import { call } from './call.ts'
import { useUser } from './session.tsx'
import { keyOf, useApiQuery } from './use-api.ts'

/** Takes the account's preferences over to this browser, and what is chosen here to the account. */
export function usePreferencesInStep(): void {
  const { id } = useUser()
  const client = useQueryClient()
  const { data } = useApiQuery(preferencesRoutes.getPreferences)
  useEffect(() => {
    if (data) takeOver(id, data)
  }, [id, data])
  useEffect(() => {
    const stop = onThemeChosen((theme) => {
      // When the call fails, the theme holds in this browser alone.
      void call(preferencesRoutes.editPreferences, { body: { theme } })
        .then((answer) => client.setQueryData(keyOf(preferencesRoutes.getPreferences), answer))
        .catch(() => undefined)
    })
    return () => {
      stop()
      disconnectSettings()
    }
  }, [client])
}

function takeOver(userId: number, preferences: Preferences): void {
  applyTheme(preferences.theme)
  connectSettings(userId, preferences.screens, (name, value) => {
    void call(preferencesRoutes.keepScreen, { params: { name }, body: { value } }).catch(() => undefined)
  })
  // Words, zone and figures are set before the console is loaded.
  if (keepChoices(preferences)) window.location.reload()
}
