import { Link } from '@tanstack/react-router'
import type { AccountNumber } from '@tollgate/contract/numbers/numbers.ts'
import { formatDateTime } from '../../format/dates.ts'
import { formatRate, formatTariff } from '../../format/money.ts'
import { formatPhone } from '../../format/phone.ts'
import { NextRate } from '../../money/NextRate.tsx'
import { recordsPath } from '../../paths.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { actionsColumn, type Column, subject } from '../../ui/table/column.ts'
import { createdAtColumn, descriptionColumn, statusColumn } from '../shared-columns.tsx'
import { EarnedCell } from '../cells.tsx'
import { PhoneNumber } from '../../ui/PhoneNumber.tsx'
import { numberTypeLabels } from '../type-labels.ts'
import { t } from '../../language/t.ts'

/** An account number with the label its row shows. */
export interface AccountRow extends AccountNumber {
  readonly label: string
}

/** Spec §2: ACC-#### by row index while the number has no account number. */
export function withAccountLabels(
  rows: readonly AccountNumber[] | undefined,
): readonly AccountRow[] | undefined {
  return rows?.map((row, index) => ({
    ...row,
    label: row.accountNumber === '' ? `ACC-${String(index + 1).padStart(4, '0')}` : row.accountNumber,
  }))
}

interface Viewer {
  /** Shows who holds it. */
  readonly isStaff: boolean
  /** Whether the viewer sees masked numbers. Then the table has no actions. */
  readonly isMasked: boolean
}

const earnedColumn: Column<AccountRow> = {
  id: 'earned',
  header: t('Earned this cycle'),
  align: 'right',
  cell: (row) => <EarnedCell earned={row.earned} />,
}

/** Spec §2, Premium Numbers: the table's columns. */
export function accountColumns({ isStaff, isMasked }: Viewer): readonly Column<AccountRow>[] {
  return [
    createdAtColumn(),
    {
      id: 'accountNumber',
      stackUnder: 'phoneNumber',
      header: t('Account Number'),
      sortBy: 'accountNumber',
      card: 'fact',
      cell: (row) => <span className="font-mono">{row.label}</span>,
    },
    {
      id: 'clientName',
      stackUnder: 'phoneNumber',
      header: t('Client Name'),
      sortBy: 'clientName',
      // A client's list has its own numbers alone.
      isHiddenByDefault: !isStaff,
      cell: (row) => (row.clientName === '' ? <span className="text-ink-3">–</span> : row.clientName),
    },
    {
      ...subject,
      id: 'phoneNumber',
      header: t('Phone Number'),
      sortBy: 'phoneNumber',
      cell: (row) => <PhoneNumber value={row.phoneNumber} />,
    },
    { id: 'type', header: t('Type'), cell: (row) => numberTypeLabels[row.type] },
    {
      id: 'rate',
      header: t('Rate'),
      align: 'right',
      card: 'end',
      cell: (row) => formatTariff(row.rate),
    },
    // Who sees numbers masked is told no price.
    ...(isMasked ? [] : [earnsColumn, earnedColumn]),
    statusColumn(),
    descriptionColumn(),
    ...(isMasked ? [] : [actionsColumn<AccountRow>((row) => <RecordsLink row={row} />)]),
  ]
}

const earnsColumn: Column<AccountRow> = {
  id: 'usdPerSms',
  stackUnder: 'rate',
  header: t('USD per SMS'),
  align: 'right',
  cell: (row) =>
    row.usdPerSms === '' ? (
      <span className="text-ink-3">–</span>
    ) : (
      <>
        {formatRate(row.usdPerSms)}
        <NextRate next={row.scheduled} ended={t('Weekly bill')} />
      </>
    ),
}

/** Leads to the messages of a number. */
function RecordsLink({ row }: { readonly row: AccountRow }) {
  return (
    <Link
      to={recordsPath({ number: row.phoneNumber })}
      aria-label={t('Records of {shown}', { shown: formatPhone(row.phoneNumber) })}
      className={buttonClass('secondary', 'sm')}
    >
      {t('Records')}
    </Link>
  )
}

/** A row as Copy Selected puts it on the clipboard. */
export function accountLine(row: AccountRow): readonly string[] {
  return [
    formatDateTime(row.createdAt),
    row.accountNumber,
    row.clientName,
    /^\d+$/.test(row.phoneNumber) ? `+${row.phoneNumber}` : row.phoneNumber,
    row.type,
    row.rate,
    row.usdPerSms,
    row.status,
    row.description,
  ]
}
