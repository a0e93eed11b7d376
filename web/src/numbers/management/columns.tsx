import type { PremiumNumber } from '@tollgate/contract/numbers/numbers.ts'
import { formatDateTime } from '../../format/dates.ts'
import { formatPhone } from '../../format/phone.ts'
import { Button } from '../../ui/Button.tsx'
import { actionsColumn, type Column, subject } from '../../ui/table/column.ts'
import { createdAtColumn, descriptionColumn, rateColumn, statusColumn } from '../shared-columns.tsx'
import { CountryCell } from '../cells.tsx'
import type { NumberAct } from '../number/NumberActs.tsx'
import { PhoneNumber } from '../../ui/PhoneNumber.tsx'
import { numberTypeLabels } from '../type-labels.ts'
import { t } from '../../language/t.ts'

interface NumberHandlers {
  readonly onAct: (act: NumberAct) => void
}

/** Spec §2, Numbers Management: the columns of the table. The type can be switched on. */
export function managementColumns({ onAct }: NumberHandlers): readonly Column<PremiumNumber>[] {
  return [
    createdAtColumn(),
    {
      ...subject,
      id: 'number',
      header: t('Number'),
      sortBy: 'number',
      cell: (row) => <PhoneNumber value={row.number} />,
    },
    {
      id: 'country',
      header: t('Country'),
      sortBy: 'country',
      card: 'fact',
      cell: (row) => <CountryCell country={row.country} code={row.countryCode} />,
    },
    descriptionColumn(),
    {
      id: 'type',
      header: t('Type'),
      isHiddenByDefault: true,
      cell: (row) => numberTypeLabels[row.type],
    },
    rateColumn(),
    statusColumn(),
    actionsColumn((row) => (
      <span className="inline-flex gap-0.5">
        <Button
          size="sm"
          aria-label={t('Edit {number}', { number: formatPhone(row.number) })}
          onClick={() => onAct({ act: 'edit', id: row.id })}
        >
          {t('Edit')}
        </Button>
        <Button
          size="sm"
          tone="ghost"
          aria-label={t('Delete {number}', { number: formatPhone(row.number) })}
          onClick={() => onAct({ act: 'delete', id: row.id })}
        >
          {t('Delete')}
        </Button>
      </span>
    )),
  ]
}

/** A row as Copy Selected puts it on the clipboard. */
export function managementLine(row: PremiumNumber): readonly string[] {
  return [
    formatDateTime(row.createdAt),
    `+${row.number}`,
    row.country,
    row.countryCode,
    row.description,
    row.rate,
    row.status,
  ]
}
