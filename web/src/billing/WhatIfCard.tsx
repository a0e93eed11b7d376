import { type WhatIf, closeRoutes } from '@tollgate/contract/billing/close.ts'
import { rateInputSchema } from '@tollgate/contract/money.ts'
import { useState } from 'react'
import { z } from 'zod'
import { ApiError } from '../api/api-error.ts'
import { useApiForm } from '../api/use-api-form.ts'
import { useApiQuery } from '../api/use-api.ts'
import { formatPeriod } from '../format/dates.ts'
import { formatAmountFigure, formatCount, formatRate } from '../format/money.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { NumberField, SelectField } from '../ui/Field.tsx'
import { EmptyState, Skeleton } from '../ui/States.tsx'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { t } from '../language/t.ts'
import { signedFigure } from '../money/SignedAmount.tsx'
import { tNodes } from '../language/t-nodes.tsx'
import { counted } from '../format/counted.ts'

const formSchema = z.object({ rate: rateInputSchema, periodsBack: z.string() })
const periods = [
  t('This period, so far'),
  t('Last period'),
  t('2 periods ago'),
  t('3 periods ago'),
  t('4 periods ago'),
]
// More rows would hide the total.
const clientsShownMax = 10

/** What a period would have cost at another global rate, before that rate is published. */
export function WhatIfCard() {
  const form = useApiForm(formSchema, { rate: '', periodsBack: '1' })
  const [query, setQuery] = useState<{ rate: string; periodsBack: number }>()
  const answer = useApiQuery(
    closeRoutes.whatIf,
    { query: query ?? { rate: '0.01' } },
    { isEnabled: query !== undefined },
  )
  const submit = form.handleSubmit(({ rate, periodsBack }) =>
    setQuery({ rate, periodsBack: Number(periodsBack) }),
  )
  const askOpenPeriod = () => {
    form.setValue('periodsBack', '0')
    void submit()
  }
  return (
    <Card title={t('What if')}>
      <form noValidate className="flex flex-wrap items-start gap-2" onSubmit={(event) => void submit(event)}>
        <NumberField
          label={t('Global rate instead (USD per SMS)')}
          step="0.001"
          min="0"
          placeholder="0.045"
          hint={t('Nothing is changed by this')}
          error={form.formState.errors.rate?.message}
          {...form.register('rate')}
        />
        <SelectField
          label={t('Period')}
          options={periods.map((label, index) => ({ value: String(index), label }))}
          {...form.register('periodsBack')}
        />
        <Button type="submit" className="mt-5" isBusy={answer.isFetching} busyLabel={t('Calculating...')}>
          {t('Calculate')}
        </Button>
      </form>
      {query !== undefined &&
        (query.periodsBack > 0 && isTooFarBack(answer.error) ? (
          <EmptyState
            title={
              query.periodsBack === 1 ? t('No period has closed yet') : t('No period was closed so long ago')
            }
            action={<Button onClick={askOpenPeriod}>{t('Calculate this period, so far')}</Button>}
          >
            {t(
              'This gateway has not been counting for so long. The period that is open now can be calculated at any time.',
            )}
          </EmptyState>
        ) : answer.error ? (
          <FetchFailure of={answer} title={t('Failed to calculate')} />
        ) : answer.data ? (
          <WhatIfResult outcome={answer.data} />
        ) : (
          <Skeleton className="mt-4 h-24" />
        ))}
    </Card>
  )
}

/** The gateway is younger than the period, so there is nothing to try again. */
function isTooFarBack(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'not_found'
}

function WhatIfResult({ outcome }: { outcome: WhatIf }) {
  const { clients, clientCount } = outcome
  if (clientCount === 0)
    return (
      <EmptyState title={t('Nothing was earned at the global rate')}>
        {t(
          'No SMS of {periodStart} was priced by the global rate, so another one changes nothing. Choose another period.',
          { periodStart: formatPeriod(outcome.periodStart, outcome.periodEnd) },
        )}
      </EmptyState>
    )
  return (
    <div className="mt-4 space-y-3" aria-live="polite">
      <p>
        {tNodes(
          '{period}: {smsCount} SMS ({clients}) at the global rate come to {before} USDT. At {rate} they would be {after} USDT, a difference of {difference}.',
          {
            period: formatPeriod(outcome.periodStart, outcome.periodEnd),
            smsCount: formatCount(outcome.smsCount),
            clients: counted(clientCount, '1 client', '{count} clients'),
            before: formatAmountFigure(outcome.before),
            rate: formatRate(outcome.rate),
            after: formatAmountFigure(outcome.after),
            difference: (
              <strong>
                {signedFigure(outcome.difference)} {t('USDT')}
              </strong>
            ),
          },
        )}
      </p>
      <table className="w-full max-w-140 text-start">
        <thead className="text-xs text-ink-3">
          <tr>
            <th className="py-1 text-start font-medium">{t('Client')}</th>
            <th className="py-1 text-end font-medium">{t('SMS')}</th>
            <th className="py-1 text-end font-medium">{t('Before')}</th>
            <th className="py-1 text-end font-medium">{t('After')}</th>
            <th className="py-1 text-end font-medium">{t('Difference')}</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {clients.slice(0, clientsShownMax).map((client) => (
            <tr key={client.userId}>
              <td className="py-1">{client.userName}</td>
              <td className="py-1 text-end">{formatCount(client.smsCount)}</td>
              <td className="py-1 text-end">{formatAmountFigure(client.before)}</td>
              <td className="py-1 text-end">{formatAmountFigure(client.after)}</td>
              <td className="py-1 text-end font-medium">{signedFigure(client.difference)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {clientCount > clientsShownMax && (
        <p className="text-xs text-ink-3">
          {t('The {clientsShownMax} largest differences of {clientCount}.', {
            clientsShownMax,
            clientCount: formatCount(clientCount),
          })}
        </p>
      )}
    </div>
  )
}
