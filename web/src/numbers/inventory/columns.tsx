import type { InventoryItem } from '@tollgate/contract/numbers/inventory.ts'
import { formatDateTime, formatDay } from '../../format/dates.ts'
import { formatRate } from '../../format/money.ts'
import { formatPhone } from '../../format/phone.ts'
import { NextRate } from '../../money/NextRate.tsx'
import { StatusBadge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { actionsColumn, type Column, subject } from '../../ui/table/column.ts'
import { CountryCell, EarnedCell } from '../cells.tsx'
import type { NumberAct } from '../number/NumberActs.tsx'
import { PhoneNumber } from '../../ui/PhoneNumber.tsx'
import { t } from '../../language/t.ts'

/**
 * Spec §2, Number Inventory: the columns of the table. The creation date and the start of the holding can be switched
 * on.
 */
export function inventoryColumns(onAct: (act: NumberAct) => void): readonly Column<InventoryItem>[] {
  return [
    {
      ...subject,
      id: 'number',
      header: t('Number'),
      sortBy: 'number',
      cell: (item) => <PhoneNumber value={item.number} />,
    },
    {
      id: 'createdAt',
      header: t('Date & Time'),
      sortBy: 'createdAt',
      isHiddenByDefault: true,
      cell: (item) => formatDateTime(item.createdAt),
    },
    {
      id: 'country',
      header: t('Country'),
      sortBy: 'country',
      card: 'fact',
      cell: (item) => <CountryCell country={item.country} code={item.countryCode} />,
    },
    {
      id: 'operator',
      header: t('Operator'),
      card: 'fact',
      cell: (item) => (item.operator === '' ? <span className="text-ink-3">–</span> : item.operator),
    },
    {
      id: 'price',
      header: t('Price/SMS'),
      sortBy: 'pricePerSms',
      align: 'right',
      card: 'end',
      cell: (item) => (
        <>
          {item.pricePerSms === '' ? (
            <span
              className="font-normal text-ink-3"
              title={t('No price of its own: settles in the weekly bill')}
            >
              {t('Weekly bill')}
            </span>
          ) : (
            formatRate(item.pricePerSms)
          )}
          <NextRate next={item.scheduled} ended={t('Weekly bill')} />
        </>
      ),
    },
    {
      id: 'earned',
      header: t('Earned this cycle'),
      align: 'right',
      cell: (item) => <EarnedCell earned={item.earned} />,
    },
    {
      id: 'status',
      header: t('Status'),
      cell: (item) => <StatusBadge kind="inventory" status={item.status} />,
    },
    {
      id: 'assignedTo',
      header: t('Assigned To'),
      sortBy: 'assignedTo',
      cell: (item) => <Holder item={item} />,
    },
    {
      id: 'assignedFrom',
      header: t('Held since'),
      isHiddenByDefault: true,
      cell: (item) => formatDay(item.assignedFrom),
    },
    actionsColumn(
      ({ id, number, status }) =>
        status === 'available' && (
          <Button
            size="sm"
            aria-label={t('Assign {shown}', { shown: formatPhone(number) })}
            onClick={() => onAct({ act: 'assign', id })}
          >
            {t('Assign')}
          </Button>
        ),
    ),
  ]
}

/** Spec §2: 'User {id}' or 'Unassigned'. The username stands beside the id. */
function Holder({ item }: { item: InventoryItem }) {
  if (item.assignedTo === null) return <span className="text-ink-3">{t('Unassigned')}</span>
  return (
    <span>
      {t('User {id}', { id: item.assignedTo })}
      {item.assignedUsername !== '' && <span className="text-ink-3"> {item.assignedUsername}</span>}
    </span>
  )
}

/** A row as Copy Selected puts it on the clipboard. */
export function inventoryLine(item: InventoryItem): readonly string[] {
  return [
    `+${item.number}`,
    item.country,
    item.countryCode,
    item.operator,
    item.pricePerSms,
    item.status,
    item.assignedUsername,
  ]
}
