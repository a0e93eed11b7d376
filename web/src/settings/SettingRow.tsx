import { type SettingEntry, settingsRoutes } from '@tollgate/contract/settings/settings.ts'
import { Link } from '@tanstack/react-router'
import { ApiError, messageOf } from '../api/api-error.ts'
import { formatDateTime } from '../format/dates.ts'
import { settingName } from '../format/setting-name.ts'
import { paths } from '../paths.ts'
import { SelectField, TextField } from '../ui/Field.tsx'
import { t } from '../language/t.ts'
import { ratePaths } from '../rates/queries.ts'
import { choiceNames, settingChoices, settingText } from './groups.ts'
import { PendingChange } from '../api/PendingChange.tsx'

interface SettingRowProps {
  readonly setting: SettingEntry
  /** What its field holds. */
  readonly value: string
  readonly error: unknown
  readonly onChange: (value: string) => void
}

/** A setting: what it is called and does, who set it, and its field. */
export function SettingRow({ setting, value, error, onChange }: SettingRowProps) {
  const options = settingChoices[setting.settingKey]
  const fallback = settingText(setting.settingKey, setting.defaultValue)
  const label = settingName(setting.settingKey)
  const frame = { label, isLabelHidden: true, value, error: faultOf(error) }
  return (
    <li className="grid items-start gap-x-6 gap-y-2 px-4 py-3 lg:grid-cols-[minmax(0,1fr)_18rem]">
      <div className="min-w-0">
        <p className="font-medium first-letter:uppercase">{label}</p>
        <p className="text-ink-3">{t(setting.description)}</p>
        <p className="text-xs break-words text-ink-3">
          {t('Default: {fallback}', { fallback: fallback === '' ? '–' : fallback })}
          {' · '}
          {setting.updatedAt === '' ? t('Never changed') : <LastChange of={setting} />}
        </p>
      </div>
      {options ? (
        <SelectField
          {...frame}
          options={options.map((option) => ({ value: option, label: choiceNames[option] }))}
          onChange={(event) => onChange(event.target.value)}
        />
      ) : (
        <TextField {...frame} onChange={(event) => onChange(event.target.value)} />
      )}
      {setting.pending && (
        <div className="col-span-full">
          <PendingChange
            label={label}
            value={setting.pending.settingValue || t('an empty value')}
            change={setting.pending}
            route={settingsRoutes.decideSettingChange}
            callOf={(action) => ({ params: { key: setting.settingKey }, body: { action } })}
            refetch={ratePaths}
          />
        </div>
      )}
    </li>
  )
}

/** Leads to all its changes in the audit log, each with the value before. */
function LastChange({ of: { settingKey, updatedAt, updatedBy } }: { readonly of: SettingEntry }) {
  const at = formatDateTime(updatedAt)
  return (
    <Link
      to={paths.auditLog}
      search={{ objectType: 'setting', objectId: settingKey } as never}
      className="text-accent-ink underline underline-offset-2"
    >
      {updatedBy === ''
        ? t('Changed {updatedAt}', { updatedAt: at })
        : t('Changed {updatedAt} by {name}', { updatedAt: at, name: updatedBy })}
    </Link>
  )
}

/** Of a refused value what is wrong with it: its name stands beside it. */
function faultOf(error: unknown): string | undefined {
  if (!error) return undefined
  return (error instanceof ApiError ? error.fields['settingValue'] : undefined) ?? messageOf(error)
}
