import { languages } from '@tollgate/contract/users/preferences.ts'
import { chooseLanguage, languageNames, readChoices } from '../../language/choices.ts'
import { t } from '../../language/t.ts'

/** Chooses the language where nobody is signed in yet. */
export function LanguageSwitch() {
  const { language: current } = readChoices()
  return (
    <div role="group" aria-label={t('Language')} className="flex gap-0.5">
      {languages.map((language) => (
        <button
          key={language}
          type="button"
          lang={language}
          aria-pressed={language === current}
          onClick={() => chooseLanguage(language)}
          className="inline-flex h-8 items-center rounded-md px-1.5 text-xs text-ink-3 hover:bg-surface-3 hover:text-ink aria-pressed:font-medium aria-pressed:text-ink pointer-coarse:h-11"
        >
          {languageNames[language]}
        </button>
      ))}
    </div>
  )
}
