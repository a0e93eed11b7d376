// Language, time zone, figures and looks of the console, and the mails that one does without.
import {
  mailKinds,
  languages,
  preferencesRoutes,
  type MailKind,
  type PreferenceChoices,
  type Preferences,
} from '@tollgate/contract/users/preferences.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Unfetched } from '../../api/FetchFailure.tsx'
import { SaveFailure } from '../../api/SaveFailure.tsx'
import { useSession } from '../../api/session.tsx'
import { keyOf, useApiMutation, useApiQuery } from '../../api/use-api.ts'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { SelectField, type Option } from '../../ui/Field.tsx'
import { PageForm } from '../../ui/PageForm.tsx'
import { languageNames } from '../../language/choices.ts'
import { t } from '../../language/t.ts'
import { zoneOptions } from '../../language/zone-options.ts'

const languageOptions: readonly Option[] = languages.map((value) => ({ value, label: languageNames[value] }))
const numberOptions: readonly Option[] = [
  { value: 'comma', label: '1,234.50' },
  { value: 'point', label: '1.234,50' },
  { value: 'space', label: '1 234,50' },
]
const themeOptions: readonly Option[] = [
  { value: 'system', label: t('As the system') },
  { value: 'light', label: t('Light') },
  { value: 'dark', label: t('Dark') },
]
const densityOptions: readonly Option[] = [
  { value: 'normal', label: t('Normal') },
  { value: 'compact', label: t('Compact') },
]
const mailLabels: Readonly<Record<MailKind, string>> = {
  bills: t('Bills and payouts that were made'),
  payments: t('Bills and payouts that were paid'),
  overdue: t('Overdue payments, once a week'),
  auditHead: t('The signed head of the audit log, each day'),
}

export function PreferencesTab() {
  const preferences = useApiQuery(preferencesRoutes.getPreferences)
  if (preferences.error || !preferences.data)
    return <Unfetched of={preferences} title={t('Failed to fetch your preferences')} className="h-40" />
  return <PreferencesForm saved={preferences.data} />
}

function PreferencesForm({ saved }: { saved: Preferences }) {
  const client = useQueryClient()
  const { may } = useSession()
  const [changes, setChanges] = useState<Partial<PreferenceChoices>>({})
  const save = useApiMutation(preferencesRoutes.editPreferences, {
    success: t('Preferences saved'),
    failure: t('Failed to save your preferences'),
    isShownInPlace: true,
    onSuccess: (answer) => {
      setChanges({})
      client.setQueryData(keyOf(preferencesRoutes.getPreferences), answer)
    },
  })
  const choices = { ...saved, ...changes }
  const select = <Key extends 'language' | 'timeZone' | 'numberFormat' | 'theme' | 'density'>(key: Key) => ({
    value: choices[key],
    onChange: (event: { target: { value: string } }) =>
      setChanges({ ...changes, [key]: event.target.value as PreferenceChoices[Key] }),
  })
  const kinds = mailKinds.filter((kind) => isMailed(kind, may))
  const setSubscribed = (kind: MailKind, isSubscribed: boolean) => {
    const others = choices.mutedMails.filter((muted) => muted !== kind)
    setChanges({ ...changes, mutedMails: isSubscribed ? others : [...others, kind] })
  }
  return (
    <PageForm
      isDirty={Object.keys(changes).length > 0}
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate({ body: changes })
      }}
    >
      <SaveFailure error={save.error} title={t('Failed to save your preferences')} />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField label={t('Language')} options={languageOptions} {...select('language')} />
        <SelectField
          label={t('Time zone')}
          options={zoneOptions(choices.timeZone)}
          hint={t('For times, and for the days of filters. Billing periods and figures by day are in UTC.')}
          {...select('timeZone')}
        />
        <SelectField label={t('Figures')} options={numberOptions} {...select('numberFormat')} />
        <SelectField label={t('Theme')} options={themeOptions} {...select('theme')} />
        <SelectField label={t('Rows of tables')} options={densityOptions} {...select('density')} />
      </div>
      {kinds.length > 0 && (
        <fieldset className="space-y-2">
          <legend className="mb-1.5 text-xs font-medium">{t('Mails to you')}</legend>
          <ul className="space-y-2">
            {kinds.map((kind) => (
              <li key={kind}>
                <Checkbox
                  label={mailLabels[kind]}
                  disabled={!saved.hasMail}
                  checked={!choices.mutedMails.includes(kind)}
                  onChange={(event) => setSubscribed(kind, event.target.checked)}
                />
              </li>
            ))}
          </ul>
          <p className="text-xs text-ink-3">
            {saved.hasMail
              ? t(
                  'Mails about sign-ins, passwords, payout addresses and settings that guard money are always sent.',
                )
              : t('No mail is sent: this gateway has no mail server.')}
          </p>
        </fieldset>
      )}
      <Button
        tone="primary"
        type="submit"
        isBusy={save.isPending}
        busyLabel={t('Saving...')}
        isDisabled={Object.keys(changes).length === 0}
      >
        {t('Save preferences')}
      </Button>
    </PageForm>
  )
}

/** Whether this kind of mail is sent to people of this role at all. */
function isMailed(kind: MailKind, may: ReturnType<typeof useSession>['may']): boolean {
  if (kind === 'overdue') return may('paymentManagement')
  if (kind === 'auditHead') return may('adminSettings')
  return may('payment')
}
