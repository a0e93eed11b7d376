// The preferences of the signed-in person: read once the session is known, then kept in step with this browser.
import { useQueryClient } from '@tanstack/react-query'
import { preferencesRoutes, type Preferences } from '@tollgate/contract/users/preferences.ts'
import { useEffect, useLayoutEffect } from 'react'
import { keepChoices, takeChosenLanguage } from '../language/choices.ts'
import { closeSettings, openSettings, takeSettings } from '../ui/screen-settings.ts'
import { applyTheme, onThemeChosen } from '../ui/theme.ts'
import { call } from './call.ts'
import { useUser } from './session.tsx'
import { keyOf, useApiQuery } from './use-api.ts'

/** Takes the account's preferences over to this browser, and what is chosen here to the account. */
export function usePreferencesInStep(): void {
  const { id } = useUser()
  const client = useQueryClient()
  const { data } = useApiQuery(preferencesRoutes.getPreferences)
  // Before the page is painted, so that nothing is chosen among the settings of somebody else.
  useLayoutEffect(() => {
    openSettings(id, keepScreen)
    return closeSettings
  }, [id])
  useEffect(() => {
    if (!data) return
    const language = takeChosenLanguage()
    if (language === undefined || language === data.language) return takeOver(data)
    // When the call fails, the account's own language stays.
    void call(preferencesRoutes.editPreferences, { body: { language } })
      .then((answer) => client.setQueryData(keyOf(preferencesRoutes.getPreferences), answer))
      .catch(() => takeOver(data))
  }, [client, data])
  useEffect(() => {
    return onThemeChosen((theme) => {
      // When the call fails, the theme holds in this browser alone.
      void call(preferencesRoutes.editPreferences, { body: { theme } })
        .then((answer) => client.setQueryData(keyOf(preferencesRoutes.getPreferences), answer))
        .catch(() => undefined)
    })
  }, [client])
}

// When the call fails, the setting holds in this browser alone.
function keepScreen(name: string, value: string): void {
  void call(preferencesRoutes.keepScreen, { params: { name }, body: { value } }).catch(() => undefined)
}

function takeOver(preferences: Preferences): void {
  applyTheme(preferences.theme)
  takeSettings(preferences.screens)
  // Words, zone and figures are set before the console is loaded.
  if (keepChoices(preferences)) window.location.reload()
}
