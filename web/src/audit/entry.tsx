import { Link } from '@tanstack/react-router'
import type { AuditEntry } from '@tollgate/contract/audit/audit.ts'
import { useState } from 'react'
import { UndoChange } from '../api/matching.tsx'
import { useSession } from '../api/session.tsx'
import { formatDateTime, formatDay, formatSecond, formatWeekday } from '../format/dates.ts'
import { settingName } from '../format/setting-name.ts'
import { paths } from '../paths.ts'
import { Pairs } from '../ui/Card.tsx'
import { Button, buttonClass } from '../ui/Button.tsx'
import { DrawerHead } from '../ui/Drawer.tsx'
import type { Column } from '../ui/table/column.ts'
import { t } from '../language/t.ts'
import { fieldName, fieldValue } from './fields.ts'
import { actionName, objectWord } from './words.ts'

/** The columns of a list of entries. */
export const auditColumns: readonly Column<AuditEntry>[] = [
  {
    id: 'at',
    header: t('Date & Time'),
    sortBy: 'at',
    card: 'fact',
    cell: (entry) => formatDateTime(entry.at),
  },
  { id: 'actor', header: t('Who'), sortBy: 'actor', card: 'fact', cell: (entry) => entry.actor },
  {
    id: 'action',
    header: t('Action'),
    sortBy: 'action',
    isSubject: true,
    isHideable: false,
    card: 'title',
    cell: (entry) => <span title={entry.action}>{actionName(entry.action)}</span>,
  },
  {
    id: 'object',
    header: t('Object'),
    cell: (entry) => (
      <>
        {objectWord(entry.objectType)}{' '}
        {entry.objectType === 'setting' ? (
          settingName(entry.objectId)
        ) : (
          <span className="font-mono">{entry.objectId}</span>
        )}
      </>
    ),
  },
  {
    id: 'ip',
    stackUnder: 'actor',
    header: t('From'),
    cell: (entry) => <span className="font-mono">{entry.ip === '' ? '–' : entry.ip}</span>,
  },
]

/** 'number 42', 'setting registration'. */
function objectOf({ objectType, objectId }: AuditEntry): string {
  return `${objectWord(objectType)} ${objectType === 'setting' ? settingName(objectId) : objectId}`
}

/** One entry with each field before and after it; that of a change of many rows leads to all entries of it. */
export function EntryView({ entry }: { entry: AuditEntry }) {
  const changeId = entry.after?.['change']
  const names = [...new Set([...Object.keys(entry.before ?? {}), ...Object.keys(entry.after ?? {})])]
  return (
    <div className="space-y-4">
      <DrawerHead
        subject={actionName(entry.action)}
        time={`${formatDay(entry.at)} | ${formatSecond(entry.at)} ${formatWeekday(entry.at)}`}
      />
      <Pairs
        items={[
          { label: t('Who'), value: entry.actor },
          { label: t('From'), value: <span className="font-mono">{entry.ip === '' ? '–' : entry.ip}</span> },
          { label: t('Action'), value: <span className="font-mono">{entry.action}</span> },
          { label: t('Object'), value: objectOf(entry) },
          { label: t('Entry'), value: <span className="font-mono">{entry.id}</span> },
        ]}
      />
      {typeof changeId === 'string' && <ChangeOfMany entry={entry} changeId={changeId} />}
      {names.length > 0 && (
        <table className="w-full text-xs">
          <thead>
            <tr className="text-start text-ink-3">
              <th className="pb-1.5 font-medium">{t('Field')}</th>
              <th className="pb-1.5 font-medium">{t('Before')}</th>
              <th className="pb-1.5 font-medium">{t('After')}</th>
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
