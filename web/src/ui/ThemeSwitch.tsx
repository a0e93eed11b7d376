import { Moon, Sun, SunMoon } from 'lucide-react'
import { IconButton } from './IconButton.tsx'
import type { Theme } from '../language/choices.ts'
import { chooseTheme, themeWords, useTheme } from './theme.ts'
import { t } from '../language/t.ts'

const icons: Record<Theme, typeof Sun> = { system: SunMoon, light: Sun, dark: Moon }

/** Switches between system, light and dark. */
export function ThemeSwitch({ hasLabel = false }: { hasLabel?: boolean }) {
  const { theme, next } = useTheme()
  const Icon = icons[theme]
  if (!hasLabel)
    return (
      <IconButton
        icon={Icon}
        label={t('Theme: {theme}. Switch to {next}', { theme: themeWords[theme], next: themeWords[next] })}
        isStep
        side="right"
        onClick={() => chooseTheme(next)}
      />
    )
  return (
    <button
      type="button"
      onClick={() => chooseTheme(next)}
      className="inline-flex h-8 items-center gap-2 rounded-md px-1.5 text-xs text-ink-3 hover:bg-surface-3 hover:text-ink pointer-coarse:h-11"
    >
      <Icon size={16} strokeWidth={1.6} aria-hidden="true" />
      {t('Theme: {theme}', { theme: themeWords[theme] })}
    </button>
  )
}
