import { type SettingEntry, settingsRoutes } from '@tollgate/contract/settings/settings.ts'
import { useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { useApiMutation } from '../api/use-api.ts'
import { settingName } from '../format/setting-name.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { PageForm } from '../ui/PageForm.tsx'
import { SearchBox } from '../ui/SearchBox.tsx'
import { EmptyState } from '../ui/States.tsx'
import { showToast } from '../ui/toasts.ts'
import { ratePaths } from '../rates/queries.ts'
import { t } from '../language/t.ts'
import { globalRateKey, settingGroups } from './groups.ts'
import { SettingRow } from './SettingRow.tsx'

interface SettingsListProps {
  readonly settings: readonly SettingEntry[]
  readonly find: string
  readonly onFind: (text: string) => void
}

/** All settings except the rate, which has its own card. What was typed is saved together. */
export function SettingsList({ settings, find, onFind }: SettingsListProps) {
  const edits = useEdits(settings)
  const groups = groupsOf(settings, (setting) => edits.isChanged(setting) || isFound(setting, find))
  const changedNames = edits.changed.map(({ settingKey }) => settingName(settingKey)).join(', ')
  return (
    <PageForm
      isDirty={edits.changed.length > 0}
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault()
        void edits.save()
      }}
    >
      <div className="max-w-80">
        <SearchBox placeholder={t('Search settings...')} value={find} onSearch={onFind} />
      </div>
      {groups.map(({ title, rows }) => (
        <Card key={title} title={title} isFlush>
          <ul className="divide-y divide-line">
            {rows.map((setting) => (
              <SettingRow
                key={setting.id}
                setting={setting}
                value={edits.valueOf(setting)}
                error={edits.errors[setting.settingKey]}
                onChange={(value) => edits.set(setting, value)}
              />
            ))}
          </ul>
        </Card>
      ))}
      {groups.length === 0 && <EmptyState title={t('No setting is called so')} />}
      {edits.changed.length > 0 && (
        <div className="sticky bottom-0 z-10 flex flex-wrap items-center justify-end gap-x-4 gap-y-2 rounded-lg border border-line bg-surface px-4 py-2.5 shadow-pop">
          <p className="min-w-0 grow text-ink-2 first-letter:uppercase">{changedNames}</p>
          <Button onClick={edits.discard}>{t('Discard')}</Button>
          <Button tone="primary" type="submit" isBusy={edits.isBusy} busyLabel={t('Saving...')}>
            {t('Save')}
          </Button>
        </div>
      )}
    </PageForm>
  )
}

/** Those to show, in their groups. A setting that no group names stands in the last one. */
function groupsOf(settings: readonly SettingEntry[], isShown: (setting: SettingEntry) => boolean) {
  const placed = new Set([globalRateKey, ...settingGroups.flatMap(({ keys }) => keys)])
  const others = settings.map(({ settingKey }) => settingKey).filter((key) => !placed.has(key))
  return [...settingGroups, { title: t('Others'), keys: others }]
    .map(({ title, keys }) => ({
      title,
      rows: keys.flatMap((key) =>
        settings.filter((setting) => setting.settingKey === key && isShown(setting)),
      ),
    }))
    .filter(({ rows }) => rows.length > 0)
}

/** Whether name, description or key has each of the words. */
function isFound({ settingKey, description }: SettingEntry, find: string): boolean {
  const text = `${settingName(settingKey)} ${t(description)} ${settingKey}`.toLowerCase()
  return find
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** What was typed and is not saved yet. */
function useEdits(settings: readonly SettingEntry[]) {
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [errors, setErrors] = useState<Readonly<Record<string, unknown>>>({})
  const [isBusy, setBusy] = useState(false)
  const put = useApiMutation(settingsRoutes.putSetting, {
    refetch: ratePaths,
    failure: t('Failed to update setting'),
    isShownInPlace: true,
  })
  const valueOf = ({ settingKey, settingValue }: SettingEntry) => typed[settingKey] ?? settingValue
  const isChanged = (setting: SettingEntry) => valueOf(setting) !== setting.settingValue
  const changed = settings.filter(isChanged)
  const forget = (key: string) =>
    setTyped((all) => Object.fromEntries(Object.entries(all).filter(([name]) => name !== key)))

  async function save() {
    if (isBusy) return
    setBusy(true)
    setErrors({})
    const saved: SettingEntry[] = []
    for (const { settingKey: key, settingValue: seenValue } of changed)
      try {
        const settingValue = typed[key] ?? seenValue
        saved.push(await put.mutateAsync({ params: { key }, body: { settingValue, seenValue } }))
        forget(key)
      } catch (error) {
        setErrors((all) => ({ ...all, [key]: error }))
        // The password was not confirmed: the others would only ask for it again.
        if (error instanceof ApiError && error.code === 'reauthenticate') break
      }
    setBusy(false)
    tellSaved(saved)
  }
  return {
    changed,
    errors,
    isBusy,
    isChanged,
    save,
    valueOf,
    set: ({ settingKey }: SettingEntry, value: string) =>
      setTyped((all) => ({ ...all, [settingKey]: value })),
    discard: () => {
      setTyped({})
      setErrors({})
    },
  }
}

function tellSaved(saved: readonly SettingEntry[]): void {
  if (saved.some(({ pending }) => pending === null))
    showToast({ title: t('Success'), text: t('Setting updated successfully') })
  if (saved.some(({ pending }) => pending !== null))
    showToast({
      title: t('Approval asked for'),
      text: t('The value in force stays until the change begins.'),
    })
}
