import type { ReactNode } from 'react'
import { t } from '../language/t.ts'

export interface ShownPrice {
  readonly key: string | number
  readonly start: ReactNode
  readonly setBy: string
  readonly price: string
}

/** Prices with their start and by whom or what each was set. */
export function PriceTable({ unit, prices }: { unit: string; prices: readonly ShownPrice[] }) {
  return (
    <table className="w-full">
      <thead>
        <tr className="text-xs text-ink-3">
          <th className="pb-2 text-start font-medium">{t('Valid from')}</th>
          <th className="pb-2 text-start font-medium">{t('Set by')}</th>
          <th className="pb-2 text-end font-medium">{unit}</th>
        </tr>
      </thead>
      <tbody>
        {prices.map(({ key, start, setBy, price }) => (
          <tr key={key} className="border-t border-line">
            <td className="py-2 pe-3">{start}</td>
            <td className="py-2 pe-3">{setBy}</td>
            <td className="py-2 text-end whitespace-nowrap">{price}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
