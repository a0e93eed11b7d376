import { type SettingEntry, settingsRoutes } from '@tollgate/contract/settings/settings.ts'
import {
  endpointDeliveryStates,
  registrationModes,
  secondFactorRules,
  stockOffers,
  switchStates,
} from '@tollgate/contract/vocabulary.ts'
import { useState } from 'react'
import { ApiError, messageOf } from '../api/api-error.ts'
import { useApiMutation } from '../api/use-api.ts'
import { formatDateTime } from '../format/dates.ts'
import { settingName } from '../format/setting-name.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { SelectField, TextField } from '../ui/Field.tsx'
import { PageForm } from '../ui/PageForm.tsx'
import { showToast } from '../ui/toasts.ts'
import { PendingChange } from './PendingChange.tsx'
import { ratePaths } from '../rates/queries.ts'
import { t } from '../language/t.ts'

type Choice =
  | (typeof registrationModes)[number]
  | (typeof endpointDeliveryStates)[number]
  | (typeof secondFactorRules)[number]
  | (typeof stockOffers)[number]
  | (typeof switchStates)[number]

/** Settings with a fixed set of values have a select field. */
const choices: Readonly<Record<string, readonly Choice[]>> = {
  registration: registrationModes,
  endpoint_deliveries: endpointDeliveryStates,
  second_factor: secondFactorRules,
  number_stock: stockOffers,
  audit_head_mail: switchStates,
  run_bundling: switchStates,
  run_netting: switchStates,
}

// As the descriptions of the settings name them.
const choiceNames = {
  open: t('open'),
  approval: t('approval'),
  closed: t('closed'),
  on: t('on'),
  off: t('off'),
  paused: t('paused'),
  staff: t('staff'),
  request: t('request'),
  take: t('take'),
} satisfies Record<Choice, string>

// No rule reads this setting yet, so nobody is shown a switch without an effect.
const unreadKey = 'integrity_mode'

/** All settings except the rate, which has its own card. */
export function SettingsList({ settings }: { settings: readonly SettingEntry[] }) {
  return (
    <Card title={t('Settings')} isFlush>
      <ul className="divide-y divide-line">
        {settings
          .filter(({ settingKey }) => settingKey !== unreadKey)
          .map((setting) => (
            <SettingRow key={setting.id} setting={setting} />
          ))}
      </ul>
    </Card>
  )
}

function SettingRow({ setting }: { setting: SettingEntry }) {
  const [value, setValue] = useState(setting.settingValue)
  const [seen, setSeen] = useState(setting.settingValue)
  // A value that was saved elsewhere replaces the shown value, but not what the person has typed.
  if (setting.settingValue !== seen) {
    setSeen(setting.settingValue)
    if (value === seen) setValue(setting.settingValue)
  }
  const save = useApiMutation(settingsRoutes.putSetting, {
    refetch: ratePaths,
    failure: t('Failed to update setting'),
    isShownInPlace: true,
    onSuccess: (saved) => {
      setValue(saved.settingValue)
      showToast(
        saved.pending === null
          ? { title: t('Success'), text: t('Setting updated successfully') }
          : { title: t('Approval asked for'), text: t('The value in force stays until the change begins.') },
      )
    },
  })
  const options = choices[setting.settingKey]
  const label = settingName(setting.settingKey)
  const frame = { label, isLabelHidden: true, error: faultOf(save.error) }
  return (
    <li>
      <PageForm
        isDirty={value !== setting.settingValue}
        className="grid items-start gap-x-6 gap-y-2 px-4 py-3 sm:grid-cols-[minmax(0,1fr)_auto] lg:grid-cols-[minmax(0,1fr)_18rem_auto]"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate({ params: { key: setting.settingKey }, body: { settingValue: value, seenValue: seen } })
        }}
      >
        <div className="min-w-0 sm:max-lg:col-span-2">
          <p className="font-medium first-letter:uppercase">{label}</p>
          <p className="text-ink-3">{t(setting.description)}</p>
          <p className="text-xs text-ink-3">
            {setting.updatedAt === ''
              ? t('Never changed')
              : t('Changed {updatedAt}', { updatedAt: formatDateTime(setting.updatedAt) })}
          </p>
        </div>
        {options ? (
          <SelectField
            {...frame}
            value={value}
            options={options.map((option) => ({ value: option, label: choiceNames[option] }))}
            onChange={(event) => setValue(event.target.value)}
          />
        ) : (
          <TextField {...frame} value={value} onChange={(event) => setValue(event.target.value)} />
        )}
        <Button
          type="submit"
          isBusy={save.isPending}
          busyLabel={t('Saving...')}
          isDisabled={value === setting.settingValue}
          aria-label={t('Save {label}', { label })}
        >
          {t('Save')}
        </Button>
        {setting.pending && (
          <div className="col-span-full">
            <PendingChange settingKey={setting.settingKey} label={label} change={setting.pending} />
          </div>
        )}
      </PageForm>
    </li>
  )
}

/** Of a refused value what is wrong with it: its name stands beside it. */
function faultOf(error: unknown): string | undefined {
  if (!error) return undefined
  return (error instanceof ApiError ? error.fields['settingValue'] : undefined) ?? messageOf(error)
}
