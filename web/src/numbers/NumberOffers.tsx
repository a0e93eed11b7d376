import type { InventoryItem } from '@tollgate/contract/numbers/inventory.ts'
import { useId } from 'react'
import { messageOf } from '../api/api-error.ts'
import { formatRate } from '../format/money.ts'
import { t } from '../language/t.ts'
import { Button } from '../ui/Button.tsx'
import { PhoneNumber } from '../ui/PhoneNumber.tsx'
import { Skeleton } from '../ui/States.tsx'
import { CountryCell } from './cells.tsx'

interface NumberOffersProps {
  readonly legend: string
  readonly offers: readonly InventoryItem[] | undefined
  readonly error: Error | null
  readonly onRetry: () => void
  readonly picked: string
  readonly onPick: (number: string) => void
}

/** Available numbers, of which one is picked. */
export function NumberOffers({ legend, offers, error, onRetry, picked, onPick }: NumberOffersProps) {
  const name = useId()
  return (
    <fieldset>
      <legend className="pb-1 text-xs font-medium text-ink-2">{legend}</legend>
      <div className="max-h-56 overflow-y-auto rounded-lg border border-line">
        {error && (
          <div role="alert" className="flex flex-wrap items-center gap-2 p-3">
            <span className="text-bad-ink">{messageOf(error)}</span>
            <Button size="sm" onClick={onRetry}>
              {t('Try again')}
            </Button>
          </div>
        )}
        {!error && offers === undefined && <Skeleton className="m-3 w-1/2" />}
        {offers?.length === 0 && <p className="p-3 text-ink-3">{t('No number is available.')}</p>}
        {offers?.map((offer) => (
          <label
            key={offer.id}
            className="flex min-h-10 items-center gap-2.5 border-b border-line px-3 py-1 last:border-0 hover:bg-surface-3 has-checked:bg-accent-soft pointer-coarse:min-h-11"
          >
            <input
              type="radio"
              name={name}
              className="size-4 shrink-0 accent-accent"
              checked={offer.number === picked}
              onChange={() => onPick(offer.number)}
            />
            <span className="shrink-0 font-medium">
              <PhoneNumber value={offer.number} />
            </span>
            <span className="min-w-0 truncate text-ink-3">
              <CountryCell country={offer.country} code={offer.countryCode} />
            </span>
            <span className="ms-auto shrink-0 text-ink-3">
              {offer.pricePerSms === '' ? t('Weekly bill') : formatRate(offer.pricePerSms)}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
