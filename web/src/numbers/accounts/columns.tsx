import { Link, useNavigate } from '@tanstack/react-router'
import { ObjectLink } from '../../api/ObjectLink.tsx'
import type { AccountNumber } from '@tollgate/contract/numbers/numbers.ts'
import { Copy, History, SlidersHorizontal } from 'lucide-react'
import { formatDateTime } from '../../format/dates.ts'
import { formatRate, formatTariff } from '../../format/money.ts'
import { formatPhone } from '../../format/phone.ts'
import { NextRate } from '../../money/NextRate.tsx'
import { paths, recordsPath } from '../../paths.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { copyText } from '../../ui/copy-text.ts'
import { Menu } from '../../ui/Menu.tsx'
import { actionsColumn, type Column } from '../../ui/table/column.ts'
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
  /** Adds a link to Numbers Management. */
  readonly isStaff: boolean
  /** Whether the viewer sees masked numbers. Then the table has no actions. */
  readonly isMasked: boolean
  readonly onPrices: (row: AccountRow) => void
}

const earnedColumn: Column<AccountRow> = {
  id: 'earned',
  header: t('Earned this cycle'),
  align: 'right',
  cell: (row) => <EarnedCell earned={row.earned} />,
}

/** Spec §2, Premium Numbers: the table's columns. */
export function accountColumns({ isStaff, isMasked, onPrices }: Viewer): readonly Column<AccountRow>[] {
  const actions: Column<AccountRow> = actionsColumn((row) => (
    <AccountRowActions row={row} isStaff={isStaff} onPrices={() => onPrices(row)} />
  ))
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
      id: 'phoneNumber',
      header: t('Phone Number'),
      sortBy: 'phoneNumber',
      isSubject: true,
      isHideable: false,
      card: 'title',
      cell: (row) => {
        const phone = <PhoneNumber value={row.phoneNumber} />
        return isMasked ? (
          phone
        ) : (
          <ObjectLink kind="number" id={row.id}>
            {phone}
          </ObjectLink>
        )
      },
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
    ...(isMasked ? [] : [actions]),
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

interface AccountRowActionsProps {
  readonly row: AccountRow
  readonly isStaff: boolean
  readonly onPrices: () => void
}

/** The messages of a number in words; the rest in the menu. */
function AccountRowActions({ row, isStaff, onPrices }: AccountRowActionsProps) {
  const navigate = useNavigate()
  const shown = formatPhone(row.phoneNumber)
  const copy = () =>
    copyText(`+${row.phoneNumber}`, {
      title: t('Copied to clipboard'),
      text: t('{label} copied successfully', { label: shown }),
    })
  const manage = () => navigate({ to: paths.numbersManagement, search: { search: row.phoneNumber } as never })
  return (
    <span className="inline-flex items-center gap-1">
      <Link
        to={recordsPath({ number: row.phoneNumber })}
        aria-label={t('Records of {shown}', { shown })}
        className={buttonClass('secondary', 'sm')}
      >
        {t('Records')}
      </Link>
      <Menu
        trigger={t('More actions for {shown}', { shown })}
        groups={[
          [
            { label: t('Copy number'), icon: Copy, onSelect: () => void copy() },
            ...(row.usdPerSms === ''
              ? []
              : [{ label: t('Price history'), icon: History, onSelect: onPrices }]),
          ],
          isStaff ? [{ label: t('Manage'), icon: SlidersHorizontal, onSelect: () => void manage() }] : [],
        ]}
      />
    </span>
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
