// Light, dark, or the system's choice. index.html applies the stored theme before the first paint.
import { themes, type Theme } from '../language/choices.ts'
import { useSyncExternalStore } from 'react'
import { t } from '../language/t.ts'

/** The themes in running text. */
export const themeWords: Readonly<Record<Theme, string>> = {
  system: t('system'),
  light: t('light'),
  dark: t('dark'),
}

const key = 'tollgate.theme'
const listeners = new Set<() => void>()

function read(): Theme {
  try {
    const kept = localStorage.getItem(key)
    return kept === 'light' || kept === 'dark' ? kept : 'system'
  } catch {
    // Storage blocked: the system decides.
    return 'system'
  }
}

let theme = read()
const systemDark = window.matchMedia('(prefers-color-scheme: dark)')

function paint(): void {
  const isDark = theme === 'system' ? systemDark.matches : theme === 'dark'
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light'
  for (const listener of listeners) listener()
}

systemDark.addEventListener('change', paint)

const choiceListeners = new Set<(theme: Theme) => void>()

/** Calls `listener` when a person chooses a theme. Returns a function that stops it. */
export function onThemeChosen(listener: (theme: Theme) => void): () => void {
  choiceListeners.add(listener)
  return () => choiceListeners.delete(listener)
}

/** Sets and stores the theme that a person chose. */
export function chooseTheme(next: Theme): void {
  applyTheme(next)
  for (const listener of choiceListeners) listener(next)
}

/** Sets and stores the theme. */
export function applyTheme(next: Theme): void {
  if (next === theme) return
  theme = next
  try {
    if (next === 'system') localStorage.removeItem(key)
    else localStorage.setItem(key, next)
  } catch {
    // Storage blocked: the choice holds for this visit.
  }
  paint()
}

/** The current theme and the next one. */
export function useTheme(): { theme: Theme; next: Theme } {
  const current = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => theme,
  )
  return { theme: current, next: themes[(themes.indexOf(current) + 1) % themes.length] ?? 'system' }
}
