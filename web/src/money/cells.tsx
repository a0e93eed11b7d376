// Cells of tables of money.
import { formatAmountFigure } from '../format/money.ts'
import { shortenForStaff } from '../format/shorten.ts'
import { LongValue } from '../ui/LongValue.tsx'

export const addressCopied = { title: 'Copied', text: 'Address copied to clipboard' }

/** A USDT address in a list. Spec §2: 8 and 6 characters, and its toast. */
export function AddressCell({ address }: { address: string }) {
  if (address === '') return <span className="text-warn-ink">none yet</span>
  return <LongValue value={address} short={shortenForStaff(address)} what="address" words={addressCopied} />
}

/** An amount with a quiet unit. */
export function Amount({ value }: { value: string }) {
  return (
    <span className="whitespace-nowrap">
      {formatAmountFigure(value)} <span className="font-normal text-ink-3">USDT</span>
    </span>
  )
}
