import { numbersRoutes, type NumberPrice } from '@tollgate/contract/numbers/numbers.ts'
import { FetchFailure } from '../../api/FetchFailure.tsx'
import { useApiQuery } from '../../api/use-api.ts'
import { formatDateTime } from '../../format/dates.ts'
import { formatRate } from '../../format/money.ts'
import { Skeleton } from '../../ui/States.tsx'
import { useNow } from '../../ui/use-now.ts'
import { t } from '../../language/t.ts'

const origins: Readonly<Record<NumberPrice['from'], string>> = {
  number: t("The number's own price"),
  client: t("The client's rate"),
  global: t('The global rate'),
}

/** The prices of a number, those that come next first. */
export function NumberPrices({ id }: { id: string }) {
  const prices = useApiQuery(numbersRoutes.listNumberPrices, { params: { id } })
  if (prices.data) return <PriceTable prices={prices.data} />
  if (prices.error) return <FetchFailure of={prices} title={t('Failed to fetch the prices')} />
  return <Skeleton className="h-32" />
}

function PriceTable({ prices }: { prices: readonly NumberPrice[] }) {
  const now = useNow(60_000)
  if (prices.length === 0)
    return <p className="text-ink-3">{t('Nobody holds it, so it earns nobody anything.')}</p>
  return (
    <table className="w-full">
      <thead>
        <tr className="text-xs text-ink-3">
          <th className="pb-2 text-start font-medium">{t('Valid from')}</th>
          <th className="pb-2 text-start font-medium">{t('Set by')}</th>
          <th className="pb-2 text-end font-medium">{t('USD per SMS')}</th>
        </tr>
      </thead>
      <tbody>
        {prices.map(({ usdPerSms, from, validFrom, validTo }) => (
          <tr key={validFrom} className="border-t border-line">
            <td className="py-2">
              {formatDateTime(validFrom)}
              <PriceState
                isComing={Date.parse(validFrom) > now}
                isOver={validTo !== null && Date.parse(validTo) <= now}
              />
            </td>
            <td className="py-2">{origins[from]}</td>
            <td className="py-2 text-end">{formatRate(usdPerSms)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function PriceState({ isComing, isOver }: { isComing: boolean; isOver: boolean }) {
  if (isOver) return null
  return <span className="ms-2 text-xs text-ink-3">{isComing ? t('comes next') : t('now')}</span>
}
