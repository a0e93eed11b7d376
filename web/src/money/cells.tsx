// Cells of tables of money.
import { parseMicro } from '@tollgate/contract/money.ts'
import { formatAmountFigure } from '../format/money.ts'
import { shortenForStaff } from '../format/shorten.ts'
import { LongValue } from '../ui/LongValue.tsx'
import { t } from '../language/t.ts'

export const addressCopied = { title: t('Copied'), text: t('Address copied to clipboard') }

/** A USDT address in a list. Spec §2: 8 and 6 characters, and its toast. */
export function AddressCell({ address }: { address: string }) {
  if (address === '') return <span className="text-warn-ink">{t('no address yet')}</span>
  return (
    <LongValue value={address} short={shortenForStaff(address)} what={t('address')} words={addressCopied} />
  )
}

interface DebtAmountProps {
  readonly debt: { readonly dueAmount: string; readonly receivedAmount: string }
  readonly total: string
}

/** The amount of a bill or payout, and what is still due of it once that is less. */
export function DebtAmount({ debt: { dueAmount, receivedAmount }, total }: DebtAmountProps) {
  const isPartlyPaid = dueAmount !== total && parseMicro(dueAmount) !== 0n
  const isOverpaid = (parseMicro(receivedAmount) ?? 0n) > (parseMicro(total) ?? 0n)
  return (
    <>
      <Amount value={total} />
      {isPartlyPaid && (
        <span className="block text-xs text-warn-ink">
          {t('{dueAmount} due', { dueAmount: formatAmountFigure(dueAmount) })}
        </span>
      )}
      {isOverpaid && (
        <span className="block text-xs text-warn-ink">
          {t('{receivedAmount} received', { receivedAmount: formatAmountFigure(receivedAmount) })}
        </span>
      )}
    </>
  )
}

/** An amount with a quiet unit. */
export function Amount({ value }: { value: string }) {
  return (
    <span className="whitespace-nowrap">
      {formatAmountFigure(value)} <span className="font-normal text-ink-3">{t('USDT')}</span>
    </span>
  )
}
