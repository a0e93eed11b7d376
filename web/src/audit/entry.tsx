import { Link } from '@tanstack/react-router'
import type { AuditEntry } from '@tollgate/contract/audit/audit.ts'
import { useState } from 'react'
import { UndoChange } from '../api/matching.tsx'
import { useSession } from '../api/session.tsx'
import { formatDateTime, formatDay, formatSecond, formatWeekday } from '../format/dates.ts'
import { paths } from '../paths.ts'
import { Pairs } from '../ui/Card.tsx'
import { Button, buttonClass } from '../ui/Button.tsx'
import { DrawerHead } from '../ui/Drawer.tsx'
import { type Column, subject } from '../ui/table/column.ts'
import { t } from '../language/t.ts'
import { fieldName, fieldValue } from './fields.ts'
import { What, Who } from './who-and-what.tsx'
import { actionName } from './words.ts'

/** The columns of a list of entries. */
export const auditColumns: readonly Column<AuditEntry>[] = [
  {
    id: 'at',
    header: t('Date & Time'),
    sortBy: 'at',
    card: 'fact',
    cell: (entry) => formatDateTime(entry.at),
  },
  {
    id: 'actor',
    header: t('Who'),
    sortBy: 'actor',
    card: 'fact',
    isControl: true,
    cell: (entry) => <Who entry={entry} />,
  },
  {
    ...subject,
    id: 'action',
    header: t('Action'),
    sortBy: 'action',
    cell: (entry) => <span title={entry.action}>{actionName(entry.action)}</span>,
  },
  {
    id: 'object',
    stackUnder: 'action',
    header: t('Object'),
    isControl: true,
    cell: (entry) => <What entry={entry} />,
  },
  {
    id: 'change',
    header: t('Change'),
    stackUnder: 'object',
    cell: (entry) => {
      const change = changeOf(entry)
      return (
        <span className="block max-w-32 truncate" title={change}>
          {change || '–'}
        </span>
      )
    },
  },
  {
    id: 'ip',
    stackUnder: 'actor',
    header: t('From'),
    cell: (entry) => <span className="font-mono">{entry.ip === '' ? '–' : entry.ip}</span>,
  },
]

/** The first fields that differ, in short: 'Status: active → suspended'; the value alone of a setting. */
function changeOf({ objectType, before, after }: AuditEntry): string {
  const differing = fieldsOf({ before, after }).filter(
    (name) => name !== 'change' && fieldValue(before?.[name]) !== fieldValue(after?.[name]),
  )
  const values = (name: string) =>
    before === null ? fieldValue(after?.[name]) : `${fieldValue(before[name])} → ${fieldValue(after?.[name])}`
  if (objectType === 'setting') return differing.includes('value') ? values('value') : ''
  return differing
    .slice(0, 2)
    .map((name) => `${fieldName(name)}: ${values(name)}`)
    .join(', ')
}

const fieldsOf = ({ before, after }: Pick<AuditEntry, 'before' | 'after'>): string[] => [
  ...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]),
]

/** One entry with each field before and after it; that of a change of many rows leads to all entries of it. */
export function EntryView({ entry }: { entry: AuditEntry }) {
  const changeId = entry.after?.['change']
  const names = fieldsOf(entry)
  return (
    <div className="space-y-4">
      <DrawerHead
        subject={actionName(entry.action)}
        time={`${formatDay(entry.at)} | ${formatSecond(entry.at)} ${formatWeekday(entry.at)}`}
      />
      <Pairs
        items={[
          { label: t('Who'), value: <Who entry={entry} /> },
          { label: t('From'), value: <span className="font-mono">{entry.ip === '' ? '–' : entry.ip}</span> },
          { label: t('Action'), value: <span className="font-mono">{entry.action}</span> },
          { label: t('Object'), value: <What entry={entry} /> },
          { label: t('Entry'), value: <span className="font-mono">{entry.id}</span> },
        ]}
      />
      {typeof changeId === 'string' && <ChangeOfMany entry={entry} changeId={changeId} />}
      {names.length > 0 && (
        <table className="w-full text-xs">
          <thead>
            <tr className="text-ink-3">
              <th className="pb-1.5 text-start font-medium">{t('Field')}</th>
              <th className="pb-1.5 text-start font-medium">{t('Before')}</th>
              <th className="pb-1.5 text-start font-medium">{t('After')}</th>
            </tr>
          </thead>
          <tbody>
            {names.map((name) => (
              <tr key={name} className="border-t border-line align-top">
                <td className="py-1.5 pe-3 text-ink-3" title={name}>
                  {fieldName(name)}
                </td>
                <td className="py-1.5 pe-3 font-mono break-all">{fieldValue(entry.before?.[name])}</td>
                <td className="py-1.5 font-mono break-all">{fieldValue(entry.after?.[name])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  )
}

/** Leads to all entries of a change of many rows, and undoes it. */
function ChangeOfMany({ entry, changeId }: { entry: AuditEntry; changeId: string }) {
  const { may } = useSession()
  const [isAsked, setAsked] = useState(false)
  const of = entry.objectType === 'user' ? 'users' : 'numbers'
  const mayUndo = may(of === 'users' ? 'userManagement' : 'numbersManagement')
  return (
    <div className="flex flex-wrap gap-2">
      {may('auditRead') && (
        <Link to={`${paths.auditLog}?changeId=${changeId}`} className={buttonClass('secondary', 'sm')}>
          {t('All entries of change {changeId}', { changeId })}
        </Link>
      )}
      {entry.isUndoable && mayUndo && (
        <Button size="sm" onClick={() => setAsked(true)}>
          {t('Undo this change')}
        </Button>
      )}
      {isAsked && <UndoChange of={of} changeId={changeId} onClose={() => setAsked(false)} />}
    </div>
  )
}
