import { numbersRoutes, type NumberPrice } from '@tollgate/contract/numbers/numbers.ts'
import { Unfetched } from '../../api/FetchFailure.tsx'
import { useApiQuery } from '../../api/use-api.ts'
import { formatDateTime } from '../../format/dates.ts'
import { formatRate } from '../../format/money.ts'
import { PriceTable } from '../../ui/PriceTable.tsx'
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
  if (prices.data) return <PricesNow prices={prices.data} />
  return <Unfetched of={prices} title={t('Failed to fetch the prices')} className="h-32" />
}

function PricesNow({ prices }: { prices: readonly NumberPrice[] }) {
  const now = useNow(60_000)
  if (prices.length === 0)
    return <p className="text-ink-3">{t('Nobody holds it, so it earns nobody anything.')}</p>
  const shown = prices.map(({ usdPerSms, from, validFrom, validTo }) => ({
    key: validFrom,
    start: (
      <>
        {formatDateTime(validFrom)}
        <PriceState
          isComing={Date.parse(validFrom) > now}
          isOver={validTo !== null && Date.parse(validTo) <= now}
        />
      </>
    ),
    setBy: origins[from],
    price: formatRate(usdPerSms),
  }))
  return <PriceTable unit={t('USD per SMS')} prices={shown} />
}

function PriceState({ isComing, isOver }: { isComing: boolean; isOver: boolean }) {
  if (isOver) return null
  return <span className="ms-2 text-xs text-ink-3">{isComing ? t('comes next') : t('now')}</span>
}
